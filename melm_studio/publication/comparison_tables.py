"""The tables of Compare, and the confusion of a check, as data frames for files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd

from melm_studio.analyses.ranking_words import RankedRow
from melm_studio.publication.comparison import Agreement, ComparedRun, Mover

# The columns of the scores by the keys of `ComparedRun.figures`.
_SCORES = {
    "divergence-training": "divergence_training",
    "divergence-held-out": "divergence_held_out",
    "accuracy-training": "accuracy_training",
    "accuracy-held-out": "accuracy_held_out",
    "batch-training": "batch_accuracy_training",
    "batch-held-out": "batch_accuracy_held_out",
    "gap": "gap",
    "p": "p",
    "seconds": "seconds",
    "features": "features_used",
}


def scores_frame(rows: Sequence[ComparedRun]) -> pd.DataFrame:
    """Return one row per run, with its scores unrounded and empty cells for unknown ones.

    Examples
    --------
    >>> figures = {"accuracy-training": 1.0, "accuracy-held-out": 0.9}
    >>> row = ComparedRun("id", "PCA", figures, True, None, True)
    >>> scores_frame([row])[["run", "accuracy_held_out", "checked"]].values.tolist()
    [['PCA', 0.9, True]]
    """
    has_batches = any("batch-training" in row.figures for row in rows)
    shown = {k: v for k, v in _SCORES.items() if has_batches or not k.startswith("batch")}
    return pd.DataFrame(
        [
            {
                "run": row.title,
                **{column: row.figures.get(key) for key, column in shown.items()},
                "checked": row.is_checked,
            }
            for row in rows
        ]
    )


def angles_frame(agreement: Agreement) -> pd.DataFrame:
    """Return the largest principal angle between each pair of planes, in degrees."""
    angles = pd.DataFrame(agreement.degrees, columns=list(agreement.titles), dtype=float)
    angles.insert(0, "run", list(agreement.titles))
    return angles


def movers_frame(movers: Sequence[Mover]) -> pd.DataFrame:
    """Return the rows that move most, with their class and distance in standard deviations."""
    return pd.DataFrame([asdict(mover) for mover in movers]).rename(columns={"class_name": "class"})


def ranking_frame(rows: Sequence[RankedRow]) -> pd.DataFrame:
    """Return the ranking of all methods, best first."""
    frame = pd.DataFrame([asdict(row) for row in rows])
    if all(row.batch is None for row in rows):
        frame = frame.drop(columns="batch", errors="ignore")
    return frame.rename(columns={"label": "method", "batch": "batch_accuracy_held_out"})


def overlap_frame(overlap: Sequence[Sequence[float]], class_names: Sequence[str]) -> pd.DataFrame:
    """Return the held-out confusion between each pair of classes."""
    shares = pd.DataFrame(overlap, columns=list(class_names))
    shares.insert(0, "class", list(class_names))
    return shares

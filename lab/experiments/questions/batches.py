"""What it costs to be blind to a batch: accuracies and divergences by the weight of the batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from lab.experiments.data import load
from melm_core.base import FloatArray, IntArray
from melm_core.datasets import batches
from melm_core.melm import TradeOff, trade_off

_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_SEX = 1  # the feature of heart that stands for a batch, and is left out of the others
_HEAD = (
    "weight",
    "D classes",
    "held out",
    "D batches",
    "held out",
    "class accuracy",
    "batch accuracy",
)


def compare(folder: Path, seed: int = 0) -> None:
    """Print a table for each data set; accuracies are of held-out rows, in five folds.

    Parameters
    ----------
    folder : Path
        Of the data sets of the MELM paper.
    seed : int
    """
    with threadpool_limits(1):
        for name, X, y, batch in _data(folder, seed):
            curve = trade_off(X, y, batch, _WEIGHTS, random_state=seed)
            chance = f"guessing {curve.chance:.3f} and {curve.nuisance_chance:.3f}"
            print(f"\n{name}, {len(y)} rows, {X.shape[1]} features; {chance}\n")
            print("\n".join(_table(curve)), flush=True)


def _table(curve: TradeOff) -> Iterator[str]:
    yield f"| {' | '.join(_HEAD)} |"
    yield "|---:" * len(_HEAD) + "|"
    columns = (
        curve.divergences,
        curve.held_out_divergences,
        curve.nuisance_divergences,
        curve.held_out_nuisance_divergences,
        curve.held_out_accuracies,
        curve.held_out_nuisance_accuracies,
    )
    for weight, *values in zip(curve.weights, *columns, strict=True):
        yield f"| {weight:g} | {' | '.join(f'{value:.3f}' for value in values)} |"


def _data(folder: Path, seed: int) -> Iterator[tuple[str, FloatArray, IntArray, IntArray]]:
    yield ("drifting batches", *batches(seed))
    heart = load(folder, "heart")
    sex = np.unique(heart.X[:, _SEX], return_inverse=True)[1]
    yield "heart by sex", np.delete(heart.X, _SEX, axis=1), heart.y, sex

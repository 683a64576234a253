"""Scores of a method on held-out rows, by refits in folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from melm_core.evaluation import density_scores
from melm_core.methods import AUTO, GAMMA, SEED
from melm_studio.programs.models import Run
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import prepare, read_table


class FoldedScores(Struct, frozen=True):
    """Balanced accuracy of a method's class densities, by cross-validation.

    Attributes
    ----------
    held_out, standard_error, train : float
        Means over the folds, and the standard error of the first.
    n_folds : int
    notes : tuple of str
    """

    held_out: float
    standard_error: float
    train: float
    n_folds: int
    notes: tuple[str, ...]


def folded_scores(raw: bytes, source: Mapping[str, Any], run: Run, n_folds: int) -> FoldedScores:
    """Refit the method of a run in folds, which keep groups of rows together.

    Parameters
    ----------
    raw : bytes
        The file.
    source : mapping
        How it is prepared.
    run : Run
        Its method and parameters are refitted.
    n_folds : int
    """
    chosen = msgspec.convert(source, DataSource)
    data = prepare(read_table(raw, chosen.name), chosen.label)
    gamma = run.parameters[GAMMA.name]
    scores = density_scores(
        run.method,
        data.X,
        data.y,
        groups=data.groups,
        parameters=run.parameters,
        gamma=GAMMA.default if gamma == AUTO else gamma,
        n_folds=n_folds,
        random_state=run.parameters[SEED.name],
    )
    return FoldedScores(
        held_out=scores.held_out.balanced_accuracy,
        standard_error=scores.held_out.standard_error,
        train=scores.train.balanced_accuracy,
        n_folds=len(scores.held_out_confusions),
        notes=tuple(scores.notes),
    )

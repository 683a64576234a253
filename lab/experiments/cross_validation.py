"""Separability of held-out rows: the protocol of Table 2 of the MELM paper.

In every fold the plane is fitted to the training rows, with parameters that inner folds of these
rows select, and three tuned classifiers tell the held-out rows apart in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.model_selection import ParameterGrid

from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import fold_confusion
from melm_core.evaluation import Separability, Study
from melm_core.folds import Fold

N_FOLDS, _N_INNER_FOLDS = 5, 3

# An inner fold of fewer rows would leave one row of a class, and no estimator can be fitted to it.
_TUNABLE_CLASS_ROWS = 3

# Values of the parameters, and the study with them.
Candidate: TypeAlias = tuple[Mapping[str, Any], Study]


@dataclass(frozen=True, eq=False)
class HeldOutSeparability:
    """The separability of held-out rows, and the parameters of every fold.

    Attributes
    ----------
    separability : Separability
    fold_chosen : tuple of mapping
        Parameters selected by the training rows of each fold; empty if nothing is tuned.
    """

    separability: Separability
    fold_chosen: tuple[Mapping[str, Any], ...]


def held_out_separability(
    method: Any,
    X: FloatArray,
    y: IntArray,
    *,
    tune: Mapping[str, Sequence[Any]] | None = None,
    preparation: Any = None,
    random_state: int = 0,
) -> HeldOutSeparability:
    """Separability of held-out rows in planes that are refitted in every fold.

    Parameters
    ----------
    method : str or estimator
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    tune : mapping of str to sequence or None
        Candidate values of parameters, selected jointly by inner folds.
    preparation : Preparation or None
        See `melm_core.evaluation.Study`; rows are taken as independent.
    random_state : int
    """
    given: dict[str, Any] = {
        "groups": np.arange(len(y)),
        "preparation": preparation,
        "random_state": random_state,
    }
    candidates = [
        (chosen, Study(method, X, y, parameters=chosen, **given))
        for chosen in ParameterGrid(tune or {})
    ]
    parameters, confusions = [], []
    for fold in candidates[0][1].folds(N_FOLDS):
        chosen, study = _selected(candidates, fold.train)
        parameters.append(chosen)
        confusions.append(_confusion(study, fold))
    return HeldOutSeparability(of_folds(confusions, y), tuple(parameters))


def of_folds(confusions: Sequence[FloatArray], y: IntArray) -> Separability:
    """The separability of all rows, from the confusions of the classifiers in each fold."""
    return Separability(
        fold_confusions=np.stack(confusions),
        classes=np.unique(y),
        n_samples=len(y),
        n_scored=len(y),
    )


def _selected(candidates: Sequence[Candidate], rows: IntArray) -> Candidate:
    """The candidate with the best score in inner folds of some rows; the first of ties."""
    if len(candidates) == 1 or np.bincount(candidates[0][1].rows.y[rows]).min() < (
        _TUNABLE_CLASS_ROWS
    ):
        return candidates[0]
    return candidates[int(np.argmax([_inner_score(study.take(rows)) for _, study in candidates]))]


def _inner_score(study: Study) -> float:
    confusions = [_confusion(study, fold) for fold in study.folds(_N_INNER_FOLDS)]
    return float(np.mean([np.diagonal(own, axis1=-2, axis2=-1).mean() for own in confusions]))


def _confusion(study: Study, fold: Fold) -> FloatArray:
    Z, y = study.without(fold).transform(study.rows.X), study.rows.y
    return fold_confusion(Z[fold.train], y[fold.train], Z[fold.test], y[fold.test])

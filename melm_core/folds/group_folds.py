"""Stratified folds that keep the rows of a group together."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import IntArray
from melm_core.base.errors import UserError
from melm_core.base.groups import class_counts


def fold_of_groups(y: IntArray, groups: IntArray, n_folds: int, random_state: int) -> IntArray:
    """Assign rows to folds, equal for all rows of a group, shape (n_samples,).

    As scikit-learn's StratifiedGroupKFold, groups are distributed so that the
    classes are spread evenly. The number of folds is reduced until every fold
    contains every class, which StratifiedGroupKFold does not ensure.

    Parameters
    ----------
    y, groups : ndarray of shape (n_samples,)
        Class codes and groups; each class has rows of two groups or more.
    n_folds : int
    random_state : int

    Raises
    ------
    ValueError
        If not even two such folds exist.
    """
    counts = class_counts(y, groups)
    order = _large_groups_first(counts, random_state)
    most = min(n_folds, int((counts > 0).sum(axis=0).min()))
    for n_possible in range(most, 1, -1):
        folds, loads = _distributed(counts, order, n_possible)
        if (loads > 0).all():
            return folds[np.unique(groups, return_inverse=True)[1]]
    raise UserError(
        f"{len(counts)} groups cannot be divided into two folds that both contain every class. "
        "Add groups, or leave out the class with the fewest."
    )


def _large_groups_first(counts: IntArray, random_state: int) -> IntArray:
    shuffled = np.random.default_rng(random_state).permutation(len(counts))
    return shuffled[np.argsort(-counts[shuffled].sum(axis=1), kind="stable")]


def _distributed(counts: IntArray, order: IntArray, n_folds: int) -> tuple[IntArray, IntArray]:
    """Assign groups to folds; also count the rows of each fold and class.

    Each group joins the fold with the fewest rows of its classes, and of these
    the one with the fewest rows.
    """
    folds = np.zeros(len(counts), dtype=np.int64)
    loads = np.zeros((n_folds, counts.shape[1]), dtype=np.int64)
    ties = int(counts.sum()) + 1
    for group in order:
        cost = ties * (loads @ (counts[group] > 0)) + loads.sum(axis=1)
        folds[group] = cost.argmin()
        loads[folds[group]] += counts[group]
    return folds, loads

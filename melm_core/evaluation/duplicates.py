"""Rows that are in a table more than once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.utils.validation import check_X_y

from melm_core.base.array_types import FloatArray, IntArray

# Values that differ by less than about this share of the standard deviation of a feature are equal.
RESOLUTION = 1e-6

# Other rows come between near duplicates in the projection rarely: of a million rows with a hundred
# features, about three.
_N_NEXT = 16

_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class DuplicateRows:
    """Rows with equal values and equal label, as groups.

    Attributes
    ----------
    groups : ndarray of shape (n_samples,)
        Codes 0 .. n_distinct-1; equal for duplicates.
    n_repeats : int
        Number of rows that repeat an earlier row.
    n_classes : int
        Number of classes with such rows.

    Examples
    --------
    >>> from melm_core.evaluation import duplicate_rows
    >>> duplicate_rows([[1.0, 2.0], [1.0, 2.0], [0.0, 3.0]], ["a", "a", "b"]).n_repeats
    1
    """

    groups: IntArray
    n_repeats: int
    n_classes: int


def duplicate_rows(X: Any, y: Any, *, resolution: float = RESOLUTION) -> DuplicateRows:
    """Find exact and near duplicates among rows of the same label.

    Rows are near duplicates if they differ in no feature by more than `resolution`
    standard deviations, and so are rows that a chain of near duplicates connects. Rows
    are compared only with the next ones in the order of a random projection, in which
    near duplicates are neighbors, so that the time is nearly linear in the number of rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    resolution : float, default=1e-6
        The largest difference, as a share of the standard deviation of each feature.

    Returns
    -------
    DuplicateRows

    Raises
    ------
    ValueError
        If a value is missing or infinite.

    Examples
    --------
    >>> from melm_core.evaluation import duplicate_rows
    >>> found = duplicate_rows([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0 + 1e-9]], ["a", "b", "a"])
    >>> found.groups, found.n_repeats, found.n_classes
    (array([0, 1, 0]), 1, 1)
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    codes = pd.factorize(y)[0]
    spread = X.std(axis=0)
    tolerances = resolution * np.where(spread > 0, spread, 1.0)
    links = _links(X, codes, tolerances)
    ones = np.ones(links.shape[1])
    _, connected = connected_components(coo_array((ones, links), shape=(len(X), len(X))))
    groups, distinct = pd.factorize(connected)
    repeats = pd.Series(groups).duplicated().to_numpy()
    return DuplicateRows(
        groups=groups.astype(np.int64),
        n_repeats=len(groups) - len(distinct),
        n_classes=len(np.unique(codes[repeats])),
    )


def _links(X: FloatArray, codes: IntArray, tolerances: FloatArray) -> IntArray:
    """Pairs of rows that connect all near duplicates, shape (2, n_links)."""
    weights = np.random.default_rng(0).normal(size=X.shape[1])
    projected = (X - X.mean(axis=0)) @ (weights / tolerances)  # in tolerances
    reach = np.abs(weights).sum()  # near duplicates are at most so far from each other
    order = np.lexsort([projected, codes])
    links = []
    chain = np.arange(len(X))  # equal for places that the links so far connect
    for step in range(1, min(_N_NEXT, len(X) - 1) + 1):
        first, second = order[:-step], order[step:]
        is_open = (
            (projected[second] - projected[first] <= reach)
            & (codes[second] == codes[first])
            & (chain[step:] != chain[:-step])
        )
        at = np.flatnonzero(is_open)
        at = at[_are_near(X, first[at], second[at], tolerances)]
        links.append(np.stack([first[at], second[at]]))
        if step == 1:
            starts = np.ones(len(X), dtype=bool)
            starts[at + 1] = False
            chain = np.cumsum(starts)
    return np.concatenate(links, axis=1) if links else np.empty((2, 0), dtype=np.int64)


def _are_near(
    X: FloatArray, first: IntArray, second: IntArray, tolerances: FloatArray
) -> npt.NDArray[np.bool_]:
    """Whether each pair of rows differs in no feature by more than its tolerance."""
    size = max(1, _CELLS_AT_ONCE // X.shape[1])
    blocks = [slice(start, start + size) for start in range(0, len(first), size)]
    near = [
        (np.abs(X[first[block]] - X[second[block]]) <= tolerances).all(axis=1) for block in blocks
    ]
    return np.concatenate(near) if near else np.zeros(0, dtype=bool)

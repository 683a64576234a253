"""Rows that are in a table more than once, exactly or nearly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import digamma
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_X_y

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import codes_in_order

# Values that differ by less than about this share of the standard deviation of a feature are equal.
RESOLUTION = 1e-6

# Other rows come between near duplicates in the projection rarely: of a million rows with a hundred
# features, about three.
_N_NEXT = 16

_CELLS_AT_ONCE = 4_000_000

# Rows have so many neighbors to compare with; the nearer half may be doubles of the row itself.
_N_NEIGHBORS = 10
_FALSE_SHARE = 0.01  # of the rows found, and the chance to find any where there are none
_MOST_WORK = 2e9  # multiplications of the distances between rows, about a second
_MOST_COMPARED = 4_000  # rows
# Distances mean little of features with fewer values, such as categories: doubles agree in them.
_LEAST_LEVELS = 11
# Of neighbors on a lattice, as of rounded values, distances repeat and their ratios mean nothing.
_LEAST_DISTINCT_SHARE = 0.5


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
    >>> from melm_core.folds import duplicate_rows
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
    >>> from melm_core.folds import duplicate_rows
    >>> found = duplicate_rows([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0 + 1e-9]], ["a", "b", "a"])
    >>> found.groups, found.n_repeats, found.n_classes
    (array([0, 1, 0]), 1, 1)
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    codes = codes_in_order(y)
    spread = X.std(axis=0)
    tolerances = resolution * np.where(spread > 0, spread, 1.0)
    links = _links(X, codes, tolerances)
    ones = np.ones(links.shape[1])
    _, connected = connected_components(coo_array((ones, links), shape=(len(X), len(X))))
    groups = codes_in_order(connected)
    firsts = np.unique(groups, return_index=True)[1]
    repeats = np.delete(np.arange(len(X)), firsts)
    return DuplicateRows(
        groups=groups,
        n_repeats=len(repeats),
        n_classes=len(np.unique(codes[repeats])),
    )


def near_doubles(X: Any, y: Any) -> DuplicateRows | None:
    """Find rows that are far nearer to each other than rows of the table are, as repeats would be.

    Around a row, the distance to the nearest neighbor over that to the k-th has a known
    distribution: its power m, the dimension that the neighbors fill, is the least of k - 1 uniform
    numbers. m is estimated from the farther half of the neighbors, which hold no doubles. Rows
    whose ratio is improbably small, by Benjamini and Hochberg over all rows, are doubles of their
    nearest neighbor if they have its label, and its values of the features that have ten values
    or fewer, which the distances leave out. Equal rows count as one, so that rounded values alone
    make no doubles; of a large table, rows next to each other in a random projection are compared.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)

    Returns
    -------
    DuplicateRows or None
        Exact duplicates among them. None if no row has a near double.

    Raises
    ------
    ValueError
        If a value is missing or infinite.

    References
    ----------
    E. Levina, P. Bickel: Maximum Likelihood Estimation of Intrinsic Dimension, NIPS 2004.
    E. Facco, M. d'Errico, A. Rodriguez, A. Laio: Estimating the Intrinsic Dimension of Datasets by
    a Minimal Neighborhood Information, Scientific Reports 7, 2017.
    Y. Benjamini, Y. Hochberg: Controlling the False Discovery Rate, JRSS B 57, 1995.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import near_doubles
    >>> rng = np.random.default_rng(0)
    >>> once, y = rng.normal(size=(40, 4)), np.arange(40) % 2
    >>> near_doubles(once, y) is None
    True
    >>> twice = np.vstack([once, once + 0.001 * rng.normal(size=(40, 4))])
    >>> near_doubles(twice, np.tile(y, 2)).n_repeats
    40
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    spread = X.std(axis=0)
    is_measured = (np.diff(np.sort(X, axis=0), axis=0) > 0).sum(axis=0) >= _LEAST_LEVELS - 1
    scaled = X[:, is_measured] / spread[is_measured]
    others = X[:, ~is_measured]
    distinct = np.unique(duplicate_rows(X, y).groups, return_index=True)[1]
    rows = _compared(scaled, np.sort(distinct)) if scaled.size else distinct[:0]
    if len(rows) <= 2 * _N_NEIGHBORS:
        return None
    codes = codes_in_order(y)
    pairs = _improbably_near(scaled[rows], codes[rows])
    pairs = pairs[:, (others[rows[pairs[0]]] == others[rows[pairs[1]]]).all(axis=1)]
    if not pairs.shape[1]:
        return None
    gaps = np.abs(scaled[rows[pairs[0]]] - scaled[rows[pairs[1]]])
    return duplicate_rows(X, y, resolution=float(gaps.max()) * (1.0 + 1e-9))


def _compared(scaled: FloatArray, rows: IntArray) -> IntArray:
    """Return all rows or, of many, those in the middle of a random projection."""
    most = min(_MOST_COMPARED, int(np.sqrt(_MOST_WORK / scaled.shape[1])))
    if len(rows) <= most:
        return rows
    projected = scaled[rows] @ np.random.default_rng(0).normal(size=scaled.shape[1])
    start = (len(rows) - most) // 2
    return np.sort(rows[np.argsort(projected, kind="stable")[start : start + most]])


def _improbably_near(scaled: FloatArray, codes: IntArray) -> IntArray:
    """Return rows and their nearest neighbors of the same label, shape (2, n_found)."""
    k = _N_NEIGHBORS
    distances, neighbors = NearestNeighbors(n_neighbors=k).fit(scaled).kneighbors()
    half, far = distances[:, k // 2 - 1], distances[:, k - 1]
    spread_out = (far > half) & (half > 0)  # equal rows have no dimension
    if spread_out.mean() < _LEAST_DISTINCT_SHARE:
        return np.empty((2, 0), dtype=np.int64)
    # The dimension m, by E log(far / half) = (digamma(k) - digamma(k / 2)) / m.
    mean_log = np.log(far[spread_out] / half[spread_out]).mean()
    dimension = (digamma(k) - digamma(k // 2)) / mean_log
    ratios = distances[:, 0] / np.where(far > 0, far, 1.0)
    p_values = 1.0 - (1.0 - ratios**dimension) ** (k - 1)
    ranked = np.sort(p_values)
    passing = ranked <= _FALSE_SHARE * np.arange(1, len(ranked) + 1) / len(ranked)
    if not passing.any():
        return np.empty((2, 0), dtype=np.int64)
    nearest = neighbors[:, 0]
    is_double = (p_values <= ranked[passing].max()) & (codes == codes[nearest])
    return np.stack([np.flatnonzero(is_double), nearest[is_double]])


def _links(X: FloatArray, codes: IntArray, tolerances: FloatArray) -> IntArray:
    """Return pairs of rows that connect all near duplicates, shape (2, n_links)."""
    weights = np.random.default_rng(0).normal(size=X.shape[1])
    projected = (X - X.mean(axis=0)) @ (weights / tolerances)  # in tolerances
    reach = np.abs(weights).sum()  # near duplicates are at most so far from each other
    order = np.lexsort([projected, codes])
    projected, codes = projected[order], codes[order]
    links = []
    chain = np.arange(len(X))  # equal for places that the links so far connect
    for step in range(1, min(_N_NEXT, len(X) - 1) + 1):
        first, second = order[:-step], order[step:]
        is_in_reach = (projected[step:] - projected[:-step] <= reach) & (
            codes[step:] == codes[:-step]
        )
        if not is_in_reach.any():
            break  # nor are those that are further apart in the order
        places = np.flatnonzero(is_in_reach & (chain[step:] != chain[:-step]))
        places = places[_are_near(X, first[places], second[places], tolerances)]
        links.append(np.stack([first[places], second[places]]))
        if step == 1:
            starts = np.ones(len(X), dtype=bool)
            starts[places + 1] = False
            chain = np.cumsum(starts)
    return np.concatenate(links, axis=1) if links else np.empty((2, 0), dtype=np.int64)


def _are_near(
    X: FloatArray, first: IntArray, second: IntArray, tolerances: FloatArray
) -> npt.NDArray[np.bool_]:
    """Return whether each pair of rows differs in no feature by more than its tolerance."""
    size = max(1, _CELLS_AT_ONCE // X.shape[1])
    blocks = [slice(start, start + size) for start in range(0, len(first), size)]
    near = [
        (np.abs(X[first[block]] - X[second[block]]) <= tolerances).all(axis=1) for block in blocks
    ]
    return np.concatenate(near) if near else np.zeros(0, dtype=bool)

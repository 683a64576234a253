"""Rows that depend on each other: alike by order or by group, or in a table more than once.

Under the null hypothesis of the tests the rows of a class are exchangeable, so a statistic of their
order in the file, or of how a column divides them, is compared with that of the same rows permuted
within their class. Whether the classes differ plays no part, and neither does whether a file is
sorted by class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import digamma
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_X_y

from melm_core.answers import p_value
from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import codes_in_order
from melm_core.base.estimator import check_integer

N_PERMUTATIONS = 199

# With more features, the statistics are of this many leading principal scores.
_MOST_SCORES = 40
_MOST_CELLS = 2_000_000  # of the rows whose scores are computed
_MOST_ROWS = 4_000
_N_STRETCHES = 20  # of rows that follow each other, from a table of more rows

# A feature counts as what the file is sorted by if hardly any step goes the other way.
_SORTED_SHARE = 0.995
_LEAST_LEVELS = 10  # of fewer values, one says little of the order of the rows that share it
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
_LEVELS_OF_MEASURES = 11
# Of neighbors on a lattice, as of rounded values, distances repeat and their ratios mean nothing.
_LEAST_DISTINCT_SHARE = 0.5


def serial_dependence(
    X: object, y: object, *, n_permutations: int = N_PERMUTATIONS, random_state: int = 0
) -> float:
    """Compute the p-value that neighboring rows resemble each other, given their class.

    Of each feature, the lag-one serial correlation of the rows of a class in the order of the
    file, which is one less half of von Neumann's ratio, the mean squared successive difference
    over the variance; the statistic is the sum of the squares of the positive ones, so that a few
    features that drift are seen among many that do not. A feature by which the file is sorted says
    nothing of dependence: it is left out, and what it explains of the others is subtracted.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        In the order of the file.
    y : array-like of shape (n_samples,)
    n_permutations : int, default=199
    random_state : int, default=0

    Returns
    -------
    float
        At least 1 / (n_permutations + 1); 1 if nothing is left to compare.

    Raises
    ------
    ValueError
        If a value is missing or infinite, or `n_permutations` is not a positive integer.

    References
    ----------
    J. von Neumann: Distribution of the Ratio of the Mean Square Successive Difference to the
    Variance, Annals of Mathematical Statistics 12, 1941.
    A. Wald, J. Wolfowitz: An Exact Test for Randomness in the Non-Parametric Case Based on Serial
    Correlation, Annals of Mathematical Statistics 14, 1943.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import serial_dependence
    >>> walk = np.random.default_rng(0).normal(size=(60, 3)).cumsum(axis=0)
    >>> serial_dependence(walk, np.arange(60) % 2)
    0.005
    """
    check_integer("n_permutations", n_permutations, minimum=1)
    features, codes = _checked(X, y)
    rows = stretches(len(codes), features.shape[1])
    features, codes = features[rows], codes[rows]
    order = np.argsort(codes, kind="stable")
    scores = _scores(_without_sorting(features, codes), codes)[order]
    if not scores.shape[1]:
        return 1.0
    same = codes[order][1:] == codes[order][:-1]

    def statistic(rows: IntArray) -> float:
        placed = scores[rows]
        return _sum_of_positive_squares((placed[1:] * placed[:-1])[same].mean(axis=0))

    return _permuted_p_value(statistic, codes[order], n_permutations, random_state)


def group_dependence(
    X: object,
    y: object,
    groups: object,
    *,
    n_permutations: int = N_PERMUTATIONS,
    random_state: int = 0,
) -> float:
    """Compute the p-value that rows of a group resemble each other, given their class.

    Of each feature, how much of the variance within classes lies between the values of the column
    beyond what their number explains (the intraclass correlation, but for a constant); the
    statistic is the sum of the squares of the positive ones.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    groups : array-like of shape (n_samples,)
    n_permutations : int, default=199
    random_state : int, default=0

    Returns
    -------
    float
        At least 1 / (n_permutations + 1); 1 if nothing is left to compare.

    Raises
    ------
    ValueError
        If a value is missing or infinite, or `n_permutations` is not a positive integer.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import group_dependence
    >>> rng, subject = np.random.default_rng(0), np.arange(60) // 5
    >>> group_dependence(rng.normal(size=(12, 3))[subject], subject % 2, subject)
    0.005
    """
    check_integer("n_permutations", n_permutations, minimum=1)
    features, codes = _checked(X, y)
    rows = stretches(len(codes), features.shape[1])
    features, codes = features[rows], codes[rows]
    values = np.unique(np.asarray(groups)[rows], return_inverse=True)[1]
    order = np.lexsort([values, codes])
    scores = _scores(features, codes)[order]
    cells = codes[order] * len(codes) + values[order]  # of a group and a class, one after another
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    sizes = np.diff(starts, append=len(cells))
    n_pairs = float((sizes * (sizes - 1)).sum())
    if not n_pairs or not scores.shape[1]:
        return 1.0

    def statistic(rows: IntArray) -> float:
        sums = np.add.reduceat(scores[rows], starts)
        # The mean product of two rows of a cell: of all pairs, less each row with itself.
        return _sum_of_positive_squares(((sums**2).sum(axis=0) - len(cells)) / n_pairs)

    return _permuted_p_value(statistic, codes[order], n_permutations, random_state)


def dependence_length(X: object, y: object) -> int:
    """Count the neighboring rows over which features resemble each other, given the class.

    Twice the first lag at which the serial correlation has fallen to 1 / e, at least 2 and at most
    a tenth of the rows: rows further apart have next to nothing in common.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        In the order of the file.
    y : array-like of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import dependence_length
    >>> runs = np.repeat(np.random.default_rng(0).normal(size=(30, 2)), 5, axis=0)
    >>> dependence_length(runs, np.zeros(150))
    8
    """
    features, codes = _checked(X, y)
    rows = stretches(len(codes), features.shape[1])
    scores = _scores(_without_sorting(features[rows], codes[rows]), codes[rows])
    most = max(2, len(codes) // 20)
    first = None
    for lag in range(1, most):
        correlation = float((scores[lag:] * scores[:-lag]).mean())
        first = correlation if first is None else first
        if correlation <= first / np.e:
            return max(2, 2 * lag)
    return 2 * most


def share_owed_to_neighbors(
    X: object, y: object, n_rows: int, *, n_orders: int = 4, random_state: int = 0
) -> float:
    """Estimate how much of what features tell of classes is owed to neighboring rows of the file.

    Each row takes the class of its nearest neighbor that is at least `n_rows` away, in the file
    and in random orders of the rows of each class. By how much fewer rows it is right in the file
    is compared with how much more often than by chance it is right in random order: with 0,
    neighbors may be held out with the rows or not; with 1, nothing but neighbors tells the classes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        In the order of the file.
    y : array-like of shape (n_samples,)
    n_rows : int
        At least 1.
    n_orders : int, default=4
    random_state : int, default=0

    Returns
    -------
    float
        1 if features tell nothing of the classes in random order.

    Raises
    ------
    ValueError
        If a value is missing or infinite, or a number is not a positive integer.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import share_owed_to_neighbors
    >>> rng, y = np.random.default_rng(0), np.arange(120) // 10 % 2
    >>> drifting = rng.normal(size=(120, 3)).cumsum(axis=0)
    >>> told = rng.normal(size=(120, 3)) + 4 * y[:, np.newaxis]
    >>> share_owed_to_neighbors(drifting, y, 10) > 0.5, share_owed_to_neighbors(told, y, 10) < 0.1
    (True, True)
    """
    check_integer("n_rows", n_rows, minimum=1)
    check_integer("n_orders", n_orders, minimum=1)
    features, codes = _checked(X, y)
    rows = stretches(len(codes), features.shape[1])
    features, codes = features[rows], codes[rows]
    scores = _scores(features, np.zeros_like(codes))
    in_file, rng = np.arange(len(codes)), np.random.default_rng(random_state)
    by_class = np.argsort(codes, kind="stable")
    orders = np.tile(in_file, (1 + n_orders, 1))  # where each row stands
    for order in orders[1:]:
        order[by_class] = np.lexsort([rng.random(len(codes)), codes])
    shares = _shares_right(scores, codes, orders, n_rows)
    shares_of_classes = np.bincount(codes) / len(codes)
    gained = float(shares[1:].mean() - shares_of_classes @ shares_of_classes)
    return float(shares[1:].mean() - shares[0]) / gained if gained > 0 else 1.0


def _shares_right(scores: FloatArray, codes: IntArray, orders: IntArray, n_rows: int) -> FloatArray:
    """The share of rows with the class of the nearest that is so far away, in each order."""
    n_right = np.zeros(len(orders))
    squares = (scores**2).sum(axis=1)
    step = max(1, _CELLS_AT_ONCE // len(codes))
    for start in range(0, len(codes), step):
        some = slice(start, start + step)
        distances = squares - 2 * scores[some] @ scores.T  # but for what all of a row have
        for place, order in enumerate(orders):
            is_near = np.abs(order[some, np.newaxis] - order) < n_rows
            nearest = np.where(is_near, np.inf, distances).argmin(axis=1)
            n_right[place] += (codes[nearest] == codes[some]).sum()
    return n_right / len(codes)


def stretches(n_rows: int, n_features: int) -> IntArray:
    """Return indices of all rows or, of a large table, of stretches of consecutive rows.

    Examples
    --------
    >>> from melm_core.folds import stretches
    >>> len(stretches(1_000, 1)), len(stretches(1_000_000, 1))
    (1000, 4000)
    """
    most = min(_MOST_ROWS, max(_MOST_CELLS // n_features, 10 * _N_STRETCHES))
    if n_rows <= most:
        return np.arange(n_rows)
    starts = np.linspace(0, n_rows - most // _N_STRETCHES, _N_STRETCHES).astype(np.int64)
    return np.unique(starts[:, None] + np.arange(most // _N_STRETCHES))


def _checked(X: object, y: object) -> tuple[FloatArray, IntArray]:
    features, labels = check_X_y(X, y, dtype=np.float64)
    return features, np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _without_sorting(X: FloatArray, y: IntArray) -> FloatArray:
    """Drop features by which the file is sorted, and what these explain of others."""
    is_key = [_sorts(column, y) for column in X.T]
    if not any(is_key):
        return X
    keys = X[:, is_key]
    ranks = keys.argsort(axis=0, kind="stable").argsort(axis=0) / len(keys)
    parts = [keys, ranks, ranks**2, ranks**3, np.eye(int(y.max()) + 1)[y]]
    explaining = np.hstack(parts)
    rest = X[:, ~np.array(is_key)]
    spread = explaining.std(axis=0)
    explaining = explaining / np.where(spread > 0, spread, 1.0)
    return rest - explaining @ np.linalg.lstsq(explaining, rest, rcond=None)[0]


def _sorts(column: FloatArray, y: IntArray) -> bool:
    """Return whether the file, or each class of it, is in the order of a feature."""
    if len(np.unique(column)) < _LEAST_LEVELS:
        return False
    steps = np.diff(column)
    within = np.concatenate([np.diff(column[y == code]) for code in range(int(y.max()) + 1)])
    return any(
        (sign * taken >= 0).mean() >= _SORTED_SHARE for taken in (steps, within) for sign in (1, -1)
    )


def _scores(X: FloatArray, y: IntArray) -> FloatArray:
    """Subtract class means from features, or take principal scores, of variance 1."""
    present, y = np.unique(y, return_inverse=True)  # some rows may have none of a class
    centered = X - np.stack([X[y == code].mean(axis=0) for code in range(len(present))])[y]
    scale = X.std(axis=0)
    spread = centered.std(axis=0)
    varies = spread > 1e-9 * np.where(scale > 0, scale, 1.0)
    scores: FloatArray = centered[:, varies] / spread[varies]
    if scores.shape[1] > _MOST_SCORES:
        n_scores = min(_MOST_SCORES, len(scores) - 1)
        left, values, _ = randomized_svd(scores, n_scores, random_state=0)
        scores = left[:, values > 1e-9 * values[0]] * np.sqrt(len(left))
    return scores


def _sum_of_positive_squares(correlations: FloatArray) -> float:
    return float((np.maximum(correlations, 0.0) ** 2).sum())


def _permuted_p_value(
    statistic: Callable[[IntArray], float],
    codes: IntArray,
    n_permutations: int,
    random_state: int,
) -> float:
    """Compute the p-value of a statistic under permutations of sorted rows within classes."""
    rng = np.random.default_rng(random_state)
    rows = np.arange(len(codes))
    observed = statistic(rows) * (1.0 - 1e-9)  # sums round differently
    n_exceeding = 0
    for _ in range(n_permutations):
        n_exceeding += statistic(np.lexsort([rng.random(len(codes)), codes])) >= observed
    return p_value(n_exceeding, n_permutations)


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


def near_doubles(X: Any, y: Any, duplicates: DuplicateRows | None = None) -> DuplicateRows | None:
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
    duplicates : DuplicateRows, optional
        The equal rows, if they are known.

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
    is_measured = (np.diff(np.sort(X, axis=0), axis=0) > 0).sum(axis=0) >= _LEVELS_OF_MEASURES - 1
    scaled = X[:, is_measured] / spread[is_measured]
    others = X[:, ~is_measured]
    distinct = np.unique((duplicates or duplicate_rows(X, y)).groups, return_index=True)[1]
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

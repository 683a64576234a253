"""Do rows depend on each other, given their class? Tests of the features alone.

Under the null hypothesis the rows of a class are exchangeable, so a statistic of their order in the
file, or of how a column divides them, is compared with that of the same rows permuted within their
class. Whether the classes differ plays no part, and neither does whether a file is sorted by class.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_X_y

from melm_core.answers.sequential_p_value import p_value
from melm_core.base.array_types import FloatArray, IntArray
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
    stretches = _stretches(len(codes), features.shape[1])
    features, codes = features[stretches], codes[stretches]
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
    stretches = _stretches(len(codes), features.shape[1])
    features, codes = features[stretches], codes[stretches]
    order = np.argsort(codes, kind="stable")
    scores = _scores(features, codes)[order]
    values = np.unique(np.asarray(groups)[stretches][order], return_inverse=True)[1]
    cells = np.unique(values * (int(codes.max()) + 1) + codes[order], return_inverse=True)[1]
    sizes = np.bincount(cells)
    n_pairs = float((sizes * (sizes - 1)).sum())
    if not n_pairs or not scores.shape[1]:
        return 1.0

    def statistic(rows: IntArray) -> float:
        sums = np.zeros((len(sizes), scores.shape[1]))
        np.add.at(sums, cells, scores[rows])
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
    stretches = _stretches(len(codes), features.shape[1])
    scores = _scores(_without_sorting(features[stretches], codes[stretches]), codes[stretches])
    most = max(2, len(codes) // 20)
    first = None
    for lag in range(1, most):
        correlation = float((scores[lag:] * scores[:-lag]).mean())
        first = correlation if first is None else first
        if correlation <= first / np.e:
            return max(2, 2 * lag)
    return 2 * most


def _checked(X: object, y: object) -> tuple[FloatArray, IntArray]:
    features, labels = check_X_y(X, y, dtype=np.float64)
    return features, np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _stretches(n_rows: int, n_features: int) -> IntArray:
    """Return indices of all rows or, of a large table, of stretches of consecutive rows."""
    most = min(_MOST_ROWS, max(_MOST_CELLS // n_features, 10 * _N_STRETCHES))
    if n_rows <= most:
        return np.arange(n_rows)
    starts = np.linspace(0, n_rows - most // _N_STRETCHES, _N_STRETCHES).astype(np.int64)
    return np.unique(starts[:, None] + np.arange(most // _N_STRETCHES))


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
    centered = X - np.stack([X[y == code].mean(axis=0) for code in range(int(y.max()) + 1)])[y]
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

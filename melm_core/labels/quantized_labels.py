"""Labels that were made from the features: regions of them that leave no gap at their borders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.linalg import solve_triangular
from scipy.optimize import linear_sum_assignment, minimize
from scipy.spatial.distance import pdist
from scipy.special import log_ndtr, pdtr, softmax

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.folds.folds import sampled_rows

_MOST_ROWS, _LEAST_ROWS_OF_CLASS = 1_000, 3
_LEVEL = 0.1
_SAME, _SAME_AT_ALL = 0.95, 0.8  # rows in the region of their class
# Rows within so many standard deviations of a border. A Gaussian that is cut in half has .12 of its
# rows there, two Gaussians that overlap in .02 of their rows have .02.
_NEAR, _LEAST_NEAR = 0.25, 0.03
# Of so few rows hardly any would be in the wrong region anyway, so what counts is that the others
# stand as if cut off at the borders: by a gain in log likelihood of so much, and for each row.
_FEW_ROWS, _MOST_WRONG, _LEAST_GAIN, _GAIN_OF_ROW = 100, 0.02, 2.3, 0.06
_MOST_DEVIATIONS = 4.0  # of the rows, by which what was cut off may lie beyond or be wider
_TREES = ("ward", "complete", "average")
_RIDGE = 1e-9  # of standardized features, for columns that follow from others


def are_quantized(X: FloatArray, y: IntArray) -> bool:
    """Whether labels are regions of the features without a gap, as clusters of one Gaussian are.

    Gaussian classes that are so close leave some rows in the region of another class; how many is
    known from their densities. Clusters leave none: they cut rows apart where these are dense. Such
    are labels of k-means, of mixtures, and of trees by Ward's, complete or average linkage. Classes
    with a gap between them are not, whoever named them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int of shape (n_samples,)
        Codes of two or more classes, none of them empty.

    Returns
    -------
    bool
        False of classes of fewer than three rows. The fewer the rows, the more clusters are not
        recognized, since fewer rows would be in the wrong region anyway.

    Notes
    -----
    Rows in the region of another class are compared with a Poisson distribution, whose mean is the
    sum of their posterior probabilities of other classes, at a level of .1; of true classes that
    leave no gap, so many at most are taken for clusters. Up to 100 rows are also taken for clusters
    where Gaussians that are cut off at the borders fit how deep they lie far better than whole
    ones. The features are taken as they are,
    standardized, and as their covariances within classes scale them, since clusters are made of
    all. Trees are grown anew without the labels, of up to 1,000 rows; of more, a stratified sample
    is looked at, and no tree.

    References
    ----------
    Y. Liu, D. N. Hayes, A. Nobel, J. S. Marron: Statistical Significance of Clustering for
    High-Dimension, Low-Sample Size Data, Journal of the American Statistical Association 103, 2008,
    whose question this is, asked of labels that are given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from melm_core.labels import are_quantized
    >>> X = np.random.default_rng(0).standard_normal((150, 2))
    >>> are_quantized(X, KMeans(3, random_state=0, n_init=4).fit_predict(X))
    True
    >>> y = np.arange(150) % 3
    >>> are_quantized(X + 4.0 * np.eye(3)[y][:, :2], y)
    False
    """
    kept = sampled_rows(y, _MOST_ROWS, None)
    is_whole = len(kept) == len(y)
    X, y = X[kept], y[kept]
    X = X[:, np.ptp(X, axis=0) > 0]
    if y.max() < 1 or np.bincount(y).min() < _LEAST_ROWS_OF_CLASS or not X.shape[1]:
        return False
    X = X - X.mean(axis=0)
    tables = X / X.std(), X / X.std(axis=0)
    borders = list(_borders(tables, y))
    if any(one.cut_through(one.n_wrong, len(y)) for one in borders):
        return True
    # A tree has no densities of its own, so it is held to those of which the least is expected.
    least = min(borders, key=lambda one: one.n_expected)
    nearly = [one for one in borders if one.n_wrong <= (1.0 - _SAME_AT_ALL) * len(y)]
    few = [one for one in nearly if one.depth is not None and len(y) <= _FEW_ROWS]
    most_wrong = _MOST_WRONG * len(y)
    if any(one.n_wrong <= most_wrong and one.is_cut_off for one in few):
        return True
    is_cut_off = bool(few) and all(one.is_cut_off for one in few)
    may_be_tree = bool(nearly) and (is_cut_off or least.cut_through(0, len(y)))
    return (
        is_whole
        and may_be_tree
        and any(
            least.cut_through(n_wrong, len(y)) or (is_cut_off and n_wrong <= most_wrong)
            for n_wrong in _wrong_in_trees(tables, y)
        )
    )


@dataclass(frozen=True)
class _Borders:
    """Rows in the region of another class, how many are expected, and the share near a border.

    Of cells around means also how deep each row lies in its cell, and which cell that is.
    """

    n_wrong: int
    n_expected: float
    share_near: float
    depth: FloatArray | None = None
    cell: IntArray | None = None

    def cut_through(self, n_wrong: int, n_rows: int) -> bool:
        """Whether so few wrong rows are less than those of Gaussian classes that are so close."""
        return (
            n_wrong <= min((1.0 - _SAME) * n_rows, self.n_expected / 2.0)
            and self.share_near >= _LEAST_NEAR
            and bool(pdtr(n_wrong, self.n_expected) < _LEVEL)
        )

    @cached_property
    def is_cut_off(self) -> bool:
        """Whether rows stand as if what lay beyond the borders had been cut off."""
        if self.depth is None or self.cell is None or self.share_near < _LEAST_NEAR:
            return False
        gain = _gain_by_cutting(self.depth, self.cell)
        return gain > max(_LEAST_GAIN, _GAIN_OF_ROW * len(self.depth))


def _gain_by_cutting(depth: FloatArray, cell: IntArray) -> float:
    """By how much Gaussians cut off at 0 fit the depths better than whole ones, in log likelihood.

    Each cell has a mean of its own, all have one deviation.
    """
    counts = np.bincount(cell)
    present = np.maximum(counts, 1)
    means = np.bincount(cell, depth) / present
    deviation = float(np.sqrt(((depth - means[cell]) ** 2).mean() + _RIDGE))
    whole = -len(depth) * (np.log(deviation) + 0.5)

    def loss(point: FloatArray) -> tuple[float, FloatArray]:
        middle, log_scale = point[:-1], point[-1]
        scale = np.exp(log_scale)
        z, beyond = (depth - middle[cell]) / scale, log_ndtr(middle / scale)
        hazard = np.exp(-0.5 * (middle / scale) ** 2 - 0.5 * np.log(2.0 * np.pi) - beyond)
        value = -0.5 * (z**2).sum() - len(z) * log_scale - (counts * beyond).sum()
        of_means = (np.bincount(cell, z) - counts * hazard) / scale
        of_scale = (z**2 - 1.0).sum() + (counts * hazard * middle / scale).sum()
        return -float(value), -np.append(of_means, of_scale)

    least, widest = deviation / _MOST_DEVIATIONS, _MOST_DEVIATIONS * deviation
    bounds = [*[(-widest, None)] * len(means), (np.log(least), np.log(widest))]
    start = np.append(means, np.log(deviation))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return float(-found.fun - whole)


def _borders(tables: tuple[FloatArray, FloatArray], y: IntArray) -> Iterator[_Borders]:
    """Those of each kind of Gaussian classes that the rows suffice for."""
    for table in tables:
        cells = _cells(table, y)
        yield cells
    Z = tables[1]
    n_features, counts = Z.shape[1], np.bincount(y)
    own = [Z[y == code] - mean for code, mean in enumerate(_means(Z, y))]
    if len(y) - len(counts) >= n_features + 2:
        shared = sum(rows.T @ rows for rows in own) / (len(y) - len(counts))
        cells = _cells(_whitened(Z, shared)[0], y)
        yield cells
    if counts.min() >= n_features + 2:
        covariances = [rows.T @ rows / (len(rows) - 1) for rows in own]
        yield _regions(Z, y, covariances, cells.share_near)


def _cells(Z: FloatArray, y: IntArray) -> _Borders:
    """Of cells around the means; the variance is that of rows along the way to the next border."""
    rows, means = np.arange(len(y)), _means(Z, y)
    squares = (Z**2).sum(axis=1)[:, None] - 2.0 * Z @ means.T + (means**2).sum(axis=1)
    others = squares.copy()
    others[rows, y] = np.inf
    nearest = others.argmin(axis=1)
    apart = np.linalg.norm(means[nearest] - means[y], axis=1)
    depth = (others.min(axis=1) - squares[rows, y]) / (2.0 * np.where(apart > 0, apart, np.inf))
    within = depth - _means(depth[:, None], y)[y, 0]
    variance = (within**2).sum() / max(len(y) - len(means), 1) + _RIDGE
    is_near = np.abs(depth) < _NEAR * np.sqrt(variance)
    found = _of_scores(squares / (-2.0 * variance), y, float(is_near.mean()))
    cell = squares.argmin(axis=1)
    squares[rows, cell], own = np.inf, squares[rows, cell]
    way = np.linalg.norm(means[squares.argmin(axis=1)] - means[cell], axis=1)
    deep = (squares.min(axis=1) - own) / (2.0 * np.where(way > 0, way, np.inf))
    return replace(found, depth=deep, cell=cell)


def _regions(
    Z: FloatArray, y: IntArray, covariances: list[FloatArray], share_near: float
) -> _Borders:
    """Of Gaussians with covariances of their own, by their densities."""
    columns = []
    for mean, share, covariance in zip(
        _means(Z, y), np.bincount(y) / len(y), covariances, strict=True
    ):
        white, log_det = _whitened(Z - mean, covariance)
        columns.append(np.log(share) - 0.5 * ((white**2).sum(axis=1) + log_det))
    return _of_scores(np.column_stack(columns), y, share_near)


def _of_scores(scores: FloatArray, y: IntArray, share_near: float) -> _Borders:
    """Of log densities of shape (n_samples, n_classes)."""
    n_wrong = int((scores.argmax(axis=1) != y).sum())
    return _Borders(n_wrong, float((1.0 - softmax(scores, axis=1).max(axis=1)).sum()), share_near)


def _whitened(Z: FloatArray, covariance: FloatArray) -> tuple[FloatArray, float]:
    """Rows of unit covariance, and the log determinant of the given one."""
    factor = np.linalg.cholesky(covariance + _RIDGE * np.eye(len(covariance)))
    white = solve_triangular(factor, Z.T, lower=True).T
    return white, float(2.0 * np.log(np.diag(factor)).sum())


def _means(Z: FloatArray, y: IntArray) -> FloatArray:
    return np.stack([Z[y == code].mean(axis=0) for code in range(int(y.max()) + 1)])


def _wrong_in_trees(tables: tuple[FloatArray, FloatArray], y: IntArray) -> Iterator[int]:
    """Rows that clusters of as many branches leave out, matched with the classes."""
    n_classes = int(y.max()) + 1
    for table in tables:
        distances = pdist(table)
        for method in _TREES:
            branches = fcluster(linkage(distances, method), n_classes, "maxclust") - 1
            counts = np.zeros((n_classes, n_classes), dtype=np.int64)
            np.add.at(counts, (y, branches), 1)
            yield len(y) - int(counts[linear_sum_assignment(-counts)].sum())

"""Labels that were made from the features: clusters of one Gaussian, which no gap sets apart."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.cluster.vq import kmeans2
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import pdist
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.covariances import ledoit_wolf_share
from melm_core.folds.folds import sampled_rows
from melm_core.linalg.row_space import row_space

_MOST_ROWS, _MOST_ROWS_OF_TREE, _LEAST_ROWS_OF_CLASS = 300, 1_000, 3
_SAME = 0.95  # rows that a clustering would leave where they are
_LEAST_DRAWS, _MOST_DRAWS, _ROWS_DRAWN = 20, 80, 20_000  # tables of a kind, and rows of all
_LEAST_CLUSTERED = 10  # tables that fell into as many clusters as there are classes
# In standard deviations of what is drawn: beyond classes; short of clusters, and how far beyond
# classes what is less like clusters must be; short of them at first sight; apart as by a gap.
_UNLIKE_CLASSES, _LIKE_CLUSTERS, _ODD, _FAR, _GAP = 1.3, 2.0, 2.0, 5.0, 6.0
_LEVEL = 0.05  # of classes that are taken for mixtures
_SHRINKAGE = 0.5  # of the covariance of the statistics, as there are few draws
# How much of Ledoit and Wolf's share: with all of it axes are too alike where some are long.
_SHRUNK = (1.0, 0.5)
_ROWS_OF_AXIS = 3  # for a covariance that is not shrunk
_QUANTILES = (0.0, 0.1, 0.25, 0.75, 0.95)
_ROUNDS = 20  # of k-means
_TREES = ("ward", "complete", "average")
_RIDGE = 1e-9  # of standardized features, for columns that follow from others

_Clustering = Callable[[FloatArray, int, np.random.Generator], IntArray]


def are_quantized(X: FloatArray, y: IntArray) -> bool:
    """Return whether labels look like clusters of one Gaussian, regions of it without a gap.

    Clusters cut rows apart where these are dense, and leave none in the region of another. Gaussian
    classes that are so close leave some there, and classes with a gap between them are farther
    apart than a clustering of one Gaussian gets. Looked for are labels of k-means, of mixtures, and
    of trees by Ward's, complete or average linkage.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int of shape (n_samples,)
        Codes of two or more classes, none of them empty.

    Returns
    -------
    bool
        False of classes of fewer than three rows.

    Notes
    -----
    Where k-means or a tree would leave 95 % of the rows where they are, tables are drawn from one
    Gaussian with the covariance of the rows and clustered, and others from Gaussian classes as far
    apart as these. What is compared is how far classes are apart, and how deep in their cells rows
    lie, also less their own part in the means, which is large of many features. Labels are taken
    for clusters that are within two standard deviations of the first kind and more than 1.3 from
    the second, or, where each class has rows for a shape of its own, farther from both, along the
    direction that tells them best. Of a mixture's labels the rows in their own region are counted,
    more than in 95 % of tables of classes. Features are taken as they are, and standardized. Of
    more than 300 rows a stratified sample is looked at; a tree needs all rows, and is grown of up
    to 1,000.

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
    is_whole = len(y) <= _MOST_ROWS_OF_TREE
    sample = sampled_rows(y, _MOST_ROWS_OF_TREE, None)
    X, y = X[sample], y[sample]
    X = X[:, np.ptp(X, axis=0) > 0]
    if y.max() < 1 or np.bincount(y).min() < _LEAST_ROWS_OF_CLASS or not X.shape[1]:
        return False
    X = X - X.mean(axis=0)
    tables = X / X.std(), X / X.std(axis=0)
    return any(_is_clustered(table, y, is_whole) for table in tables) or _is_mixture(tables[1], y)


def _is_clustered(X: FloatArray, y: IntArray, is_whole: bool) -> bool:
    """Return whether labels are those of a clustering that would leave rows where they are."""
    drawn = sampled_rows(y, _MOST_ROWS, None)
    if np.bincount(y[drawn]).min() < _LEAST_ROWS_OF_CLASS:
        return False
    n_features, stream = X.shape[1], np.random.default_rng(0)
    sample = row_space(X[drawn] - X[drawn].mean(axis=0), 1).rows, y[drawn]
    all_rows = row_space(X, 1).rows, y
    if _has_gap(*sample, n_features, stream):
        return False
    if _stays_in_cells(*sample) and _is_drawn_by(_k_means, *sample, n_features, stream):
        return True
    trees = _possible_trees(*all_rows) if is_whole else ()
    return any(_is_drawn_by(tree, *all_rows, n_features, stream) for tree in trees)


def _stays_in_cells(X: FloatArray, y: IntArray) -> bool:
    return bool((_squares(X, _means(X, y)).argmin(axis=1) == y).mean() >= _SAME)


def _possible_trees(X: FloatArray, y: IntArray) -> Iterator[_Clustering]:
    distances, n_classes = pdist(X), int(y.max()) + 1
    trees = [_Tree(method) for method in _TREES]
    return (tree for tree in trees if _agreement(y, tree.cut(distances, n_classes)) >= _SAME)


def _has_gap(X: FloatArray, y: IntArray, n_features: int, stream: np.random.Generator) -> bool:
    """Return whether classes are so far apart that no clustering of one Gaussian comes near."""
    normal, separations = _Normal.of(X, n_features), []
    for _ in range(_LEAST_CLUSTERED):
        rows = normal.draw(len(y), stream)
        labels = _k_means(rows, int(y.max()) + 1, stream)
        separations.append(_statistics(rows, labels)[0] if np.bincount(labels).min() > 1 else 0.0)
    return bool(_statistics(X, y)[0] > np.max(separations) + _GAP * np.std(separations))


def _k_means(X: FloatArray, n_classes: int, stream: np.random.Generator) -> IntArray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of empty clusters
        _, labels = kmeans2(X, n_classes, _ROUNDS, minit="++", seed=stream)  # rng from 1.15 on
    return np.asarray(labels, dtype=np.int64)


@dataclass(frozen=True)
class _Tree:
    """The branches of a tree of rows."""

    method: str

    def cut(self, distances: FloatArray, n_classes: int) -> IntArray:
        branches: IntArray = fcluster(linkage(distances, self.method), n_classes, "maxclust") - 1
        return branches

    def __call__(self, X: FloatArray, n_classes: int, _: np.random.Generator) -> IntArray:
        return self.cut(pdist(X), n_classes)


def _agreement(y: IntArray, z: IntArray) -> float:
    """The share of rows in matched classes."""
    counts = np.zeros((int(y.max()) + 1, int(z.max()) + 1), dtype=np.int64)
    np.add.at(counts, (y, z), 1)
    return float(counts[linear_sum_assignment(-counts)].sum() / len(y))


def _have_shapes(X: FloatArray, y: IntArray) -> bool:
    """Return whether rows suffice for a covariance of each class."""
    return bool(np.bincount(y).min() >= X.shape[1] + 2)


def _is_mixture(X: FloatArray, y: IntArray) -> bool:
    """Return whether as many rows as of mixtures, and more than of classes, are in their region."""
    sample = sampled_rows(y, _MOST_ROWS, None)
    X, y, stream, n_classes = X[sample], y[sample], np.random.default_rng(0), int(y.max()) + 1
    if not _have_shapes(X, y) or (observed := _in_regions(X, y))[0] < _SAME:
        return False
    each, normal = _Classes.of(X, y, X.shape[1]), _Normal.of(X, X.shape[1])
    n_alike = 0
    for _ in range(_MOST_DRAWS):
        n_alike += int(_in_regions(each.draw(y, stream), y)[0] >= observed[0])
        if n_alike > _LEVEL * _MOST_DRAWS:
            return False
    clusters = list[FloatArray]()
    for _ in range(_LEAST_DRAWS):
        rows = normal.draw(len(y), stream)
        model = GaussianMixture(n_classes, random_state=int(stream.integers(2**31)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = model.fit_predict(rows)
        if np.bincount(labels, minlength=n_classes).min() >= X.shape[1] + 2:
            clusters.append(_in_regions(rows, labels))
    if len(clusters) < _LEAST_CLUSTERED:
        return False
    least = np.mean(clusters, axis=0) - _LIKE_CLUSTERS * np.std(clusters, axis=0) - _RIDGE
    return bool((observed > least).all())


def _in_regions(X: FloatArray, y: IntArray) -> FloatArray:
    """The share of rows in the region of their class, and of those that densities leave in doubt.

    Of Gaussians that are shaped each in its own way.
    """
    scores = []
    for code, mean in enumerate(_means(X, y)):
        members = X[y == code]
        covariance = np.atleast_2d(np.cov(members.T)) + _RIDGE * np.eye(X.shape[1])
        offsets = X - mean
        lengths = (offsets * np.linalg.solve(covariance, offsets.T).T).sum(axis=1)
        scores.append(np.log(len(members)) - 0.5 * (lengths + np.linalg.slogdet(covariance)[1]))
    doubts = 1.0 - softmax(scores, axis=0).max(axis=0)
    return np.array([(np.argmax(scores, axis=0) == y).mean(), doubts.mean()])


def _is_drawn_by(
    how: _Clustering, X: FloatArray, y: IntArray, n_features: int, stream: np.random.Generator
) -> bool:
    """Return whether labels are like clusters of one Gaussian, and unlike Gaussian classes."""
    n_rows, n_classes = len(y), int(y.max()) + 1
    wholes = [_Normal.of(X, n_features, shrunk) for shrunk in _SHRUNK]
    each = _Classes.of(X, y, n_features)
    of_labels = partial(_statistics_beside, how, stream)
    observed, clusters, classes = of_labels(X, y), list[FloatArray](), list[FloatArray]()
    for n_drawn in (_LEAST_DRAWS, int(np.clip(_ROWS_DRAWN // n_rows, _LEAST_DRAWS, _MOST_DRAWS))):
        while len(classes) < n_drawn:
            rows = wholes[len(classes) % len(wholes)].draw(n_rows, stream)
            labels = how(rows, n_classes, stream)
            if np.bincount(labels, minlength=n_classes).min() > 1:
                clusters.append(of_labels(rows, labels))
            classes.append(of_labels(each.draw(y, stream), y))
        if len(clusters) < _LEAST_CLUSTERED:
            return False
        unlike, like = _places(observed, np.stack(clusters), np.stack(classes))
        if like < -_FAR:
            return False
    # What hardly any classes are is rather odd clusters: a clustering finds gaps that rows have.
    # Classes drawn in one shape for all are unlike those of a table for that reason, too.
    odd = 2.0 * (unlike - _ODD) if len(each.shapes) > 1 else 0.0
    return unlike > _UNLIKE_CLASSES and like > -max(_LIKE_CLUSTERS, odd)


def _statistics_beside(
    how: _Clustering, stream: np.random.Generator, X: FloatArray, y: IntArray
) -> FloatArray:
    """Those of labels, and how well a clustering like theirs reproduces them."""
    statistics = _statistics(X, y)
    if how is _k_means:  # of many features each start gives other clusters
        return statistics
    return np.append(statistics, _agreement(y, how(X, int(y.max()) + 1, stream)))


def _places(observed: FloatArray, clusters: FloatArray, classes: FloatArray) -> tuple[float, float]:
    """Along the way from classes to clusters, in standard deviations from either of them."""
    covariance = np.cov(clusters.T) + np.cov(classes.T)
    variances = np.diag(covariance) + _RIDGE
    covariance = (1.0 - _SHRINKAGE) * covariance + _SHRINKAGE * np.diag(variances)
    way = np.linalg.solve(covariance, clusters.mean(axis=0) - classes.mean(axis=0))
    places = [
        (observed @ way - (drawn @ way).mean()) / ((drawn @ way).std() + _RIDGE)
        for drawn in (classes, clusters)
    ]
    return float(places[0]), float(places[1])


@dataclass(frozen=True)
class _Normal:
    """One Gaussian about 0, with the covariance of rows, which Ledoit and Wolf's rule may shrink.

    `basis` has its axes in the coordinates of the rows; along further ones it is round.
    """

    basis: FloatArray
    deviations: FloatArray
    rest: float
    n_rest: int

    @classmethod
    def of(cls, offsets: FloatArray, n_features: int, shrunk: float = 1.0) -> Self:
        n_rows, n_axes = offsets.shape
        variances, basis = np.linalg.eigh(offsets.T @ offsets / n_rows)
        share = shrunk * ledoit_wolf_share(offsets, n_features)
        rest = share * variances.sum() / n_features
        deviations = np.sqrt((1.0 - share) * np.maximum(variances, 0.0) + rest)
        return cls(basis, deviations, float(np.sqrt(rest)), n_features - n_axes)

    def draw(self, n_rows: int, stream: np.random.Generator) -> FloatArray:
        """Rows in their coordinates and, of further axes, in as many as hold them."""
        rows = stream.standard_normal((n_rows, len(self.basis))) * self.deviations
        if self.n_rest <= n_rows:
            rest = stream.standard_normal((n_rows, self.n_rest))
        else:  # by Bartlett's decomposition
            rest = np.tril(stream.standard_normal((n_rows, n_rows)), -1)
            np.fill_diagonal(rest, np.sqrt(stream.chisquare(self.n_rest - np.arange(n_rows))))
        return np.hstack([rows @ self.basis.T, self.rest * rest])


@dataclass(frozen=True)
class _Classes:
    """Gaussian classes as far apart as those of a table, of one shape where rows are too few."""

    means: FloatArray
    shapes: tuple[_Normal, ...]

    @classmethod
    def of(cls, X: FloatArray, y: IntArray, n_features: int) -> Self:
        means, counts = _means(X, y), np.bincount(y)
        n_classes = len(counts)
        within = (X - means[y]) * np.sqrt(len(y) / (len(y) - n_classes))
        between = (counts @ (means**2).sum(axis=1)) / (n_classes - 1)
        # Means of rows without classes are apart by chance.
        means = means * np.sqrt(max(0.0, 1.0 - (within**2).sum() / len(y) / between))
        parts = [within[y == code] for code in range(n_classes)] if _have_shapes(X, y) else [within]
        # A feature that hardly varies within classes is a gap between them, unless it is shrunk.
        shrunk = float(len(parts) == 1 and len(y) < _ROWS_OF_AXIS * n_features)
        shapes = [_Normal.of(part, n_features, shrunk) for part in parts]
        return cls(means, tuple(shapes))

    def draw(self, y: IntArray, stream: np.random.Generator) -> FloatArray:
        rows = self.shapes[0].draw(len(y), stream)
        for code, shape in enumerate(self.shapes[1:], 1):
            rows[y == code] = shape.draw(int((y == code).sum()), stream)
        rows[:, : self.means.shape[1]] += self.means[y]
        return rows


def _statistics(X: FloatArray, y: IntArray) -> FloatArray:
    """Return distances between classes, and depths of rows in their cells.

    Once as they lie, and once less their own part in the means.
    """
    X = X - X.mean(axis=0)
    rows, counts, means = np.arange(len(y)), np.bincount(y), _means(X, y)
    squares = _squares(X, means)
    others = squares.copy()
    others[rows, y] = np.inf
    nearest = others.argmin(axis=1)
    apart = 2.0 * np.linalg.norm(means[nearest] - means[y], axis=1) + _RIDGE
    to_own, other = squares[rows, y], others.min(axis=1)
    without = to_own * counts[y] / (counts[y] - 1), other * counts[nearest] / (counts[nearest] + 1)
    total = (X**2).sum()
    values = [counts @ (means**2).sum(axis=1) / total, counts.std() / len(y)]
    for depth in ((other - to_own) / apart, (without[1] - without[0]) / apart):
        around = depth - (np.bincount(y, depth) / counts)[y]
        deviation = around.std() + _RIDGE
        values += [(depth < 0).mean(), depth.mean() / deviation, deviation / np.sqrt(total)]
        values += [(around**3).mean() / deviation**3, *np.quantile(depth, _QUANTILES) / deviation]
    return np.array(values)


def _squares(X: FloatArray, means: FloatArray) -> FloatArray:
    """Squared distances from the means."""
    squares: FloatArray = (X**2).sum(axis=1)[:, None] - 2.0 * X @ means.T + (means**2).sum(axis=1)
    return squares


def _means(X: FloatArray, y: IntArray) -> FloatArray:
    return np.stack([X[y == code].mean(axis=0) for code in range(int(y.max()) + 1)])

"""Labels that were made from the features: clusters of one Gaussian, which no gap sets apart."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import pdist, squareform
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.covariances import ledoit_wolf_share
from melm_core.folds.folds import sampled_rows
from melm_core.linalg.smaller_tables import row_coordinates

_MOST_ROWS, _MOST_ROWS_OF_TREE, _LEAST_ROWS_OF_CLASS = 300, 1_000, 3
# For each class on average. Of fewer, half of the tables with real classes look like clusters, too.
_LEAST_ROWS = 6
# Of more features than rows. Of fewer, clusters are recognized no more often than noise is taken
# for such.
_LEAST_ROWS_OF_WIDE = 10
_SAME = 0.95  # rows that a clustering would leave where they are
_LEAST_DRAWS, _MOST_DRAWS, _ROWS_DRAWN = 20, 80, 20_000  # tables of a kind, and rows of all
_LEAST_CLUSTERED = 10  # tables that fell into as many clusters as there are classes
# In standard deviations of what is drawn: beyond classes; short of clusters, and how far beyond
# classes what is less like clusters must be; at first sight how much shorter, and short whatever
# they are; apart as by a gap.
_UNLIKE_CLASSES, _LIKE_CLUSTERS, _ODD, _SHORTER, _FAR, _GAP = 1.3, 2.0, 2.0, 1.5, 5.0, 6.0
_LEVEL = 0.05  # of classes that are taken for mixtures
_SHRINKAGE = 0.5  # of the covariance of the statistics, as there are few draws
# How much of Ledoit and Wolf's share: with all of it axes are too alike where some are long.
_SHRUNK = (1.0, 0.5)
_ROWS_OF_AXIS = 3  # for a covariance that is not shrunk
_QUANTILES = (0.0, 0.1, 0.25, 0.75, 0.95)
_ROUNDS = 20  # of k-means
_CELLS_AT_ONCE = 100_000  # of drawn tables whose statistics are taken at once
_TREES = ("ward", "complete", "average")
_RIDGE = 1e-9  # of standardized features, for columns that follow from others

_Clustering = Callable[[FloatArray, int, np.random.Generator], IntArray]
_Labeled: TypeAlias = tuple[FloatArray, IntArray]  # rows, and the class of each


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
        False of classes of fewer than three rows, and of fewer than six on average, or ten where
        features are more than rows.

    Notes
    -----
    Where k-means or a tree would leave 95 % of the rows where they are, and most of each class,
    tables are drawn from one Gaussian with the covariance of the rows and clustered, and others
    from Gaussian classes as far apart as these. What is compared is how far classes are apart, and
    how deep in their cells rows lie, also less their own part in the means, which is large of many
    features. Labels are taken for clusters that are within two standard deviations of the first
    kind and more than 1.3 from the second, or, where each class has rows for a shape of its own,
    farther from both, along the direction that tells them best. Of a mixture's labels the rows in
    their own region are counted, more than in 95 % of tables of classes. Features are taken as they
    are, and standardized. Of more than 300 rows a stratified sample is looked at; a tree needs all
    rows, and is grown of up to 1,000.

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
    sizes = np.bincount(y)
    least = _LEAST_ROWS if X.shape[1] <= len(y) else _LEAST_ROWS_OF_WIDE
    are_few = sizes.min() < _LEAST_ROWS_OF_CLASS or sizes.mean() < least
    if len(sizes) < 2 or are_few or not X.shape[1]:
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
    rows = row_coordinates(X)
    is_all = len(drawn) == len(y)
    sample = rows if is_all else row_coordinates(X[drawn] - X[drawn].mean(axis=0)), y[drawn]
    is_in_cells = _stays_in_cells(*sample)
    trees = [*_possible_trees(rows, y)] if is_whole else []
    if not (is_in_cells or trees) or _has_gap(*sample, n_features, stream):
        return False
    if is_in_cells and _is_drawn_by(_k_means, *sample, n_features, stream):
        return True
    return any(_is_drawn_by(tree, rows, y, n_features, stream) for tree in trees)


def _stays_in_cells(X: FloatArray, y: IntArray) -> bool:
    stays = _squares(X, _means(X, y)).argmin(axis=1) == y
    are_cells = np.bincount(y, stays) > np.bincount(y) / 2  # also of a class of few rows
    return bool(stays.mean() >= _SAME and are_cells.all())


def _possible_trees(X: FloatArray, y: IntArray) -> Iterator[_Clustering]:
    distances, n_classes = pdist(X), int(y.max()) + 1
    if _n_torn(distances, y) > n_classes - 1 + (1.0 - _SAME) * len(y):
        return iter(())
    trees = [_Tree(method) for method in _TREES]
    return (tree for tree in trees if _are_branches(y, tree.cut(distances, n_classes)))


def _are_branches(y: IntArray, z: IntArray) -> bool:
    matched = _n_matched(y, z)  # also most rows of a class of few
    return bool(matched.sum() >= _SAME * len(y) and (matched > np.bincount(y) / 2).all())


def _n_torn(distances: FloatArray, y: IntArray) -> int:
    """Count pairs of rows of two classes that are nearest to each other.

    Each tree joins such pairs before all else, and a cut undoes one join for each further branch.
    """
    square = squareform(distances) + np.diag(np.full(len(y), np.inf))
    first, second = np.partition(square, 1, axis=1)[:, :2].T
    nearest = np.where(first < second, square.argmin(axis=1), np.arange(len(y)))
    are_nearest = nearest[nearest] == np.arange(len(y))
    return int(np.count_nonzero(are_nearest & (y != y[nearest]))) // 2


def _has_gap(X: FloatArray, y: IntArray, n_features: int, stream: np.random.Generator) -> bool:
    """Return whether classes are so far apart that no clustering of one Gaussian comes near."""
    normal, n_classes = _Normal.of(X, n_features, 1), int(y.max()) + 1
    clustered: list[_Labeled] = []
    for _ in range(_LEAST_CLUSTERED):
        rows = normal.draw(len(y), stream)
        labels = _k_means(rows, n_classes, stream)
        if np.bincount(labels, minlength=n_classes).min() > 1:
            clustered.append((rows, labels))
    separations = np.zeros(_LEAST_CLUSTERED)
    separations[: len(clustered)] = [
        statistic[0] for statistic in _statistics_beside(_k_means, stream, clustered)
    ]
    return bool(_statistics([(X, y)])[0, 0] > np.max(separations) + _GAP * np.std(separations))


def _k_means(X: FloatArray, n_classes: int, stream: np.random.Generator) -> IntArray:
    means, labels = X[[stream.integers(len(X))]], np.full(len(X), -1)
    while len(means) < n_classes:  # a further start is likelier the farther it is, as of k-means++
        shares = np.maximum(_squares(X, means).min(axis=1), 0.0).cumsum()
        means = np.vstack([means, X[np.searchsorted(shares, stream.random() * shares[-1])]])
    for _ in range(_ROUNDS):  # of which rows stay after a few
        before, labels = labels, _squares(X, means).argmin(axis=1)
        if (labels == before).all():
            break
        is_member = labels == np.arange(n_classes)[:, None]
        sizes = is_member.sum(axis=1, keepdims=True)
        means = np.where(sizes > 0, is_member @ X / np.maximum(sizes, 1), means)
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


def _n_matched(y: IntArray, z: IntArray) -> IntArray:
    """Count the rows of each class in the cluster that is matched with it."""
    counts = np.zeros((int(y.max()) + 1, int(z.max()) + 1), dtype=np.int64)
    np.add.at(counts, (y, z), 1)
    classes, clusters = linear_sum_assignment(-counts)
    matched = np.zeros(len(counts), dtype=np.int64)
    matched[classes] = counts[classes, clusters]
    return matched


def _agreement(y: IntArray, z: IntArray) -> float:
    """The share of rows in matched classes."""
    return float(_n_matched(y, z).sum() / len(y))


def _have_shapes(X: FloatArray, y: IntArray) -> bool:
    """Return whether rows suffice for a covariance of each class."""
    return bool(np.bincount(y).min() >= X.shape[1] + 2)


def _is_mixture(X: FloatArray, y: IntArray) -> bool:
    """Return whether as many rows as of mixtures, and more than of classes, are in their region."""
    sample = sampled_rows(y, _MOST_ROWS, None)
    X, y, stream, n_classes = X[sample], y[sample], np.random.default_rng(0), int(y.max()) + 1
    if not _have_shapes(X, y) or (observed := _in_regions(X, y))[0] < _SAME:
        return False
    each, normal = _Classes.of(X, y, X.shape[1]), _Normal.of(X, X.shape[1], 1)
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
    wholes = [_Normal.of(X, n_features, 1, shrunk) for shrunk in _SHRUNK]
    each = _Classes.of(X, y, n_features)
    (observed,) = _statistics_beside(how, stream, [(X, y)])
    clusters, classes = list[FloatArray](), list[FloatArray]()
    for n_drawn in (_LEAST_DRAWS, int(np.clip(_ROWS_DRAWN // n_rows, _LEAST_DRAWS, _MOST_DRAWS))):
        clustered, classed = list[_Labeled](), list[_Labeled]()
        for index in range(len(classes), n_drawn):
            rows = wholes[index % len(wholes)].draw(n_rows, stream)
            labels = how(rows, n_classes, stream)
            if np.bincount(labels, minlength=n_classes).min() > 1:
                clustered.append((rows, labels))
            classed.append((each.draw(y, stream), y))
        clusters += _statistics_beside(how, stream, clustered)
        classes += _statistics_beside(how, stream, classed)
        if len(clusters) < _LEAST_CLUSTERED:
            return False
        unlike, like = _places(observed, np.stack(clusters), np.stack(classes))
        # What hardly any classes are is rather odd clusters, which have gaps where rows have some.
        # Classes drawn in one shape for all are unlike those of a table for that reason, too.
        odd = 2.0 * (unlike - _ODD) if len(each.shapes) > 1 else 0.0
        least = -max(_LIKE_CLUSTERS, odd)
        # Further tables would not change what is so far off.
        if like < max(least - _SHORTER, -_FAR) or unlike < 0.0:
            return False
    return unlike > _UNLIKE_CLASSES and like > least


def _statistics_beside(
    how: _Clustering, stream: np.random.Generator, tables: Sequence[_Labeled]
) -> list[FloatArray]:
    """Those of labels, and how well a clustering like theirs reproduces them."""
    step = max(1, _CELLS_AT_ONCE // max((X.size for X, _ in tables), default=1))
    blocks = (tables[start : start + step] for start in range(0, len(tables), step))
    statistics = [statistic for block in blocks for statistic in _statistics(block)]
    if how is _k_means:  # of many features each start gives other clusters
        return statistics
    return [
        np.append(statistic, _agreement(y, how(X, int(y.max()) + 1, stream)))
        for statistic, (X, y) in zip(statistics, tables, strict=True)
    ]


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
    def of(cls, offsets: FloatArray, n_features: int, n_means: int, shrunk: float = 1.0) -> Self:
        """Of rows less their mean, or less those of several classes."""
        n_rows, n_axes = offsets.shape
        variances, basis = np.linalg.eigh(offsets.T @ offsets / n_rows)
        # Few rows lie so evenly about their means that the rule finds axes where there are none.
        share = ledoit_wolf_share(offsets, n_features) * n_rows / max(n_rows - n_means - 1, 1)
        share = shrunk * min(share, 1.0)
        rest = share * variances.sum() / n_features
        deviations = np.sqrt((1.0 - share) * np.maximum(variances, 0.0) + rest)
        return cls(basis, deviations, float(np.sqrt(rest)), n_features - n_axes)

    def draw(self, n_rows: int, stream: np.random.Generator) -> FloatArray:
        """Rows in their coordinates and, of further axes, in as many as hold them."""
        return self.beside(_round(n_rows, self.n_rest, stream), stream)

    def beside(self, rest: FloatArray, stream: np.random.Generator) -> FloatArray:
        """Rows of which the coordinates on further axes are drawn, but for their length."""
        rows = stream.standard_normal((len(rest), len(self.basis))) * self.deviations
        return np.hstack([rows @ self.basis.T, self.rest * rest])


def _round(n_rows: int, n_axes: int, stream: np.random.Generator) -> FloatArray:
    """Draw rows that vary by 1 along each axis, in as many coordinates as hold them."""
    if n_axes <= n_rows:
        return stream.standard_normal((n_rows, n_axes))
    rows = np.tril(stream.standard_normal((n_rows, n_rows)), -1)  # by Bartlett's decomposition
    np.fill_diagonal(rows, np.sqrt(stream.chisquare(n_axes - np.arange(n_rows))))
    return rows


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
        by_chance = (within**2).sum() / len(y)  # means of rows without classes are apart, too
        means = means * np.sqrt(max(0.0, between - by_chance) / max(between, by_chance))
        parts = [within[y == code] for code in range(n_classes)] if _have_shapes(X, y) else [within]
        # A feature that hardly varies within classes is a gap between them, unless it is shrunk.
        shrunk = float(len(parts) == 1 and len(y) < _ROWS_OF_AXIS * n_features)
        n_means = n_classes if len(parts) == 1 else 1
        shapes = [_Normal.of(part, n_features, n_means, shrunk) for part in parts]
        return cls(means, tuple(shapes))

    def draw(self, y: IntArray, stream: np.random.Generator) -> FloatArray:
        rest = _round(len(y), self.shapes[0].n_rest, stream)  # of all classes together
        rows = self.shapes[0].beside(rest, stream)
        for code, shape in enumerate(self.shapes[1:], 1):
            rows[y == code] = shape.beside(rest[y == code], stream)
        rows[:, : self.means.shape[1]] += self.means[y]
        return rows


def _statistics(tables: Sequence[_Labeled]) -> FloatArray:
    """Return distances between classes, and depths of rows in their cells, a row for each table.

    Once as they lie, and once less their own part in the means. The tables are of one shape, and
    each has the same number of classes.
    """
    X, y = (np.stack(parts) for parts in zip(*tables, strict=True))
    X = X - X.mean(axis=1, keepdims=True)
    n_tables, n_rows, _ = X.shape
    member = (y[..., None] == np.arange(int(y.max()) + 1)).astype(np.float64)
    counts = member.sum(axis=1)
    means = member.transpose(0, 2, 1) @ X / counts[..., None]
    lengths = (means**2).sum(axis=2)
    of_cells = X**2
    squares = of_cells.sum(axis=2, keepdims=True) - 2.0 * X @ means.transpose(0, 2, 1)
    squares += lengths[:, None]
    to_own = np.take_along_axis(squares, y[..., None], axis=2)[..., 0]
    others = np.where(member > 0, np.inf, squares)
    nearest, other = others.argmin(axis=2), others.min(axis=2)
    each = np.arange(n_tables)[:, None]
    apart = 2.0 * np.linalg.norm(means[each, nearest] - means[each, y], axis=2) + _RIDGE
    size, theirs = counts[each, y], counts[each, nearest]
    without = to_own * size / (size - 1), other * theirs / (theirs + 1)
    total = of_cells.sum(axis=(1, 2))
    values = [(counts * lengths).sum(axis=1) / total, counts.std(axis=1) / n_rows]
    for depth in ((other - to_own) / apart, (without[1] - without[0]) / apart):
        of_class = (depth[:, None] @ member)[:, 0] / counts
        around = depth - of_class[each, y]
        deviation = around.std(axis=1) + _RIDGE
        values += [(depth < 0).mean(axis=1), depth.mean(axis=1) / deviation]
        values += [deviation / np.sqrt(total), (around**3).mean(axis=1) / deviation**3]
        values += [*(np.quantile(depth, _QUANTILES, axis=1) / deviation)]
    return np.stack(values, axis=1)


def _squares(X: FloatArray, means: FloatArray) -> FloatArray:
    """Squared distances from the means."""
    squares: FloatArray = (X**2).sum(axis=1)[:, None] - 2.0 * X @ means.T + (means**2).sum(axis=1)
    return squares


def _means(X: FloatArray, y: IntArray) -> FloatArray:
    return np.stack([X[y == code].mean(axis=0) for code in range(int(y.max()) + 1)])

"""Labels that were made from the features: cells around means, cut where rows are dense."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.folds.folds import sampled_rows

_MOST_ROWS, _LEAST_ROWS = 2_000, 40
_ROWS_OF_A_FEATURE = 10  # of fewer, every labels are cells around the means
_SAME = 0.98  # rows in the cell of their class
# Rows within so many standard deviations of a border, and those of them in their own cell. Of two
# Gaussians that overlap in .02 of their rows, one in forty is so near, and half of these are not.
_NEAR, _LEAST_NEAR, _SAME_NEAR = 0.25, 0.045, 0.9
# The mean distance of rows to the border, in standard deviations. Half a Gaussian, cut at its
# border, has 1.32; a Gaussian whose tail is cut has more, and is as likely at 1.73.
_MOST_DEPTH = 1.6


def are_quantized(X: FloatArray, y: IntArray) -> bool:
    """Whether labels are cells around the class means that meet where rows are dense.

    Clusters of k-means are; classes that differ leave a gap, or overlap.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int of shape (n_samples,)
        Codes of two or more classes, none of them empty.

    Returns
    -------
    bool
        False of fewer than 40 rows, or 10 for each feature: there, any labels might be.

    Notes
    -----
    The features are taken as they are and standardized, since clusters are made of both. What other
    algorithms cluster is not recognized.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from melm_core.evaluation import are_quantized
    >>> X = np.random.default_rng(0).standard_normal((150, 2))
    >>> are_quantized(X, KMeans(3, random_state=0, n_init=4).fit_predict(X))
    True
    >>> y = np.arange(150) % 3
    >>> are_quantized(X + 4.0 * np.eye(3)[y][:, :2], y)
    False
    """
    n_rows, n_features = X.shape
    if n_rows < max(_LEAST_ROWS, _ROWS_OF_A_FEATURE * n_features) or y.max() < 1:
        return False
    kept = sampled_rows(y, _MOST_ROWS, None)
    X, y = X[kept], y[kept]
    scale = X.std(axis=0)
    return _are_cells(X, y) or _are_cells(X / np.where(scale > 0, scale, 1.0), y)


def _are_cells(X: FloatArray, y: IntArray) -> bool:
    rows, n_classes = np.arange(len(y)), int(y.max()) + 1
    means = np.stack([X[y == code].mean(axis=0) for code in range(n_classes)])
    squares = (X**2).sum(axis=1)[:, None] - 2.0 * X @ means.T + (means**2).sum(axis=1)
    own = squares[rows, y]
    squares[rows, y] = np.inf
    nearest = squares.argmin(axis=1)
    apart = np.linalg.norm(means[nearest] - means[y], axis=1)
    depth = (squares[rows, nearest] - own) / (2.0 * np.where(apart > 0, apart, np.inf))
    spread = np.sqrt(np.mean([depth[y == code].var() for code in range(n_classes)]))
    is_near = np.abs(depth) < _NEAR * spread
    if (depth > 0).mean() < _SAME or is_near.mean() < _LEAST_NEAR:
        return False
    if depth.mean() > _MOST_DEPTH * spread:
        return False
    return bool((depth[is_near] > 0).mean() >= _SAME_NEAR)

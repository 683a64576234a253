"""Means and covariances of classes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray


def rows_by_class(X: FloatArray, y: IntArray) -> tuple[FloatArray, ...]:
    """The rows of each class, in the order of the class codes.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes - 1.
    """
    return tuple(X[y == code] for code in range(int(y.max()) + 1))


def class_means(X: FloatArray, y: IntArray) -> FloatArray:
    """Mean of the rows of each class, shape (n_classes, n_features)."""
    return np.stack([rows.mean(axis=0) for rows in rows_by_class(X, y)])


def class_covariances(classes: Iterable[FloatArray]) -> FloatArray:
    """Covariances with divisor N_c, shape (n_classes, n_features, n_features).

    They are computed relative to a row of the class, so that a feature that is
    constant within the class has exactly zero variance: the mean of equal
    numbers may differ from them by rounding.

    Parameters
    ----------
    classes : iterable of ndarray of shape (n_samples_of_class, n_features)
    """
    return np.stack([covariance_of(rows - rows[0]) for rows in classes])


def covariance_of(rows: FloatArray) -> FloatArray:
    """Covariance of rows, with divisor N.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_features, n_features)
        A matrix even for a single feature.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import covariance_of
    >>> covariance_of(np.array([[0.0], [2.0]]))
    array([[1.]])
    """
    return np.cov(rows.T, ddof=0).reshape(rows.shape[1], -1)

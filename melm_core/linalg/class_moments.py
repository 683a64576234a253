"""Means and covariances of rows, class by class."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray


def rows_by_class(X: FloatArray, y: IntArray) -> tuple[FloatArray, ...]:
    """The rows of each class, in the order of the class codes."""
    return tuple(X[y == code] for code in range(int(y.max()) + 1))


def class_means(X: FloatArray, y: IntArray) -> FloatArray:
    """Mean of the rows of each class, shape (n_classes, n_features)."""
    return np.stack([rows.mean(axis=0) for rows in rows_by_class(X, y)])


def class_covariances(classes: Iterable[FloatArray]) -> FloatArray:
    """Covariances with divisor N_c, shape (n_classes, n_features, n_features).

    Relative to a row of the class, so that a feature constant within the class
    has no variance at all: the mean of equal numbers may differ from them by rounding.

    Parameters
    ----------
    classes : iterable of ndarray of shape (n_samples_of_class, n_features)
    """
    return np.stack([covariance_of(rows - rows[0]) for rows in classes])


def covariance_of(rows: FloatArray) -> FloatArray:
    """Covariance with divisor N, a matrix also where there is one feature only."""
    return np.cov(rows.T, ddof=0).reshape(rows.shape[1], -1)

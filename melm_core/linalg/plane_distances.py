"""Squared distances of rows within a plane and off it."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray


def score_distances(centered: FloatArray, basis: FloatArray, precision: FloatArray) -> FloatArray:
    """Hotelling's T² within a plane, shape (n_rows,).

    Parameters
    ----------
    centered : ndarray of shape (n_rows, n_features)
        Less the mean of the rows that the plane was fitted to.
    basis : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    precision : ndarray of shape (n_components, n_components)
        Inverse covariance of the coordinates of the fitted rows.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg.plane_distances import score_distances
    >>> score_distances(np.array([[2.0, 5.0]]), np.eye(1, 2), np.array([[0.25]]))
    array([1.])
    """
    scores = centered @ basis.T
    distances: FloatArray = np.einsum("ij,jk,ik->i", scores, precision, scores)
    return distances


def squared_residuals(centered: FloatArray, basis: FloatArray) -> FloatArray:
    """Compute the squared distance from a plane along each feature, shape (n_rows, n_features).

    They sum to the residual Q of a row, and are zero where the plane holds all features.

    Parameters
    ----------
    centered, basis : ndarray
        See `score_distances`.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg.plane_distances import squared_residuals
    >>> squared_residuals(np.array([[2.0, 5.0]]), np.eye(1, 2))
    array([[ 0., 25.]])
    """
    off: FloatArray = centered - (centered @ basis.T) @ basis
    return np.zeros_like(off) if len(basis) == basis.shape[1] else off**2

"""The covariance of the training rows along directions, which no table is too wide for."""

from __future__ import annotations

import numpy as np

from melm_core.base import FloatArray
from melm_core.density import inverse_root
from melm_core.linalg import joint_variance_shares


class TrainingCovariance:
    """The covariance of some rows, by a root R with R'R the covariance.

    The root of more rows than features is kept; that of more features than rows would have as many
    entries as the table, so the rows themselves are projected.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    """

    def __init__(self, X: FloatArray) -> None:
        self._X = X
        self.mean: FloatArray = X.mean(axis=0)
        is_wide = X.shape[1] > len(X)
        self._root: FloatArray | None = None
        if not is_wide:
            self._root = np.asarray(np.linalg.qr(self._centered(), mode="r"))

    def along(self, components: FloatArray) -> FloatArray:
        """The covariance of the coordinates, shape (n_components, n_components)."""
        if self._root is None:
            projected = (self._X @ components.T - components @ self.mean).T
            return np.asarray(projected @ projected.T / len(self._X))
        projected = components @ self._root.T
        return np.asarray(projected @ projected.T)

    def explained_shares(self, components: FloatArray) -> FloatArray:
        """The share of the variance along each axis, see `joint_variance_shares`."""
        root = self._centered() if self._root is None else self._root
        return joint_variance_shares(components, root)

    def _centered(self) -> FloatArray:
        """The root that is as large as the table."""
        centered = self._X - self.mean
        centered /= np.sqrt(len(self._X))
        return centered


def standardized(components: FloatArray, covariance: FloatArray) -> FloatArray:
    """Components of the same plane in which the data have unit covariance.

    Uses the symmetric inverse square root, which rotates as little as possible, so a smooth
    sequence of planes is drawn smoothly.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    covariance : ndarray of shape (n_components, n_components)
        Covariance of the projected data.
    """
    root, _ = inverse_root(covariance)
    left, stretches, _ = np.linalg.svd(root)
    symmetric = (left * stretches) @ left.T
    rows: FloatArray = symmetric @ components
    return rows


def of_one_scale(components: FloatArray, covariance: FloatArray) -> FloatArray:
    """Components that draw the same picture in which the mean variance of the data is 1.

    Parameters
    ----------
    components, covariance
        As those of `standardized`.
    """
    variance = float(np.trace(covariance)) / len(components)
    rows: FloatArray = components / (np.sqrt(variance) if variance > 0.0 else 1.0)
    return rows

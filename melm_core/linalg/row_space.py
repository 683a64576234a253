"""Coordinates in the space that the rows span, for tables with more features than rows.

N rows span at most N dimensions. Whatever a linear method computes from them is the
same in coordinates of that space, where its matrices are N x N instead of
n_features x n_features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.base.array_types import FloatArray

# Directions whose variance, with every feature scaled to unit variance, is
# below this share of the largest one are treated as not varying.
NULL_VARIANCE = 1e-10


@dataclass(frozen=True, eq=False)
class RowSpace:
    """Rows in coordinates of a space that holds them.

    Attributes
    ----------
    rows : ndarray of shape (n_samples, n_coordinates)
    basis : ndarray of shape (n_features, n_coordinates) or None
        Column i is the direction, in the features, of coordinate i; None where the
        coordinates are the features.
    """

    rows: FloatArray
    basis: FloatArray | None = None

    def lift(self, components: FloatArray) -> FloatArray:
        """Components (n_components, n_coordinates) in the features."""
        return components if self.basis is None else components @ self.basis.T

    def lift_columns(self, columns: FloatArray) -> FloatArray:
        """Lift directions as columns (n_coordinates, n_directions) to the features."""
        return columns if self.basis is None else self.basis @ columns


def is_wide(X: FloatArray, n_components: int) -> bool:
    """Return whether there are more features than rows, and enough rows for the components."""
    return bool(X.shape[1] > len(X) > n_components)


def row_space(X: FloatArray, n_components: int) -> RowSpace:
    """Project rows onto orthonormal coordinates of their span, by a thin SVD.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_components : int
        Dimension of the plane that is looked for.

    Returns
    -------
    RowSpace
        With as many coordinates as the rows have rank, and at least n_components; the
        features themselves where they are not more than the rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((10, 500))
    >>> space = row_space(X, 2)
    >>> space.rows.shape, bool(np.allclose(space.lift(space.rows), X))
    ((10, 10), True)
    """
    if not is_wide(X, n_components):
        return RowSpace(X)
    left, lengths, directions = np.linalg.svd(X, full_matrices=False)
    negligible = max(X.shape) * np.finfo(np.float64).eps * lengths[0]
    rank = max(n_components, int(np.sum(lengths > negligible)))
    return RowSpace((left * lengths)[:, :rank], directions[:rank].T)


def row_coordinates(X: FloatArray) -> FloatArray:
    """Return the rows of `row_space`, which take a third of its time without their basis.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_coordinates)

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((10, 500))
    >>> bool(np.allclose(np.abs(row_coordinates(X)), np.abs(row_space(X, 1).rows)))
    True
    """
    if not is_wide(X, 1):
        return X
    triangle = np.asarray(np.linalg.qr(X.T, mode="r"))
    left, lengths, _ = np.linalg.svd(triangle.T)
    negligible = max(X.shape) * np.finfo(np.float64).eps * lengths[0]
    rows: FloatArray = (left * lengths)[:, : max(1, int(np.sum(lengths > negligible)))]
    return rows


def standardized_row_space(
    X: FloatArray, widths: FloatArray, n_components: int, weights: FloatArray | None = None
) -> RowSpace:
    """Project rows onto uncorrelated coordinates of their span, in standardized features.

    Directions that vary only by rounding are left out.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        About their mean.
    widths : ndarray of shape (n_features,)
        What to divide the features by; those of width 0 are left out.
    n_components : int
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    RowSpace
        `X @ basis` are its rows; the features themselves where they are not more than the rows.
    """
    if not is_wide(X, n_components):
        return RowSpace(X)
    units = np.divide(1.0, widths, out=np.zeros_like(widths), where=widths > 0)
    scales = np.ones((len(X), 1)) if weights is None else np.sqrt(weights)[:, None]
    left, lengths, directions = np.linalg.svd(X * units * scales, full_matrices=False)
    positive = np.square(lengths) > NULL_VARIANCE * np.square(lengths[0])
    return RowSpace((left * lengths)[:, positive] / scales, units[:, None] * directions[positive].T)

"""Smaller tables of which methods find the same plane: fewer rows, or fewer coordinates.

LDA, PCA, GEM and others see the rows only through the count, the mean and the covariance of each
class and, where Ledoit and Wolf's rule regularizes the covariances, through the mean fourth power
of the distance from the class mean. A few weighted rows with the same moments therefore give the
same plane, by the same code as rows in memory.

N rows span at most N dimensions. Whatever a linear method computes from them is the same in
coordinates of that space, where its matrices are N x N instead of n_features x n_features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.linalg import hadamard

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.block_sources import table_of
from melm_core.base.estimator import WeightedPlaneEstimator, check_n_components
from melm_core.base.row_blocks import Rows, added, class_rows, is_lazy, reduce_rows
from melm_core.linalg.class_moments import moments_of_classes, row_parts

# Directions whose variance, with every feature scaled to unit variance, is
# below this share of the largest one are treated as not varying.
NULL_VARIANCE = 1e-10


@dataclass(frozen=True, eq=False)
class EquivalentRows:
    """Weighted rows with the moments of the classes of a table.

    Attributes
    ----------
    X : ndarray of shape (n_equivalent, n_features)
        Less the mean of all rows.
    y : ndarray of int of shape (n_equivalent,)
        Class codes.
    weights : ndarray of shape (n_equivalent,)
        Those of a class add up to its number of rows.
    mean : ndarray of shape (n_features,)
        Of all rows of the table.
    """

    X: FloatArray
    y: IntArray
    weights: FloatArray
    mean: FloatArray


def equivalent_rows(classes: Sequence[Rows]) -> EquivalentRows:
    """Construct rows with the counts, means, covariances and fourth powers of the given ones.

    The fourth powers are those of the lengths of the offsets from the class mean, with every
    feature scaled by its standard deviation over all rows.

    Parameters
    ----------
    classes : sequence of ndarray of shape (n_samples_of_class, n_features), or of ClassRows

    Returns
    -------
    EquivalentRows
        At most 4 n_features + 1 rows of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import equivalent_rows
    >>> X = np.random.default_rng(0).standard_normal((1_000, 2)) * [1.0, 5.0]
    >>> rows = equivalent_rows([X])
    >>> covariance = np.cov(rows.X.T, aweights=rows.weights, ddof=0)
    >>> len(rows.X), bool(np.allclose(covariance, np.cov(X.T, ddof=0)))
    (5, True)
    """
    means, covariances = moments_of_classes(classes)
    counts = np.array([float(len(rows)) for rows in classes])
    mean = np.average(means, axis=0, weights=counts)
    between = np.average(np.square(means - mean), axis=0, weights=counts)
    widths = np.sqrt(np.average(np.diagonal(covariances, axis1=1, axis2=2), 0, counts) + between)
    fourths = fourth_powers(classes, means, _inverse(widths)) / counts
    parts = [
        _of_class(covariance, fourth, widths)
        for covariance, fourth in zip(covariances, fourths, strict=True)
    ]
    return EquivalentRows(
        X=np.concatenate(
            [rows + of_class - mean for (rows, _), of_class in zip(parts, means, strict=True)]
        ),
        y=np.repeat(np.arange(len(parts)), [len(rows) for rows, _ in parts]),
        weights=np.concatenate([shares * n for (_, shares), n in zip(parts, counts, strict=True)]),
        mean=mean,
    )


def offsets_of(covariance: FloatArray, widths: FloatArray) -> FloatArray:
    """Return rows of equal weight with mean 0, a covariance and one standardized length.

    Parameters
    ----------
    covariance : ndarray of shape (n_features, n_features)
    widths : ndarray of shape (n_features,)
        What a length of 1 is in each feature.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        At most 4 n_features rows.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import offsets_of
    >>> rows = offsets_of(np.diag([4.0, 1.0]), np.ones(2))
    >>> np.square(rows).sum(axis=1)
    array([5., 5., 5., 5.])
    """
    units = _inverse(widths)
    variances, directions = np.linalg.eigh(covariance * np.outer(units, units))
    roots = directions * np.sqrt(np.maximum(variances, 0.0)) * widths[:, None]
    # Rounding must not let a constant feature vary.
    roots[np.diag(covariance) == 0.0] = 0.0
    # Sign patterns, orthogonal over the directions: each takes all variances with the weight 1.
    n_patterns = 1 << (len(covariance) - 1).bit_length()
    half = hadamard(n_patterns, dtype=np.float64)[:, : len(covariance)] @ roots.T
    return np.concatenate([half, -half])


def fourth_powers(
    classes: Sequence[Rows],
    means: FloatArray,
    units: FloatArray,
    weights: Sequence[FloatArray] | None = None,
) -> FloatArray:
    """Sum the fourth powers of lengths of the scaled offsets from the class means.

    Parameters
    ----------
    classes : sequence of ndarray of shape (n_samples_of_class, n_features), or of ClassRows
    means : ndarray of shape (n_classes, n_features)
    units : ndarray of shape (n_features,)
        What to multiply the offsets by.
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
        Of rows in memory; None if each counts once.

    Returns
    -------
    ndarray of shape (n_classes,)
    """
    return np.array(reduce_rows(_FourthPowers(means, units, weights), added, classes))


def _of_class(
    covariance: FloatArray, fourth: float, widths: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Offsets of a class and their shares of its weight."""
    offsets = offsets_of(covariance, widths)
    shortest = float(np.square(offsets[0] * _inverse(widths)).sum()) ** 2
    # Of equal lengths the fourth power is the least; rows at the mean raise it.
    share = min(shortest / fourth, 1.0) if fourth > 0 else 1.0
    shares = np.full(len(offsets), share / len(offsets))
    offsets /= np.sqrt(share)
    if share == 1.0:
        return offsets, shares
    at_mean = np.zeros((1, len(covariance)))
    return np.concatenate([offsets, at_mean]), np.append(shares, 1.0 - share)


def _inverse(widths: FloatArray) -> FloatArray:
    return np.divide(1.0, widths, out=np.zeros_like(widths), where=widths > 0)


class _FourthPowers:
    """Sum of the fourth powers of the lengths of the scaled offsets of a block."""

    def __init__(
        self, means: FloatArray, units: FloatArray, weights: Sequence[FloatArray] | None
    ) -> None:
        self._means, self._units, self._weights = means, units, weights

    def __call__(self, code: int, rows: FloatArray) -> float:
        total = 0.0
        for part in row_parts(rows):
            offsets = (rows[part] - self._means[code]) * self._units
            squares = np.square(np.einsum("ij,ij->i", offsets, offsets))
            row_weights = None if self._weights is None else self._weights[code][part]
            total += float(squares.sum() if row_weights is None else row_weights @ squares)
        return total


class MomentPlaneEstimator(WeightedPlaneEstimator):
    """A plane that depends on the count, the mean and the covariance of each class alone.

    It can be fitted to a Dask collection larger than memory: in five passes, whose memory is
    that of a few blocks.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Compute the plane.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
            A sparse matrix is made dense, which is refused beyond 2 GB. A Dask collection may
            exceed the memory.
        y : array-like or Dask collection of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts, not necessarily a whole number; None for once. Of rows in
            memory only.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid; the message says which and why.
        """
        if not is_lazy(X):
            return super().fit(X, y, sample_weight)
        table = table_of(self, X, y, () if sample_weight is None else ("sample_weight",))
        check_n_components(self.n_components, table.n_features)
        self._check_parameters()
        rows = equivalent_rows(class_rows(table))
        # The equivalent rows are about the mean, where they lose no digits to it.
        self.mean_ = np.zeros(table.n_features)
        self._fit_weighted(rows.X, rows.y, rows.weights)
        self.mean_ = rows.mean
        return self


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
    """Return the rows of `row_space` but for rounding, in a twentieth of its time.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    ndarray of shape (n_samples, n_coordinates)
        Distances are kept to half of the digits: coordinates come from inner products of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((10, 500))
    >>> bool(np.allclose(np.abs(row_coordinates(X)), np.abs(row_space(X, 1).rows)))
    True
    """
    if not is_wide(X, 1):
        return X
    squares, left = np.linalg.eigh(X @ X.T)
    negligible = max(X.shape) * np.finfo(np.float64).eps * squares[-1]
    first = min(int(np.sum(squares <= negligible)), len(X) - 1)
    lengths = np.sqrt(np.maximum(squares[first:], 0.0))
    rows: FloatArray = (left[:, first:] * lengths)[:, ::-1]
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

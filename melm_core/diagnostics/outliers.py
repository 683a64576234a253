"""Outliers of a plane: the score distance T² within it and the residual Q off it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.linalg.planes import orthonormalize

# Of the rows that are like those of the table, one in a hundred exceeds a limit.
DEFAULT_LEVEL = 0.99

# The spectrum of the residuals takes time cubic in the smaller side of the table.
MAX_SPECTRUM_ROWS = 1_000

_TINY = 1e-12  # relative to the variance of the table: rounding, not residuals


@dataclass(frozen=True, eq=False)
class PlaneDistances:
    """The distances of rows from the rows to which a plane was fitted, with limits.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
    basis : ndarray of shape (n_components, n_features)
        Orthonormal rows that span the plane.
    precision : ndarray of shape (n_components, n_components)
        Inverse covariance of the coordinates of the fitted rows.
    moments : tuple of float
        The sums of the first, second and third powers of the eigenvalues of the covariance of the
        residuals.
    n_rows : int
        The fitted rows.

    References
    ----------
    N. D. Tracy, J. C. Young, R. L. Mason: Multivariate control charts for individual observations,
    Journal of Quality Technology 24, 1992.
    J. E. Jackson, G. S. Mudholkar: Control procedures for residuals associated with principal
    component analysis, Technometrics 21, 1979.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import PlaneDistances
    >>> X = np.random.default_rng(0).normal(size=(100, 4))
    >>> distances = PlaneDistances.of(X, np.eye(2, 4))
    >>> far = distances.residual(np.array([[0.0, 0.0, 9.0, 0.0]]))
    >>> bool(far[0] > distances.residual_limit())
    True
    """

    mean: FloatArray
    basis: FloatArray
    precision: FloatArray
    moments: tuple[float, float, float]
    n_rows: int

    @classmethod
    def of(cls, X: FloatArray, components: FloatArray) -> PlaneDistances:
        """The distances from the rows of a table and a plane.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            More than n_components rows.
        components : ndarray of shape (n_components, n_features)
            Linearly independent rows.

        Raises
        ------
        ValueError
            If there are too few rows to estimate a covariance.
        """
        if len(X) <= len(components) + 1:
            raise UserError(
                f"Distances from a plane of {len(components)} component(s) need at least "
                f"{len(components) + 2} rows; there are {len(X)}."
            )
        mean, basis = X.mean(axis=0), orthonormalize(components)
        scores = (X - mean) @ basis.T
        covariance = scores.T @ scores / (len(X) - 1)
        precision = np.linalg.pinv(covariance, hermitian=True)
        return cls(mean, basis, precision, _moments(X - mean, basis), len(X))

    @property
    def n_components(self) -> int:
        """The dimension of the plane."""
        return len(self.basis)

    def score_distance(self, X: FloatArray) -> FloatArray:
        """Hotelling's T² of rows within the plane, shape (n_samples,)."""
        scores = (X - self.mean) @ self.basis.T
        distances: FloatArray = np.einsum("ij,jk,ik->i", scores, self.precision, scores)
        return distances

    def contributions(self, X: FloatArray) -> FloatArray:
        """What each feature contributes to T², shape (n_samples, n_features).

        The contributions of a row sum to its T²; a negative one holds the row near the center.

        References
        ----------
        P. Miller, R. E. Swanson, C. E. Heckler: Contribution plots: a missing link in multivariate
        quality control, Applied Mathematics and Computer Science 8, 1998.
        """
        centered = X - self.mean
        shares: FloatArray = centered * ((centered @ self.basis.T) @ self.precision @ self.basis)
        return shares

    def residual(self, X: FloatArray) -> FloatArray:
        """The squared distance Q of rows from the plane, shape (n_samples,).

        Zero where the plane holds all features.
        """
        squares: FloatArray = self.residual_contributions(X).sum(axis=1)
        return squares

    def residual_contributions(self, X: FloatArray) -> FloatArray:
        """What each feature contributes to Q, shape (n_samples, n_features); they sum to Q."""
        centered = X - self.mean
        off: FloatArray = centered - (centered @ self.basis.T) @ self.basis
        return np.zeros_like(off) if self.n_components == self.mean.size else off**2

    def score_limit(self, level: float = DEFAULT_LEVEL, *, is_new: bool = False) -> float:
        """The T² that a share `level` of rows stays below if their scores are Gaussian.

        Parameters
        ----------
        level : float, default=0.99
        is_new : bool, default=False
            Whether the rows are others than those fitted, which are farther from their mean.
        """
        n, k = self.n_rows, self.n_components
        if is_new:
            return float(k * (n * n - 1) / (n * (n - k)) * stats.f.ppf(level, k, n - k))
        return float((n - 1) ** 2 / n * stats.beta.ppf(level, k / 2, (n - k - 1) / 2))

    def residual_limit(self, level: float = DEFAULT_LEVEL) -> float:
        """The Q that a share `level` of rows stays below; infinite if nothing is off the plane."""
        return np.inf if self._is_flat else residual_limit(self.moments, level)

    @cached_property
    def _is_flat(self) -> bool:
        return self.n_components == self.mean.size or self.moments[0] <= _TINY


def residual_limit(moments: tuple[float, float, float], level: float = DEFAULT_LEVEL) -> float:
    """The upper limit of a residual Q.

    A sum of squares of Gaussian variables with variances lambda is below it with probability
    `level`: by the approximation of Jackson and Mudholkar or, where its exponent is not positive,
    by Pearson's chi-squared variable of the same first three moments.

    Parameters
    ----------
    moments : tuple of float
        The sums of the first, second and third powers of the variances.
    level : float, default=0.99

    References
    ----------
    J. E. Jackson, G. S. Mudholkar: Control procedures for residuals associated with principal
    component analysis, Technometrics 21, 1979, equation 3.5.
    J. P. Imhof: Computing the distribution of quadratic forms in normal variables, Biometrika 48,
    1961, section 4.

    Examples
    --------
    >>> from melm_core.diagnostics import residual_limit
    >>> round(residual_limit((1.0, 1.0, 1.0), level=0.95), 2)  # of one squared normal: 3.84
    3.75
    """
    first, second, third = moments
    exponent = 1 - 2 * first * third / (3 * second**2)
    if exponent <= 0:
        freedom = second**3 / third**2
        deviation = (stats.chi2.ppf(level, freedom) - freedom) / np.sqrt(freedom)
        return float(first + np.sqrt(second) * deviation)
    spread = stats.norm.ppf(level) * np.sqrt(2 * second * exponent**2) / first
    shift = second * exponent * (exponent - 1) / first**2
    return float(first * max(spread + 1 + shift, 0.0) ** (1 / exponent))


def _moments(centered: FloatArray, basis: FloatArray) -> tuple[float, float, float]:
    """The power sums of the eigenvalues of the covariance of the residuals."""
    if min(centered.shape) > MAX_SPECTRUM_ROWS:
        centered = centered[:: -(-len(centered) // MAX_SPECTRUM_ROWS)]
    off = centered - (centered @ basis.T) @ basis
    narrow = off if off.shape[1] <= off.shape[0] else off.T
    matrix = narrow.T @ narrow / (len(centered) - 1)
    squared = matrix @ matrix
    return float(np.trace(matrix)), float(np.trace(squared)), float(np.sum(squared * matrix))

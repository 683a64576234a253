"""Generalized eigenvectors of features so many that their second moments do not fit in memory.

With a thin singular value decomposition of the denominator's rows, X_j / sqrt(n_j) = U s V', the
regularized second moment is B = V s^2 V' + rho 1, and its inverse square root times a vector needs
V alone. The eigenvectors are then the right singular vectors of X_i B^-1/2 / sqrt(n_i), of which
a randomized decomposition finds the leading ones. No matrix of n_features squared is formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import svd
from sklearn.utils.extmath import randomized_svd

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError

# A second moment of so many features takes 0.8 GB.
WIDE_FEATURES = 10_000

_SEED = 0  # of the random range finder, so that the result is reproducible
_N_OVERSAMPLES = 20
_N_ITERATIONS = 7  # of its power iterations, each of which squares the gaps of the spectrum


@dataclass(frozen=True, eq=False)
class WideDenominator:
    """The regularized second moment of a class, B = V s^2 V' + rho 1, in factors.

    Attributes
    ----------
    axes : ndarray of shape (rank, n_features)
        V', with orthonormal rows.
    shrinkage : ndarray of shape (rank,)
        1 - sqrt(rho / (s^2 + rho)): what B^-1/2 takes off along each axis, in units of rho^-1/2.
    ridge : float
        rho, gamma / d times the trace.
    """

    axes: FloatArray
    shrinkage: FloatArray
    ridge: float

    @classmethod
    def of(cls, rows: FloatArray, *, gamma: float, label: Any) -> WideDenominator:
        """Decompose the rows of a class, each divided by the root of their number.

        Parameters
        ----------
        rows : ndarray of shape (n_samples, n_features)
        gamma : float
        label : object
            Name of the class in error messages.

        Raises
        ------
        ValueError
            If gamma is zero, or all rows are.
        """
        trace = float(np.einsum("ij,ij->", rows, rows))
        check_not_zero(trace, label)
        ridge = gamma * trace / rows.shape[1]
        if not ridge > 0:
            raise UserError(
                f"gamma={gamma!r} must be above 0 for more than {WIDE_FEATURES:,} features, of "
                "which a class has fewer rows. Choose one such as 0.05."
            )
        _, sizes, axes = svd(rows, full_matrices=False, check_finite=False)
        return cls(axes, 1.0 - np.sqrt(ridge / (np.square(sizes) + ridge)), ridge)

    def whiten(self, rows: FloatArray) -> FloatArray:
        """Return rows times B^-1/2, which is symmetric."""
        along = (rows @ self.axes.T) * self.shrinkage
        whitened: FloatArray = (rows - along @ self.axes) / np.sqrt(self.ridge)
        return whitened


def wide_eigenvectors(
    rows: FloatArray, mean: FloatArray, denominator: WideDenominator, *, n_directions: int
) -> tuple[FloatArray, FloatArray]:
    """Compute the largest eigenvalues and their eigenvectors from the rows.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        Of the numerator class, each divided by the root of their number.
    mean : ndarray of shape (n_features,)
        Its mean, which determines the signs.
    denominator : WideDenominator
    n_directions : int
        Capped at the number of rows and of features.

    Returns
    -------
    eigenvalues : ndarray of shape (n_directions,)
        Descending.
    vectors : ndarray of shape (n_features, n_directions)

    References
    ----------
    N. Halko, P.-G. Martinsson, J. A. Tropp: Finding Structure with Randomness, SIAM Review 53,
    2011.
    """
    whitened = denominator.whiten(rows)
    _, sizes, axes = randomized_svd(
        whitened,
        min(n_directions, *rows.shape),
        n_oversamples=_N_OVERSAMPLES,
        n_iter=_N_ITERATIONS,
        random_state=_SEED,
    )
    vectors = denominator.whiten(axes).T
    return np.square(sizes), np.where(mean @ vectors < 0, -vectors, vectors)


@dataclass(frozen=True, eq=False)
class WideClass:
    """The rows of a class with the share of each in its moments.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    roots : ndarray of shape (n_samples, 1)
        Square root of the share of each row.
    """

    X: FloatArray
    roots: FloatArray

    @classmethod
    def of(cls, X: FloatArray, weights: FloatArray | None = None) -> WideClass:
        """Return rows that count once each, or as often as their weights say."""
        shares = np.full(len(X), 1.0 / len(X)) if weights is None else weights / weights.sum()
        return cls(X, np.sqrt(shares)[:, None])

    @property
    def mean(self) -> FloatArray:
        """Mean of the rows."""
        mean: FloatArray = np.square(self.roots[:, 0]) @ self.X
        return mean

    @property
    def rows(self) -> FloatArray:
        """Rows whose products are the second moment."""
        return self.roots * self.X

    def denominator(self, *, gamma: float, label: Any, is_centered: bool) -> WideDenominator:
        """Compute the second moment of the class, or its covariance, regularized."""
        X = self.X - self.mean if is_centered else self.X
        return WideDenominator.of(self.roots * X, gamma=gamma, label=label)


def check_not_zero(trace: float, label: Any) -> None:
    """Raise UserError if all rows of a class, whose second moment has this trace, are zero."""
    if not trace > np.finfo(np.float64).tiny:
        raise UserError(
            f"All rows of class {label!r} are zero, so no direction can be measured relative to "
            "it. Exclude the class, or check its rows."
        )

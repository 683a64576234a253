"""Directions along which the rows of one class are long and those of another short.

For a pair of classes (i, j) with second moments C_i and C_j these are the
generalized eigenvectors

    C_i v = lambda B_j v,    B_j = C_j + gamma / d trace(C_j) 1,    V' B_j V = 1,

so that the mean of (v'x)^2 is lambda over class i and, at gamma = 0, one over
class j. At gamma = 0 the eigenvalues and |v'x| are invariant under invertible
linear maps of the features; with gamma > 0 under orthogonal maps and a common
scale only.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular
from scipy.linalg.lapack import dpocon
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh
from sklearn.utils import check_array, check_consistent_length

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.linalg.second_moments import ClassSecondMoments

# From this many features a few eigenvectors are cheaper by Lanczos' method
# than by a factorization, as long as they are few.
LANCZOS_FEATURES = 2_000
_LANCZOS_SHARE = 0.1

# Below this reciprocal condition the smallest eigenvalues are rounding errors.
_SINGULAR = 1e-14


def generalized_eigenvectors(
    X: Any,
    y: Any,
    pair: tuple[Any, Any],
    *,
    gamma: float,
    n_directions: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues and eigenvectors of one ordered pair of classes (GEM, equation 3).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    pair : (label, label)
        Numerator class, in which the squared projections are large, and
        denominator class, in which they are small.
    gamma : float
        Regularization of the denominator, in units of its mean eigenvalue
        trace(C_j) / d; zero or more.
    n_directions : int, default=None
        How many of the largest eigenvalues; all of them by default. Few out
        of more than 2000 features come from a partial eigensolver.

    Returns
    -------
    eigenvalues : ndarray of shape (n_directions,)
        Descending.
    vectors : ndarray of shape (n_features, n_directions)
        Columns with V' (C_j + gamma / d trace(C_j) 1) V = 1, signed so that
        the numerator class has a mean of v'x at or above zero.

    Raises
    ------
    ValueError
        If a class is unknown or zero, gamma is negative, or gamma is 0 and
        the denominator singular.
    """
    X = check_array(X, dtype=np.float64)
    y = np.asarray(y)
    check_consistent_length(X, y)
    check_gamma(gamma)
    wanted = X.shape[1] if n_directions is None else n_directions
    check_integer("n_directions", wanted, minimum=1)
    top, bottom = (_moments_of(X, y, label) for label in _distinct(pair))
    return leading_eigenvectors(
        top.moments_[0],
        top.means_[0],
        Denominator.of(bottom.moments_[0], gamma=gamma, label=pair[1]),
        n_directions=wanted,
    )


@dataclass(frozen=True, eq=False)
class Denominator:
    """The regularized second moment of a class, factored: B = D^-1 L L' D^-1.

    The features are brought to unit size first, so that those of very
    different units are not mistaken for a singular moment.

    Attributes
    ----------
    units : ndarray of shape (n_features,)
        The diagonal of D, one over the root mean square of the features.
    factor : ndarray of shape (n_features, n_features)
        L, lower triangular.
    """

    units: FloatArray
    factor: FloatArray

    @classmethod
    def of(cls, moment: FloatArray, *, gamma: float, label: Any) -> Denominator:
        """Factor C + gamma / d trace(C) 1.

        Parameters
        ----------
        moment : ndarray of shape (n_features, n_features)
        gamma : float
        label : object
            Name of the class, for the messages.

        Raises
        ------
        ValueError
            If the moment is zero, or singular and gamma too small to mend it.
        """
        check_not_zero(moment, label)
        regularized = moment + gamma * np.trace(moment) / len(moment) * np.eye(len(moment))
        sizes = np.sqrt(np.diag(regularized))
        if not (sizes > 0).all():
            raise UserError(_singular(label, gamma))
        scaled = regularized / sizes[:, None] / sizes
        try:
            factor = cholesky(scaled, lower=True)
        except LinAlgError:
            raise UserError(_singular(label, gamma)) from None
        reciprocal_condition, _ = dpocon(factor, np.abs(scaled).sum(axis=0).max(), uplo="L")
        if reciprocal_condition < _SINGULAR:
            raise UserError(_singular(label, gamma))
        return cls(1.0 / sizes, factor)

    def whiten(self, vectors: FloatArray) -> FloatArray:
        """L^-1 D times the columns of a matrix, or a vector."""
        whitened: FloatArray = solve_triangular(self.factor, (self.units * vectors.T).T, lower=True)
        return whitened

    def unwhiten(self, vectors: FloatArray) -> FloatArray:
        """D L'^-1 times the columns of a matrix, or a vector."""
        solved = solve_triangular(self.factor, vectors, lower=True, trans="T")
        unwhitened: FloatArray = (self.units * solved.T).T
        return unwhitened


def leading_eigenvectors(
    moment: FloatArray, mean: FloatArray, denominator: Denominator, *, n_directions: int
) -> tuple[FloatArray, FloatArray]:
    """The largest eigenvalues and their vectors, from the moments.

    Parameters
    ----------
    moment : ndarray of shape (n_features, n_features)
        Second moment of the numerator class.
    mean : ndarray of shape (n_features,)
        Its mean, which signs the vectors.
    denominator : Denominator
    n_directions : int
        As many at most; no more than there are features.

    Returns
    -------
    eigenvalues : ndarray of shape (n_directions,)
    vectors : ndarray of shape (n_features, n_directions)
    """
    n_features = len(moment)
    n_directions = min(n_directions, n_features)
    is_partial = n_features > LANCZOS_FEATURES and n_directions < _LANCZOS_SHARE * n_features
    solve = _by_lanczos if is_partial else _by_factorization
    eigenvalues, whitened = solve(moment, denominator, n_directions)
    vectors = denominator.unwhiten(whitened[:, ::-1])
    vectors = np.where(mean @ vectors < 0, -vectors, vectors)
    return np.maximum(eigenvalues[::-1], 0.0), vectors


def check_gamma(gamma: Any) -> None:
    """A finite number, zero or more."""
    if not isinstance(gamma, Real) or not 0 <= float(gamma) < np.inf:
        raise UserError(f"gamma={gamma!r} must be a finite number, 0 or more.")


def check_not_zero(moment: FloatArray, label: Any) -> None:
    """A class with rows away from the origin."""
    if not np.trace(moment) > np.finfo(np.float64).tiny:
        raise UserError(
            f"Every row of class {label!r} lies at the origin, so no direction can be measured "
            "against it. Leave the class out, or check its rows."
        )


def _singular(label: Any, gamma: float) -> str:
    return (
        f"The second moment of class {label!r} is singular and gamma={gamma!r} does not make up "
        "for it. Choose a larger gamma, such as 0.05, or leave out features that others determine."
    )


def _distinct(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    if len(pair) != 2 or pair[0] == pair[1]:
        raise UserError(
            f"pair={pair!r} must name two different classes, the numerator and the denominator."
        )
    return pair


def _moments_of(X: FloatArray, y: npt.NDArray[Any], label: Any) -> ClassSecondMoments:
    is_member = y == label
    if not np.any(is_member):
        known = ", ".join(repr(known) for known in np.unique(y).tolist())
        raise UserError(f"Class {label!r} has no row; the labels are {known}.")
    return ClassSecondMoments().fit(X[is_member], y[is_member])


def _by_factorization(
    moment: FloatArray, denominator: Denominator, n_directions: int
) -> tuple[FloatArray, FloatArray]:
    """Ascending eigenvalues and orthonormal eigenvectors of L^-1 D C D L'^-1."""
    n_features = len(moment)
    whitened = denominator.whiten(denominator.whiten(moment).T)
    wanted = (n_features - n_directions, n_features - 1)
    eigenvalues, vectors = eigh(whitened, subset_by_index=wanted)
    return eigenvalues, vectors


def _by_lanczos(
    moment: FloatArray, denominator: Denominator, n_directions: int
) -> tuple[FloatArray, FloatArray]:
    def multiply(vector: FloatArray) -> FloatArray:
        return denominator.whiten(moment @ denominator.unwhiten(vector))

    operator = LinearOperator(moment.shape, matvec=multiply, dtype=np.float64)
    # A fixed start: the same moments give the same vectors.
    start = np.random.default_rng(0).standard_normal(len(moment))
    try:
        eigenvalues, vectors = eigsh(operator, k=n_directions, which="LA", v0=start)
    except ArpackError:
        return _by_factorization(moment, denominator, n_directions)
    return eigenvalues, vectors

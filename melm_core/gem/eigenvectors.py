"""Generalized eigenvectors of the second moments of two classes, and the pairs of classes.

For a pair of classes (i, j) with second moments C_i and C_j they satisfy

    C_i v = lambda B_j v,    B_j = C_j + gamma / d trace(C_j) 1,    V' B_j V = 1,

so that the mean of (v'x)^2 is lambda over class i and, at gamma = 0, one over
class j. At gamma = 0 the eigenvalues and |v'x| are invariant under invertible
linear maps of the features; with gamma > 0 only under orthogonal maps and a
common scale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular, svd
from scipy.linalg.lapack import dpocon
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.extmath import randomized_svd

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.linalg.class_moments import ClassSecondMoments

# Above this number of features, a small share of the eigenvectors is cheaper to compute by the
# Lanczos method than by a factorization.
LANCZOS_FEATURES = 2_000
_LANCZOS_SHARE = 0.1

# Below this reciprocal condition number the smallest eigenvalues are rounding errors.
_SINGULAR = 1e-14

# A second moment of so many features takes 0.8 GB.
WIDE_FEATURES = 10_000

_SEED = 0  # of the random range finder, so that the result is reproducible
_N_OVERSAMPLES = 20
_N_ITERATIONS = 7  # of its power iterations, each of which squares the gaps of the spectrum


def generalized_eigenvectors(
    X: Any,
    y: Any,
    pair: tuple[Any, Any],
    *,
    gamma: float,
    n_directions: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Generalized eigenvalues and eigenvectors of one ordered pair of classes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    pair : (label, label)
        The numerator class, whose squared projections are large, and the
        denominator class, whose squared projections are small.
    gamma : float
        Regularization of the denominator, in units of its mean eigenvalue
        trace(C_j) / d; zero or more.
    n_directions : int, default=None
        Number of largest eigenvalues; all by default. For few of more than
        2,000 features a partial eigensolver is used, and of more than 10,000 a randomized one
        that forms no matrix of n_features squared, for which gamma is above 0.

    Returns
    -------
    eigenvalues : ndarray of shape (n_directions,)
        Descending.
    vectors : ndarray of shape (n_features, n_directions)
        Columns with V' (C_j + gamma / d trace(C_j) 1) V = 1; the sign makes
        the mean of v'x over the numerator class non-negative.

    Raises
    ------
    ValueError
        If a class is unknown or all its rows are zero, if gamma is negative,
        or if the denominator is singular and gamma too small.

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, equation 3.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core import generalized_eigenvectors
    >>> X = [[3.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    >>> values, vectors = generalized_eigenvectors(X, [1, 1, 2, 2], (1, 2), gamma=0)
    >>> print(values.round(6))
    [9. 1.]
    """
    X = check_array(X, dtype=np.float64)
    y = np.asarray(y)
    check_consistent_length(X, y)
    check_gamma(gamma)
    n_kept = X.shape[1] if n_directions is None else n_directions
    check_integer("n_directions", n_kept, minimum=1)
    if X.shape[1] > WIDE_FEATURES and n_directions is not None:
        numerator, denominator = (WideClass.of(_rows_of(X, y, label)) for label in _distinct(pair))
        return wide_eigenvectors(
            numerator.rows,
            numerator.mean,
            denominator.denominator(gamma=gamma, label=pair[1], is_centered=False),
            n_directions=n_kept,
        )
    top, bottom = (_moments_of(X, y, label) for label in _distinct(pair))
    return leading_eigenvectors(
        top.moments_[0],
        top.means_[0],
        Denominator.of(bottom.moments_[0], gamma=gamma, label=pair[1]),
        n_directions=n_kept,
    )


@dataclass(frozen=True, eq=False)
class Denominator:
    """The factored, regularized second moment of a class: B = D^-1 L L' D^-1.

    The features are scaled to unit size first, so that very different units
    are not mistaken for a singular moment.

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
            Name of the class in error messages.

        Raises
        ------
        ValueError
            If the moment is zero, or if it is singular and gamma too small.
        """
        check_not_zero(np.trace(moment), label)
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
        """L^-1 D times a matrix or a vector."""
        whitened: FloatArray = solve_triangular(self.factor, (self.units * vectors.T).T, lower=True)
        return whitened

    def unwhiten(self, vectors: FloatArray) -> FloatArray:
        """D L'^-1 times a matrix or a vector."""
        solved = solve_triangular(self.factor, vectors, lower=True, trans="T")
        unwhitened: FloatArray = (self.units * solved.T).T
        return unwhitened


def leading_eigenvectors(
    moment: FloatArray, mean: FloatArray, denominator: Denominator, *, n_directions: int
) -> tuple[FloatArray, FloatArray]:
    """Compute the largest eigenvalues and their eigenvectors from the moments.

    Parameters
    ----------
    moment : ndarray of shape (n_features, n_features)
        Second moment of the numerator class.
    mean : ndarray of shape (n_features,)
        Its mean, which determines the signs.
    denominator : Denominator
    n_directions : int
        Capped at the number of features.

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
    """Raise UserError unless gamma is a finite number of at least 0."""
    if not isinstance(gamma, Real) or not 0 <= float(gamma) < np.inf:
        raise UserError(f"gamma={gamma!r} must be a finite number of at least 0.")


def _singular(label: Any, gamma: float) -> str:
    return (
        f"The second moment of class {label!r} is singular even with gamma={gamma!r}. Choose a "
        "larger gamma, such as 0.05, or remove features that are combinations of others."
    )


def _distinct(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    if len(pair) != 2 or pair[0] == pair[1]:
        raise UserError(
            f"pair={pair!r} must name two different classes, the numerator and the denominator."
        )
    return pair


def _moments_of(X: FloatArray, y: npt.NDArray[Any], label: Any) -> ClassSecondMoments:
    rows = _rows_of(X, y, label)
    return ClassSecondMoments().fit(rows, np.full(len(rows), label))


def _rows_of(X: FloatArray, y: npt.NDArray[Any], label: Any) -> FloatArray:
    is_member = y == label
    if not np.any(is_member):
        labels = ", ".join(map(repr, np.unique(y).tolist()))
        raise UserError(f"Class {label!r} has no rows; choose one of the labels {labels}.")
    rows: FloatArray = X[is_member]
    return rows


def _by_factorization(
    moment: FloatArray, denominator: Denominator, n_directions: int
) -> tuple[FloatArray, FloatArray]:
    """Ascending eigenvalues and orthonormal eigenvectors of L^-1 D C D L'^-1."""
    n_features = len(moment)
    whitened = denominator.whiten(denominator.whiten(moment).T)
    largest = (n_features - n_directions, n_features - 1)
    eigenvalues, vectors = eigh(whitened, subset_by_index=largest)
    return eigenvalues, vectors


def _by_lanczos(
    moment: FloatArray, denominator: Denominator, n_directions: int
) -> tuple[FloatArray, FloatArray]:
    def multiply(vector: FloatArray) -> FloatArray:
        return denominator.whiten(moment @ denominator.unwhiten(vector))

    operator = LinearOperator(moment.shape, matvec=multiply, dtype=np.float64)
    # A fixed starting vector makes the result reproducible.
    start = np.random.default_rng(0).standard_normal(len(moment))
    try:
        eigenvalues, vectors = eigsh(operator, k=n_directions, which="LA", v0=start)
    except ArpackError:
        return _by_factorization(moment, denominator, n_directions)
    return eigenvalues, vectors


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

    With a thin singular value decomposition of the denominator's rows, X_j / sqrt(n_j) = U s V',
    the regularized second moment is B = V s^2 V' + rho 1, and its inverse square root times a
    vector needs V alone. The eigenvectors are then the right singular vectors of
    X_i B^-1/2 / sqrt(n_i), of which a randomized decomposition finds the leading ones. No matrix of
    n_features squared is formed.

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


Pairs: TypeAlias = Literal["all", "hypercube"]


def all_pairs(n_classes: int) -> IntArray:
    """Return all ordered pairs of different classes.

    Parameters
    ----------
    n_classes : int

    Returns
    -------
    ndarray of shape (n_classes (n_classes - 1), 2)
        Codes of the numerator and the denominator class.
    """
    first, second = np.nonzero(~np.eye(n_classes, dtype=bool))
    return np.column_stack([first, second]).astype(np.int64)


def hypercube_pairs(n_classes: int, random_state: np.random.Generator) -> IntArray:
    """Return the ordered pairs of classes on neighboring vertices of a random hypercube.

    There are about n_classes log2 n_classes of them instead of all
    n_classes (n_classes - 1). An assignment that leaves a class without a
    neighbor is drawn again; the paper does not consider this case.

    Parameters
    ----------
    n_classes : int
        Two or more.
    random_state : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_pairs, 2)
        Codes of the numerator and the denominator class; symmetric, with (i, j) and (j, i).

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, section 4.3.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.gem import hypercube_pairs
    >>> len(hypercube_pairs(8, np.random.default_rng(0)))  # all pairs: 56
    24
    """
    n_dimensions = int(n_classes - 1).bit_length()
    while True:
        vertices = random_state.permutation(2**n_dimensions)[:n_classes]
        differing = vertices[:, None] ^ vertices
        are_neighbors = (differing > 0) & (differing & (differing - 1) == 0)  # one bit
        if are_neighbors.any(axis=1).all():
            return np.argwhere(are_neighbors).astype(np.int64)


SELECTIONS: Mapping[Pairs, Callable[[int, np.random.Generator], IntArray]] = MappingProxyType(
    {"all": lambda n_classes, _: all_pairs(n_classes), "hypercube": hypercube_pairs}
)

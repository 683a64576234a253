"""Bounds between the generalized eigenvectors of a sample and those of the population.

In the coordinates v'x of the sample's eigenvectors its pair of moments is (diag(lambda), 1), and
the population's pair is (diag(lambda) + E, 1 + F). The Crawford number c of the sample's pair then
bounds how much the angle atan(lambda) of each eigenvalue changes, and the residual of a population
eigenvector bounds the angle between it and that of the sample. The norms of E and F are estimated
by resampling the rows within each class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_random_state

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.gem.eigenvectors import generalized_eigenvectors


@dataclass(frozen=True, eq=False)
class EigenvectorErrors:
    """Error bars of the generalized eigenvalues and eigenvectors of a pair of classes.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n_features,)
        Of the sample, descending.
    lower, upper : ndarray of shape (n_features,)
        Bounds of the eigenvalues of the population; 0 and infinity where the sample is too small
        for any.
    vectors : ndarray of shape (n_features, n_features)
        Of the sample, in columns.
    angles : ndarray of shape (n_features,)
        Bounds of the angle to the population's eigenvector, in radians in the coordinates
        `vectors.T @ x`; pi / 2 where its eigenvalue may be that of another one.
    """

    eigenvalues: FloatArray
    lower: FloatArray
    upper: FloatArray
    vectors: FloatArray
    angles: FloatArray


def eigenvector_errors(
    X: Any,
    y: Any,
    pair: tuple[Any, Any],
    *,
    gamma: float,
    level: float = 0.95,
    n_resamples: int = 200,
    random_state: int | np.random.RandomState | None = None,
) -> EigenvectorErrors:
    """Error bars of all generalized eigenvectors of one ordered pair of classes.

    They hold for the worst direction of a sampling error of the size that resampling shows at the
    level asked for, so they are wide: most errors are much smaller. They need more rows than
    features in each class, and say so by being infinite otherwise. With gamma > 0 the population's
    problem is regularized as the sample's is.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    pair : (label, label)
        The numerator and the denominator class.
    gamma : float
        Regularization of the denominator, in units of its mean eigenvalue.
    level : float, default=0.95
        Quantile of the sampling error, between 0 and 1; for each eigenvalue by itself.
    n_resamples : int, default=200
        Number of resamples of the rows of both classes.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    EigenvectorErrors

    Raises
    ------
    ValueError
        If a parameter or the data are invalid; see `generalized_eigenvectors`.

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized Eigenvectors, ICML 2014,
    section 2.2.
    G. W. Stewart: Perturbation Bounds for the Definite Generalized Eigenvalue Problem, Linear
    Algebra and its Applications 23, 1979.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.decomposition import PCA
    >>> from melm_core import eigenvector_errors
    >>> X, y = load_digits(return_X_y=True)
    >>> errors = eigenvector_errors(
    ...     PCA(3).fit_transform(X), y, (3, 2), gamma=0, random_state=0
    ... )
    >>> bool(errors.lower[0] < errors.eigenvalues[0] < errors.upper[0])
    True
    """
    if not 0 < level < 1:
        raise UserError(f"level={level!r} must be between 0 and 1, such as 0.95.")
    check_integer("n_resamples", n_resamples, minimum=1)
    eigenvalues, vectors = generalized_eigenvectors(X, y, pair, gamma=gamma)
    X, y = check_array(X, dtype=np.float64), np.asarray(y)
    stream = check_random_state(random_state)
    top, bottom = (X[y == label] for label in pair)
    # A change of the trace of the denominator moves its regularization too.
    ridge = gamma / X.shape[1] * vectors.T @ vectors
    coordinates = _Coordinates.of(eigenvalues)
    resampled = [
        (
            coordinates.norms(_moment_error(top, vectors, 0.0 * ridge, stream)) / eigenvalues,
            coordinates.norms(_moment_error(bottom, vectors, ridge, stream)),
        )
        for _ in range(n_resamples)
    ]
    numerator, denominator = np.moveaxis(np.array(resampled), 1, 0)
    errors = np.quantile(np.hypot(numerator, denominator), level, axis=0)
    lower, upper = coordinates.eigenvalue_bounds(errors)
    finite = np.where(np.isfinite(upper), upper, 0.0)
    residuals = np.quantile(eigenvalues * numerator + finite * denominator, level, axis=0)
    angles = coordinates.angle_bounds(residuals, lower, upper)
    return EigenvectorErrors(eigenvalues, lower, upper, vectors, angles)


def _moment_error(
    rows: FloatArray, vectors: FloatArray, ridge: FloatArray, stream: np.random.RandomState
) -> FloatArray:
    """Error of a resampled second moment, in the eigenvectors' coordinates."""
    n = len(rows)
    excess = stream.multinomial(n, np.full(n, 1 / n)) / n - 1 / n
    projections = rows @ vectors
    trace = float(excess @ np.square(rows).sum(axis=1))
    error: FloatArray = projections.T @ (excess[:, None] * projections) + trace * ridge
    return error


@dataclass(frozen=True, eq=False)
class _Coordinates:
    """For each eigenvalue, units in which the pair (diag(lambda), 1) is balanced.

    Dividing the numerator by the eigenvalue in question makes it 1, at an angle of 45 degrees,
    where bounds of the angle say most. With units D of the coordinates, the pair is
    (D s lambda D, D D), whose entries are sines and cosines of the angles atan(s lambda): large
    eigenvalues do not bring their large errors to the small ones.
    """

    eigenvalues: FloatArray  # (n_features,)
    units: FloatArray  # (n_features, n_features), row k for eigenvalue k
    crawford: FloatArray  # (n_features,)

    @classmethod
    def of(cls, eigenvalues: FloatArray) -> _Coordinates:
        if not eigenvalues[-1] > 0:
            raise UserError(
                "The second moment of the numerator class is singular, so its eigenvalues of zero "
                "have no error bars. Remove features that are combinations of others, or use "
                "principal components."
            )
        angles = np.arctan(eigenvalues / eigenvalues[:, None])
        # The least distance from the origin of the chord over the arc of all angles.
        crawford = np.cos(np.ptp(angles, axis=1) / 2)
        return cls(eigenvalues, np.sqrt(np.cos(angles)), crawford)

    def norms(self, error: FloatArray) -> FloatArray:
        """Spectral norm of an error of either moment in the units of each eigenvalue."""
        scaled = (unit[:, None] * error * unit for unit in self.units)
        return np.array([np.linalg.norm(each, 2) for each in scaled], dtype=np.float64)

    def eigenvalue_bounds(self, errors: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Bounds by sin |atan(s mu) - atan(s lambda)| <= error / c, c the Crawford number."""
        turn = np.arcsin(np.minimum(errors / self.crawford, 1.0))
        is_bounded = turn < np.pi / 4
        tangent = np.tan(np.pi / 4 - turn)
        lower = np.where(is_bounded, self.eigenvalues * tangent, 0.0)
        upper = np.full_like(lower, np.inf)
        np.divide(self.eigenvalues, tangent, out=upper, where=is_bounded)
        return lower, upper

    def angle_bounds(
        self, residuals: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> FloatArray:
        """Bounds by the residual: (diag(lambda) - mu) w = (mu F - E) w for an eigenvector w."""
        angles = np.full(len(self.eigenvalues), np.pi / 2)
        for k, unit in enumerate(self.units):
            others = np.arange(len(self.eigenvalues)) != k
            distances = np.maximum(lower[k] - self.eigenvalues, self.eigenvalues - upper[k])
            gap = np.min((unit**2 * distances)[others], initial=np.inf)
            if np.isfinite(upper[k]) and residuals[k] < gap:
                tangent = np.tan(np.arcsin(residuals[k] / gap))
                angles[k] = np.arctan(np.max(unit[others], initial=0.0) / unit[k] * tangent)
        return angles

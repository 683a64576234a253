"""The mean log posterior M of the true classes, and its gradient.

M is the negative Kullback-Leibler divergence, in nats, between the true
assignment of the rows and the posteriors by Bayes' rule (section 2 of the paper):

    M = 1/N sum_i log P_{y_i}(z_i),   P_j = pi_j rho_j / sum_l pi_l rho_l.

It is at most 0 and depends on the span of the components only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from sklearn.utils import check_X_y

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_class_sizes, check_components, check_integer
from melm_core.linalg.class_moments import covariance_of, rows_by_class
from melm_core.rotations.density_models import (
    DensityModel,
    ProjectedDensities,
    gaussian_per_class,
)

# A projected class is singular if its variance in some direction, relative to that of all
# rows, is below this: its inverse covariance would have no significant digits.
_SINGULAR = 1e-13

# Tolerance of the angles of the maxima, in radians.
_ANGLE_TOLERANCE = 1e-9


@overload
def rotation_objective(
    X: Any,
    y: Any,
    components: Any,
    *,
    priors: Any = ...,
    return_gradient: Literal[False] = ...,
) -> float: ...


@overload
def rotation_objective(
    X: Any, y: Any, components: Any, *, priors: Any = ..., return_gradient: Literal[True]
) -> tuple[float, FloatArray]: ...


def rotation_objective(
    X: Any,
    y: Any,
    components: Any,
    *,
    priors: Any = None,
    return_gradient: bool = False,
) -> float | tuple[float, FloatArray]:
    """Return the mean log posterior M of the true classes, with one Gaussian each.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least n_components + 1 rows.
    components : array-like of shape (n_components, n_features)
        Linearly independent rows; the value depends on their span only.
    priors : array-like of shape (n_classes,) or None
        Prior probabilities in the order of the sorted labels; None for the
        shares of the classes.
    return_gradient : bool
        Also return the gradient.

    Returns
    -------
    value : float
        M in nats, at most 0.
    gradient : ndarray of shape (n_components, n_features)
        Its derivative by `components`, if requested.

    Raises
    ------
    ValueError
        If a class has no Gaussian density in the plane, because it has fewer
        than n_components + 1 rows or does not vary in some direction, or if
        another argument is invalid.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013,
    section 2 and, for the gradient, section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import rotation_objective
    >>> X, y = load_iris(return_X_y=True)
    >>> value, gradient = rotation_objective(X, y, np.eye(4)[2:], return_gradient=True)
    >>> round(value, 2), gradient.shape
    (-0.06, (2, 4))
    """
    objective, white = gaussian_posterior_objective(X, y, components, priors=priors)
    value, gradient = objective(white @ np.asarray(components, dtype=np.float64))
    return (value, white.T @ gradient) if return_gradient else value


def gaussian_posterior_objective(
    X: Any, y: Any, components: Any, *, priors: Any = None
) -> tuple[PosteriorObjective, FloatArray]:
    """M with one Gaussian per class, after checking that it is defined in a plane.

    Parameters
    ----------
    X, y, components, priors
        As for `rotation_objective`.

    Returns
    -------
    objective : PosteriorObjective
    white : ndarray of shape (n_components, n_components)
        In the plane of white @ components the projected rows have unit
        covariance. M is the same there, and is computed most accurately.

    Raises
    ------
    ValueError
        As for `rotation_objective`.
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    components = check_components(components, X.shape[1])
    labels, codes = np.unique(y, return_inverse=True)
    check_class_sizes(labels, codes)
    check_rows_for_plane(labels, codes, len(components))
    priors = checked_priors(priors, codes)
    centered = X - X.mean(axis=0)
    white = _white_frame(centered @ components.T)
    _check_spread(centered @ (white @ components).T, labels, codes)
    return PosteriorObjective(gaussian_per_class(centered, codes), codes, priors), white


@dataclass(frozen=True, eq=False)
class PosteriorObjective:
    """M for any family of class densities.

    Attributes
    ----------
    densities : DensityModel
    codes : ndarray of shape (n_samples,)
        Class codes of the rows of `densities`.
    priors : ndarray of shape (n_classes,)
    """

    densities: DensityModel
    codes: IntArray
    priors: FloatArray

    def __call__(self, components: FloatArray) -> tuple[float, FloatArray]:
        """M and its derivative by `components` (n_components, n_features)."""
        evaluation = self.evaluate(components)
        return evaluation.value, evaluation.gradient()

    def evaluate(self, components: FloatArray) -> Evaluation:
        """M, and its derivative on demand."""
        projected = self.densities.project(components)
        posteriors = log_posteriors(projected.log_values + np.log(self.priors))
        return Evaluation(projected, self.codes, posteriors)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """M in one plane.

    Attributes
    ----------
    projected : ProjectedDensities
    codes : ndarray of shape (n_samples,)
    log_posteriors : ndarray of shape (n_samples, n_classes)
    """

    projected: ProjectedDensities
    codes: IntArray
    log_posteriors: FloatArray

    @property
    def value(self) -> float:
        """M, in nats."""
        rows = np.arange(len(self.codes))
        return float(self.log_posteriors[rows, self.codes].mean())

    def gradient(self) -> FloatArray:
        """Derivative of M by the components, from dM/dlog rho_l(z_i) = (Q_il - P_il)/N."""
        weights = -np.exp(self.log_posteriors)
        weights[np.arange(len(self.codes)), self.codes] += 1.0
        return self.projected.pull_back(weights / len(self.codes))


def log_posteriors(log_joint: FloatArray) -> FloatArray:
    """Compute log posteriors from the logarithms of prior times density (n_samples, n_classes)."""
    joint = log_joint - log_joint.max(axis=1, keepdims=True)
    normed: FloatArray = joint - np.log(np.exp(joint).sum(axis=1, keepdims=True))
    return normed


def checked_priors(priors: Any, codes: IntArray) -> FloatArray:
    """Return the priors as an array; None gives the shares of the classes.

    Parameters
    ----------
    priors : array-like of shape (n_classes,) or None
    codes : ndarray of shape (n_samples,)
        Class codes.

    Raises
    ------
    ValueError
        If they are not one positive number per class with sum 1.
    """
    counts = np.bincount(codes)
    shares: FloatArray
    if priors is None:
        shares = counts / counts.sum()
        return shares
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != counts.shape or not (given > 0).all() or abs(given.sum() - 1.0) > 1e-6:
        raise UserError(
            f"priors={given.tolist()} must be {len(counts)} numbers above 0, one per class, whose "
            "sum is 1; leave them out to use the shares of the classes."
        )
    shares = given / given.sum()
    return shares


def check_rows_for_plane(labels: npt.NDArray[Any], codes: IntArray, n_components: int) -> None:
    """Check that every class has more rows than the plane has dimensions.

    Raises
    ------
    ValueError
        If one has not; the message names the class and its number of rows.
    """
    counts = np.bincount(codes)
    smallest = int(counts.argmin())
    if counts[smallest] <= n_components:
        raise UserError(
            f"Class {labels.tolist()[smallest]!r} has {counts[smallest]} rows; in {n_components} "
            f"dimensions a class needs at least {n_components + 1}, or its density is flat. Add "
            "rows, leave the class out, or choose fewer dimensions."
        )


def _white_frame(points: FloatArray) -> FloatArray:
    """Compute the (n_components, n_components) matrix that whitens the centered points."""
    units = points.std(axis=0)
    if (units > 0).all():
        variances, axes = np.linalg.eigh(covariance_of(points / units))
        if variances[0] > _SINGULAR:
            frame: FloatArray = (axes / np.sqrt(variances)).T / units
            return frame
    raise UserError(
        "The rows do not vary in some direction of the plane, so no class has a density there. "
        "Choose components along which the data vary."
    )


def _check_spread(points: FloatArray, labels: npt.NDArray[Any], codes: IntArray) -> None:
    for label, rows in zip(labels.tolist(), rows_by_class(points, codes), strict=True):
        if np.linalg.eigvalsh(covariance_of(rows))[0] <= _SINGULAR:
            raise UserError(
                f"Class {label!r} does not vary in some direction of the plane, so it has no "
                "Gaussian density there. Choose other components, or leave out features that "
                "are constant within the class."
            )


@dataclass(frozen=True, eq=False)
class AngleProfile:
    """M of the lines through the origin of a plane; see `angle_profile`.

    The paper's Figures 1 to 3 show it: the number of maxima, and how sharp they are.

    Attributes
    ----------
    angles : ndarray of shape (n_angles,)
        Evenly spaced in [0, pi), in radians, from the first axis towards the second.
    objectives : ndarray of shape (n_angles,)
        M of the line in the direction (cos angle, sin angle), in nats.
    maxima : ndarray of shape (n_maxima,)
        Angles of the local maxima in [0, pi), in radians, the highest maximum
        first. They need not be among `angles`.
    maxima_objectives : ndarray of shape (n_maxima,)
        M at the maxima, in nats.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import angle_profile
    >>> X, y = load_iris(return_X_y=True)
    >>> profile = angle_profile(X[:, 2:], y, n_angles=90)
    >>> profile.objectives.shape, profile.maxima.shape == profile.maxima_objectives.shape
    ((90,), True)
    """

    angles: FloatArray
    objectives: FloatArray
    maxima: FloatArray
    maxima_objectives: FloatArray


def angle_profile(X: Any, y: Any, *, n_angles: int = 360, priors: Any = None) -> AngleProfile:
    """Compute M for lines that two-dimensional data can be projected onto, and its maxima.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    n_angles : int
        Number of evenly spaced lines; a maximum narrower than their spacing
        may be missed.
    priors : array-like of shape (n_classes,) or None
        Prior probabilities in the order of the sorted labels; None for the
        shares of the classes.

    Raises
    ------
    ValueError
        If the data are not two-dimensional, or a class does not vary in both directions.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013, Figures 1 to 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import angle_profile
    >>> X, y = load_iris(return_X_y=True)
    >>> profile = angle_profile(X[:, 2:], y)
    >>> np.degrees(profile.maxima).round()
    array([65.])
    """
    check_integer("n_angles", n_angles, minimum=3)
    if np.ndim(X) != 2 or np.shape(X)[1] != 2:
        raise UserError(
            f"X has shape {np.shape(X)}; a profile over angles needs two columns. Project the data "
            "onto a plane first."
        )
    objective, _ = gaussian_posterior_objective(X, y, np.eye(2), priors=priors)
    angles = np.pi * np.arange(n_angles) / n_angles
    objectives = np.array([_of_angle(angle, objective) for angle in angles])
    refined = [_refined(angles[peak], np.pi / n_angles, objective) for peak in _peaks(objectives)]
    maxima = np.array(sorted(refined, key=lambda pair: -pair[1])).reshape(-1, 2)
    return AngleProfile(angles, objectives, maxima[:, 0], maxima[:, 1])


def _of_angle(angle: float, objective: PosteriorObjective) -> float:
    return objective.evaluate(np.array([[np.cos(angle), np.sin(angle)]])).value


def _peaks(objectives: FloatArray) -> IntArray:
    """Return indices of the local maxima of a periodic function."""
    is_peak = (objectives >= np.roll(objectives, 1)) & (objectives > np.roll(objectives, -1))
    return np.flatnonzero(is_peak)


def _refined(angle: float, width: float, objective: PosteriorObjective) -> tuple[float, float]:
    result = minimize_scalar(
        lambda trial: -_of_angle(trial, objective),
        bounds=(angle - width, angle + width),
        method="bounded",
        options={"xatol": _ANGLE_TOLERANCE},
    )
    return float(result.x % np.pi), -float(result.fun)

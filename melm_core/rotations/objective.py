"""The mean log posterior M of the true classes, and its gradient.

M is the negative Kullback-Leibler divergence between the true assignment of
the rows and the posteriors by Bayes' rule (section 2 of the paper):

    M = 1/N sum_i log P_{y_i}(z_i),   P_j = pi_j rho_j / sum_l pi_l rho_l.

It is at most 0, and depends on the span of the components only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_X_y

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_class_sizes, check_components
from melm_core.linalg.class_moments import covariance_of, rows_by_class
from melm_core.rotations.class_densities import (
    ClassDensities,
    ProjectedDensities,
    one_gaussian_a_class,
)

# A projected class is singular when its variance in some direction, relative to that of
# all rows, is below this: the inverse would have no digits left.
_SINGULAR = 1e-13


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
    """Mean log posterior of the true classes, one Gaussian a class in the plane.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of any kind.
    components : array-like of shape (n_components, n_features)
        Any full-rank rows: the value depends on their span only.
    priors : array-like of shape (n_classes,) or None
        Prior probabilities in the order of the sorted labels; None for the
        shares of the classes.
    return_gradient : bool
        Also return the derivative by `components`, of their shape.

    Returns
    -------
    value : float
        M, at most 0.
    gradient : ndarray of shape (n_components, n_features)
        If asked for.

    Raises
    ------
    ValueError
        If a class has no Gaussian in the plane: fewer rows than n_components + 1,
        or no spread along some direction; if the rows of `components` are dependent.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013,
    section 2 and, for the gradient, section 4.1.
    """
    objective, white = gaussian_posterior_objective(X, y, components, priors=priors)
    value, gradient = objective(white @ np.asarray(components, dtype=np.float64))
    return (value, white.T @ gradient) if return_gradient else value


def gaussian_posterior_objective(
    X: Any, y: Any, components: Any, *, priors: Any = None
) -> tuple[PosteriorObjective, FloatArray]:
    """M with one Gaussian a class, once it is known to be defined all over a subspace.

    Parameters
    ----------
    X, y, components, priors
        As for `rotation_objective`.

    Returns
    -------
    objective : PosteriorObjective
    white : ndarray of shape (n_components, n_components)
        Matrix that turns `components` into a frame in which the projected
        rows have unit covariance: M does not depend on the frame, and this
        one keeps all digits.

    Raises
    ------
    ValueError
        As `rotation_objective`.
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    components = check_components(components, X.shape[1])
    labels, codes = np.unique(y, return_inverse=True)
    check_class_sizes(labels, codes)
    check_rows_for_plane(labels, codes, len(components))
    priors = checked_priors(priors, codes)
    centred = X - X.mean(axis=0)
    white = _white_frame(centred @ components.T)
    _check_spread(centred @ (white @ components).T, labels, codes)
    return PosteriorObjective(one_gaussian_a_class(centred, codes), codes, priors), white


@dataclass(frozen=True, eq=False)
class PosteriorObjective:
    """M for any family of class densities.

    Attributes
    ----------
    densities : ClassDensities
    codes : ndarray of shape (n_samples,)
        Class codes of the rows of `densities`.
    priors : ndarray of shape (n_classes,)
    """

    densities: ClassDensities
    codes: IntArray
    priors: FloatArray

    def __call__(self, components: FloatArray) -> tuple[float, FloatArray]:
        """M and its derivative by `components` (n_components, n_features)."""
        evaluation = self.evaluate(components)
        return evaluation.value, evaluation.gradient()

    def evaluate(self, components: FloatArray) -> Evaluation:
        """M, and its derivative if it should be asked for."""
        projected = self.densities.at(components)
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
        """M, the mean log posterior of the true classes."""
        rows = np.arange(len(self.codes))
        return float(self.log_posteriors[rows, self.codes].mean())

    def gradient(self) -> FloatArray:
        """Derivative of M by the components, by way of dM/dlog rho_l(z_i) = (Q_il - P_il)/N."""
        weights = -np.exp(self.log_posteriors)
        weights[np.arange(len(self.codes)), self.codes] += 1.0
        return self.projected.pull_back(weights / len(self.codes))


def log_posteriors(log_joint: FloatArray) -> FloatArray:
    """Logarithms of the posteriors, from those of prior times density (n_samples, n_classes)."""
    joint = log_joint - log_joint.max(axis=1, keepdims=True)
    normed: FloatArray = joint - np.log(np.exp(joint).sum(axis=1, keepdims=True))
    return normed


def checked_priors(priors: Any, codes: IntArray) -> FloatArray:
    """The priors as an array; the shares of the classes for None.

    Raises
    ------
    ValueError
        If they are not one positive number a class with sum 1.
    """
    counts = np.bincount(codes)
    shares: FloatArray
    if priors is None:
        shares = counts / counts.sum()
        return shares
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != counts.shape or not (given > 0).all() or abs(given.sum() - 1.0) > 1e-6:
        raise UserError(
            f"priors={given.tolist()} must be {len(counts)} numbers above 0, one a class, whose "
            "sum is 1; leave them out to use the shares of the classes."
        )
    shares = given / given.sum()
    return shares


def check_rows_for_plane(labels: npt.NDArray[Any], codes: IntArray, n_components: int) -> None:
    """Every class has a row more than the plane has dimensions, so that it can fill it.

    Raises
    ------
    ValueError
        Naming the class and its number of rows.
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
    """Matrix (n_components, n_components) that gives the centred points unit covariance."""
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

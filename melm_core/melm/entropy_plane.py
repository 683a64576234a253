"""Planes of extreme Renyi entropy, without class labels (MELM paper, Theorems 1 and 2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from msgspec import structs

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    PlaneEstimator,
    check_choice,
    check_integer,
    check_magnitudes,
    check_n_components,
    check_positive,
    drawn_seed,
)
from melm_core.base.progress import Callback, Progress
from melm_core.base.validated_data import validate_data
from melm_core.density import ClassDensities
from melm_core.density.covariances import bandwidth_factor
from melm_core.linalg.class_moments import covariance_of
from melm_core.linalg.planes import orthonormalize, principal_frame
from melm_core.linalg.smaller_tables import NULL_VARIANCE, RowSpace, row_space
from melm_core.optimization.lbfgs import Objective
from melm_core.optimization.multistart import Stage, Start, maximize, random_starts


class EntropyPlane(PlaneEstimator):
    """The plane in which the projected data have the largest or smallest Renyi entropy H2.

    For the Gaussian density the largest entropy is that of the first principal
    components (Theorem 1), the smallest that of the last ones (Theorem 2). Of the
    kernel density it is the plane over which the rows are spread most evenly.

    Parameters
    ----------
    n_components : int, default=2
        Dimension k of the plane.
    direction : "max" or "min", default="max"
        Whether to maximize or minimize the entropy.
    density : "gaussian" or "kde", default="gaussian"
        The density of the projected data.
    gamma : float, default=1.0
        Kernel width relative to Silverman's rule, for the kernel density.
    n_init : int, default=6
        Number of random starts.
    max_iter : int, default=500
        Maximum number of accepted steps per start.
    tol : float, default=1e-10
        Relative gain of a step below which a start has converged.
    random_state : int, RandomState or None, default=None
        Seed of the random starts.
    callback : callable, default=None
        Called with a `Progress` at every accepted step; a true return value
        stops the fit, which keeps the best plane so far.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows along the principal axes of the projected data.
    entropy_ : float
        H2 of the projected density, in nats.
    start_results_ : tuple of StartResult
        The result of each start; the objective is the entropy, negated if it
        is minimized.
    n_iter_ : int
        Accepted steps of the best start.
    mean_ : ndarray of shape (n_features,)

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015,
    Theorems 1 and 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from melm_core import EntropyPlane, principal_angles
    >>> X, _ = load_iris(return_X_y=True)
    >>> plane = EntropyPlane(random_state=0).fit(X)
    >>> angles = principal_angles(plane.components_, PCA(2).fit(X).components_)
    >>> bool(angles.max() < 1e-3)
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        direction: Literal["max", "min"] = "max",
        density: Literal["gaussian", "kde"] = "gaussian",
        gamma: float = 1.0,
        n_init: int = 6,
        max_iter: int = 500,
        tol: float = 1e-10,
        random_state: int | np.random.RandomState | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.direction = direction
        self.density = density
        self.gamma = gamma
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.callback = callback

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            If a parameter or the data are invalid; the message says which and why.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_magnitudes(X)
        self._validate_parameters(X.shape[1])
        self.mean_ = X.mean(axis=0)
        space = row_space(X - self.mean_, self.n_components)
        covariance = covariance_of(space.rows)
        _check_bounded(covariance, X.shape[1], self.direction)
        sign = 1.0 if self.direction == "max" else -1.0
        entropy = self._entropy(space.rows, covariance)
        stage = Stage("", _signed(entropy, sign), self.max_iter, self.tol)
        callback = None if self.callback is None else _reporting(self.callback, sign, space)
        outcome = maximize([stage], self._starts(len(covariance)), callback=callback)
        components = orthonormalize(outcome.best.components)
        frame = principal_frame(components, components @ covariance @ components.T)
        self.components_ = space.lift(frame)
        self.entropy_ = sign * outcome.best.objective
        self.start_results_ = tuple(
            replace(start, components=space.lift(start.components))
            for start in outcome.start_results
        )
        self.n_iter_ = outcome.best.n_iterations
        return self

    def _validate_parameters(self, n_features: int) -> None:
        check_n_components(self.n_components, n_features)
        check_choice("direction", self.direction, ("max", "min"))
        check_choice("density", self.density, ("gaussian", "kde"))
        check_positive("gamma", self.gamma)
        check_integer("n_init", self.n_init, minimum=1)
        check_integer("max_iter", self.max_iter, minimum=1)
        check_positive("tol", self.tol)

    def _entropy(self, centered: FloatArray, covariance: FloatArray) -> Objective:
        if self.density == "gaussian":
            return lambda components: gaussian_entropy(components, covariance)
        factor = bandwidth_factor(len(centered), self.n_components, self.gamma)
        density = ClassDensities((centered,), factor**2 * covariance[None])
        return lambda components: kernel_entropy(components, density)

    def _starts(self, n_features: int) -> list[Start]:
        seed = drawn_seed(self.random_state)
        return random_starts(self.n_init, self.n_components, n_features, seed)


def gaussian_entropy(components: FloatArray, covariance: FloatArray) -> tuple[float, FloatArray]:
    """H2 of the Gaussian projected onto a plane, and its derivative by the components.

    k/2 log(4 pi) + 1/2 log det(V' cov V) for orthonormal V (equation before
    Theorem 1); for other rows minus 1/2 log det of their Gram matrix.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Linearly independent rows.
    covariance : ndarray of shape (n_features, n_features)

    Returns
    -------
    entropy : float
        In nats.
    gradient : ndarray of shape (n_components, n_features)
    """
    spread = components @ covariance
    inner, gram = spread @ components.T, components @ components.T
    log_det = np.linalg.slogdet(inner)[1] - np.linalg.slogdet(gram)[1]
    value = 0.5 * (len(components) * np.log(4.0 * np.pi) + log_det)
    return float(value), np.linalg.solve(inner, spread) - np.linalg.solve(gram, components)


def kernel_entropy(components: FloatArray, density: ClassDensities) -> tuple[float, FloatArray]:
    """H2 of a kernel density projected onto a plane, and its derivative by the components.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Linearly independent rows.
    density : ClassDensities
        Of a single class.

    Returns
    -------
    entropy : float
        In nats.
    gradient : ndarray of shape (n_components, n_features)
    """
    potentials = density.project(components).potentials()
    gram = components @ components.T
    value = -potentials.log_values[0, 0] - 0.5 * np.linalg.slogdet(gram)[1]
    gradient = density.pull_back(components, potentials, -np.ones((1, 1)))
    return float(value), gradient - np.linalg.solve(gram, components)


def _signed(objective: Objective, sign: float) -> Objective:
    def signed(components: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(components)
        return sign * value, sign * gradient

    return signed


def _reporting(callback: Callback, sign: float, space: RowSpace) -> Callback:
    """Return a callback that reports entropies and planes of the features."""

    def report(step: Progress) -> bool | None:
        entropies = {
            "components": space.lift(orthonormalize(step.components)),
            "objective": sign * step.objective,
            "best_objective": sign * step.best_objective,
        }
        return callback(structs.replace(step, **entropies))

    return report


def _check_bounded(covariance: FloatArray, n_features: int, direction: str) -> None:
    variances = np.linalg.eigvalsh(covariance)
    if variances[-1] <= 0:
        raise UserError(
            "All rows are equal, so every plane has the same entropy. Add rows that differ."
        )
    n_directions = int(np.sum(variances > NULL_VARIANCE * variances[-1]))
    if direction == "min" and n_directions < n_features:
        raise UserError(
            f"The data vary along {n_directions} of {n_features} directions only, so that the "
            "entropy of a plane has no minimum. Leave out features that are constant or linear "
            'combinations of others, or choose direction="max".'
        )

"""The estimator of feature extraction through rotations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    SupervisedPlaneEstimator,
    check_choice,
    check_integer,
    check_n_components,
    check_positive,
    check_rank,
    drawn_seed,
)
from melm_core.base.progress import Callback
from melm_core.linalg.planes import orthonormalize, principal_frame
from melm_core.optimization.multistart import Outcome, in_data_space
from melm_core.rotations.class_families import ClassFamily
from melm_core.rotations.density_models import DENSITIES, Density, TransformedDensities
from melm_core.rotations.objective import check_rows_for_plane, checked_priors, log_posteriors
from melm_core.rotations.search import (
    SOLVERS,
    Reduction,
    RotationSettings,
    Solver,
    reduce_by_rotations,
    screening_objectives,
    search_basis,
)


class RotationPlane(ClassifierMixin, SupervisedPlaneEstimator):
    """Plane of the largest mean log posterior M of the true classes, and its classifier.

    M is invariant under affine maps of the data. The default solver rotates
    the plane in standardized coordinates along the gradient, with Armijo's
    rule. Searches that converge fully ("lbfgs") reach a larger M on the
    training rows, but do not predict held-out rows better. Directions in which
    no class varies are left out. If a class is flat in a direction in which
    others vary, as is a class with fewer rows than features, 0.1 % of the
    pooled covariance is mixed into its own.

    Parameters
    ----------
    n_components : int, default=2
        Dimension m of the plane.
    density : "gaussian", "mixture", "kde" or ClassFamily, default="gaussian"
        Class densities in the plane: one Gaussian per class, a Gaussian
        mixture per class, the kernel densities of MELM, or a family of one's
        own (see `ClassFamily`).
    n_mixture : int, default=2
        Number of Gaussians per class of the mixture.
    gamma : float, default=1.0
        Kernel width relative to Silverman's rule, for the kernel densities.
    solver : "armijo", "lbfgs" or "paper", default="armijo"
        "lbfgs" converges, in whitened coordinates. "paper" is the step rule as
        printed, which does not converge; it keeps the best plane it passes.
    n_init : int, default=10
        Number of random starts.
    nested : sequence of int, default=()
        Dimensions of intermediate reductions, decreasing, such as (10, 5) in
        the paper.
    screening : int or None, default=None
        Number of features to keep, those with the largest M alone; None for all.
    priors : array-like of shape (n_classes,) or None, default=None
        Prior probabilities in the order of `classes_`; None for the shares of
        the classes.
    max_iter : int, default=500
        Maximum number of accepted steps per start.
    tol : float, default=1e-6
        Gain of a step, in nats, below which a start has converged; for "lbfgs"
        a thousandth of it, relative to M.
    random_state : int, RandomState or None, default=None
        Seed of the random starts and of the initialization of the mixtures.
    n_jobs : int or None, default=None
        Number of starts optimized at the same time: in threads, or where
        `joblib.parallel_config` sends them. The result does not depend on it.
    callback : callable, default=None
        Called with a `Progress` at every accepted step; a true return value
        stops the fit, which keeps the best plane so far. During the
        intermediate reductions the plane is that of the first directions of
        the subspace.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows along the principal axes of the projected data.
    objective_ : float
        M in the plane, in nats; at most 0.
    start_results_ : tuple of StartResult
        The result of each start of the last reduction, with its plane in the
        coordinates of the data.
    history_ : ndarray of shape (n_steps,)
        M at every accepted step of the best start.
    n_iter_ : int
        Accepted steps of the best start; 0 if the plane is the whole space.
    converged_ : bool
        Whether the best start converged.
    plane_densities_ : TransformedDensities
        The class densities in the coordinates of `transform`:
        `log_densities(points)` for points of shape (n_points, n_components).
    priors_ : ndarray of shape (n_classes,)
    screening_order_ : ndarray of shape (n_features,)
        With screening only: the features by decreasing M.
    screening_objectives_ : ndarray of shape (n_features,)
        With screening only: M of each feature alone, in nats.
    classes_ : ndarray of shape (n_classes,)
    mean_ : ndarray of shape (n_features,)

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import RotationPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> rotations = RotationPlane(n_init=2, random_state=0).fit(X, y)
    >>> rotations.transform(X).shape
    (150, 2)
    >>> round(rotations.score(X, y), 2)
    0.98
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        density: Density | ClassFamily = "gaussian",
        n_mixture: int = 2,
        gamma: float = 1.0,
        solver: Solver = "armijo",
        n_init: int = 10,
        nested: Sequence[int] = (),
        screening: int | None = None,
        priors: Any = None,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.density = density
        self.n_mixture = n_mixture
        self.gamma = gamma
        self.solver = solver
        self.n_init = n_init
        self.nested = nested
        self.screening = screening
        self.priors = priors
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(self, X: Any, y: Any) -> Self:
        """Find the plane and the class densities in it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least n_components + 1
            rows (with `nested`, one more than its first dimension).

        Raises
        ------
        ValueError
            If a parameter or the data are invalid; the message says which and why.
        """
        X, y = self._validate_labeled(X, y)
        self._validate_parameters(X.shape[1])
        dimensions = (*self.nested, self.n_components)
        check_rows_for_plane(self.classes_, y, dimensions[0])
        self.priors_ = checked_priors(self.priors, y)
        centered = X - self.mean_
        basis = self._basis(centered, y)
        check_rank(basis.shape[1], dimensions[0])
        settings = self._settings(dimensions)
        stage, outcome = reduce_by_rotations(
            centered, y, self.priors_, basis, settings=settings, callback=self.callback
        )
        self._keep(centered, stage, outcome)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the classes with the largest posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        codes = self._log_joint(X).argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any) -> FloatArray:
        """Compute posterior probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        posteriors: FloatArray = np.exp(self.predict_log_proba(X))
        return posteriors

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Compute logarithms of the posterior probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return log_posteriors(self._log_joint(X))

    def score_samples(self, X: Any) -> FloatArray:
        """Compute the log density in the plane of the mixture of all classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        total: FloatArray = np.logaddexp.reduce(self._log_joint(X), axis=1)
        return total

    def log_loss(self, X: Any, y: Any) -> float:
        """Compute the mean of -log P of the true class, which is -M on these rows, in nats.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels among `classes_`.
        """
        logs = self.predict_log_proba(X)
        return -float(logs[np.arange(len(logs)), self._codes(y)].mean())

    def brier_score(self, X: Any, y: Any) -> float:
        """Compute half the mean squared distance of posteriors from the true assignment.

        For two classes this is the mean squared error of the paper, the mean of
        (1 - P)^2 for the true class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels among `classes_`.
        """
        distances = self.predict_proba(X) - np.eye(len(self.classes_))[self._codes(y)]
        return 0.5 * float(np.square(distances).sum(axis=1).mean())

    def _log_joint(self, X: Any) -> FloatArray:
        """Compute logarithms of prior * density, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        logs: FloatArray = self.plane_densities_.log_densities(self.transform(X))
        return logs + np.log(self.priors_)

    def _codes(self, y: Any) -> IntArray:
        labels = np.asarray(y)
        codes = np.searchsorted(self.classes_, labels).clip(max=len(self.classes_) - 1)
        unknown = self.classes_[codes] != labels
        if unknown.any():
            raise UserError(
                f"The label {labels[unknown].tolist()[0]!r} was not among those of the fit, "
                f"{self.classes_.tolist()}. Leave its rows out."
            )
        return codes

    def _validate_parameters(self, n_features: int) -> None:
        check_n_components(self.n_components, n_features)
        _check_density(self.density)
        check_integer("n_mixture", self.n_mixture, minimum=1)
        check_positive("gamma", self.gamma)
        check_choice("solver", self.solver, SOLVERS)
        check_integer("n_init", self.n_init, minimum=1)
        check_integer("max_iter", self.max_iter, minimum=1)
        check_positive("tol", self.tol)
        n_screened = n_features
        if self.screening is not None:
            check_integer("screening", self.screening, minimum=self.n_components)
            n_screened = self.screening
        if n_screened > n_features:
            raise UserError(
                f"screening={self.screening} exceeds the {n_features} feature(s) of the data; "
                f"choose at most {n_features}, or None to keep all."
            )
        _check_nested(self.nested, n_screened, self.n_components)

    def _settings(self, dimensions: tuple[int, ...]) -> RotationSettings:
        return RotationSettings(
            dimensions=dimensions,
            density=self.density,
            n_mixture=self.n_mixture,
            gamma=self.gamma,
            solver=self.solver,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            seed=drawn_seed(self.random_state),
            n_jobs=self.n_jobs,
        )

    def _basis(self, centered: FloatArray, y: IntArray) -> FloatArray:
        """Compute the basis of the search (n_features, rank), from screened features."""
        whiten = self.solver == "lbfgs"
        if self.screening is None:
            return search_basis(centered, y, whiten=whiten)
        self.screening_objectives_ = screening_objectives(centered, y, self.priors_)
        self.screening_order_ = np.argsort(-self.screening_objectives_, kind="stable")
        screened = self.screening_order_[: self.screening]
        narrow = search_basis(centered[:, screened], y, whiten=whiten)
        basis = np.zeros((centered.shape[1], narrow.shape[1]))
        basis[screened] = narrow
        return basis

    def _keep(self, centered: FloatArray, stage: Reduction, outcome: Outcome) -> None:
        best = outcome.best
        raw = best.components @ stage.basis.T
        frame = orthonormalize(raw)
        projected = centered @ frame.T
        self.components_ = principal_frame(frame, projected.T @ projected / len(projected))
        self.plane_densities_ = TransformedDensities(
            stage.objective.densities.in_plane(best.components), raw @ self.components_.T
        )
        self.objective_ = best.objective
        self.start_results_ = in_data_space(outcome.start_results, stage.basis)
        self.history_ = np.array(best.history)
        self.n_iter_ = best.n_iterations
        self.converged_ = best.converged


def _check_density(density: Any) -> None:
    if isinstance(density, str):
        check_choice("density", density, DENSITIES)
    elif isinstance(density, type) or not isinstance(density, ClassFamily):
        raise UserError(
            f"density={density!r} must be one of {', '.join(map(repr, DENSITIES))}, or an object "
            "with the method log_density(rows, points)."
        )


def _check_nested(nested: Sequence[int], n_features: int, n_components: int) -> None:
    if np.ndim(nested) != 1:
        raise UserError(
            f"nested={nested!r} must be a sequence of decreasing dimensions, such as (10, 5), or "
            "empty."
        )
    for dimension in nested:
        check_integer("nested", dimension, minimum=1)
    steps = pairwise((n_features, *nested, n_components))
    if len(nested) > 0 and any(wider <= narrower for wider, narrower in steps):
        raise UserError(
            f"nested={tuple(nested)} must decrease strictly, from below the {n_features} features "
            f"kept to above n_components={n_components}; leave it empty to reduce in one step."
        )

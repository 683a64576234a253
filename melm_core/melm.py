"""Maximum Entropy Linear Manifold (Czarnecki, Józefowicz and Tabor, 2015).

The orthonormal plane in which the kernel densities of the classes have the
largest Cauchy-Schwarz divergence.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from melm_core._base import (
    SupervisedPlaneEstimator,
    check_integer,
    check_n_components,
    check_positive,
    check_shrinkage,
)
from melm_core._typing import FloatArray, IntArray
from melm_core.density import (
    KernelClasses,
    Shrinkage,
    kernel_classes,
    log_densities,
    within_class_whitening,
)
from melm_core.divergence import divergence_and_gradient, divergence_terms
from melm_core.geometry import orthonormalize, principal_frame
from melm_core.optimize import Init, Outcome, Start, Step, maximize
from melm_core.progress import Callback, Progress
from melm_core.starts import default_starts

# An ascent of about this many steps counts as half done: the number of steps
# is not known beforehand, yet the bar has to move.
_STEPS_TO_HALF = 20


class MELM(ClassifierMixin, SupervisedPlaneEstimator):
    """Plane of the largest Cauchy-Schwarz divergence between the class densities.

    The value depends on the span only and is invariant under affine maps of
    the data, so the ascent runs on free components in coordinates whitened by
    the pooled within-class covariance and is mapped back at the end.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the plane, k.
    gamma : float, default=1.0
        Kernel width relative to Silverman's rule: small looks close, large
        blurs each class towards one Gaussian.
    n_init : int, default=16
        Starts: the PCA and the LDA plane, then random planes.
    shrinkage : float in [0, 1] or "auto", default="auto"
        Share of the pooled covariance in each class kernel. "auto" is zero
        unless a class is nearly flat in some direction, where the divergence
        would be unbounded.
    max_iter : int, default=500
        Accepted steps a start at most.
    tol : float, default=1e-9
        Relative improvement below which a start has converged.
    random_state : int, RandomState or None, default=None
        Seed of the random starts.
    callback : callable, default=None
        Given a `Progress` at every accepted step; a true return stops the fit
        and the best plane so far is kept.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows along the principal axes of the projected data.
    divergence_ : float
        Its Cauchy-Schwarz divergence.
    fitting_term_, regularizing_term_ : float
        `divergence_` is their difference.
    inits_ : tuple of Init
        One record a start, its plane in the coordinates of the data.
    history_ : ndarray of shape (n_steps,)
        The divergence at every accepted step, start after start.
    n_iter_ : int
        Accepted steps of the best start; 0 if the plane is the whole space.
    n_evaluations_ : int
        Evaluations of value and gradient, all starts together.
    converged_ : bool
        Whether the best start converged.
    n_dropped_directions_ : int
        Directions left out because no class varies along them.
    classes_ : ndarray of shape (n_classes,)
    mean_ : ndarray of shape (n_features,)

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015.
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        gamma: float = 1.0,
        n_init: int = 16,
        shrinkage: Shrinkage = "auto",
        max_iter: int = 500,
        tol: float = 1e-9,
        random_state: int | np.random.RandomState | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.n_init = n_init
        self.shrinkage = shrinkage
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.callback = callback

    def fit(self, X: Any, y: Any) -> Self:
        """Find the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.

        Raises
        ------
        ValueError
            If a parameter or the data break a rule; the message names both.
        """
        X, y = self._validate_labelled(X, y)
        self._validate_parameters(X.shape[1])
        centred = X - self.mean_
        whitener = within_class_whitening(centred, y)
        self._check_rank(whitener.shape[1])
        self.n_dropped_directions_ = X.shape[1] - whitener.shape[1]
        outcome = self._maximize(centred @ whitener, y, whitener)
        self._keep(outcome, centred, y)
        return self

    def predict(self, X: Any) -> np.typing.NDArray[Any]:
        """Class of the largest density in the plane, priors ignored, shape (n_samples,)."""
        codes = self._log_densities(X).argmax(axis=1)
        labels: np.typing.NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any) -> FloatArray:
        """Share of each class density at the rows, shape (n_samples, n_classes)."""
        logs = self._log_densities(X)
        densities = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares: FloatArray = densities / densities.sum(axis=1, keepdims=True)
        return shares

    def _log_densities(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return log_densities(self.transform(X), self.projected_classes_)

    def _validate_parameters(self, n_features: int) -> None:
        check_n_components(self.n_components, n_features)
        check_positive("gamma", self.gamma)
        check_integer("n_init", self.n_init, minimum=1)
        check_shrinkage(self.shrinkage)
        check_integer("max_iter", self.max_iter, minimum=1)
        check_positive("tol", self.tol)

    def _check_rank(self, rank: int) -> None:
        if rank < self.n_components:
            raise ValueError(
                f"The classes vary along {rank} direction(s) only, and n_components="
                f"{self.n_components} needs at least as many. Choose fewer components, or add "
                "features that vary within the classes."
            )

    def _maximize(self, whitened: FloatArray, y: IntArray, whitener: FloatArray) -> Outcome:
        classes = kernel_classes(
            whitened,
            y,
            n_components=self.n_components,
            gamma=self.gamma,
            shrinkage=self.shrinkage,
        )
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        starts = default_starts(
            whitened,
            y,
            n_components=self.n_components,
            n_init=self.n_init,
            random_state=seed,
        )
        if whitened.shape[1] == self.n_components:
            starts = [Start("whole space", np.eye(self.n_components))]
        outcome = maximize(
            lambda components: divergence_and_gradient(classes, components),
            starts,
            max_iter=self.max_iter,
            tol=self.tol,
            report=_Reporter(whitener, len(starts), self.callback),
        )
        inits = tuple(_in_data_space(init, whitener) for init in outcome.inits)
        best = inits[outcome.inits.index(outcome.best)]
        return replace(outcome, best=best, inits=inits)

    def _keep(self, outcome: Outcome, centred: FloatArray, y: IntArray) -> None:
        projected = centred @ outcome.best.components.T
        self.components_ = principal_frame(
            outcome.best.components, projected.T @ projected / len(projected)
        )
        classes = kernel_classes(
            centred,
            y,
            n_components=self.n_components,
            gamma=self.gamma,
            shrinkage=self.shrinkage,
        )
        terms = divergence_terms(classes, self.components_)
        self.divergence_ = terms.divergence
        self.fitting_term_ = terms.fitting
        self.regularizing_term_ = terms.regularizing
        self.projected_classes_: KernelClasses = classes.project(self.components_)
        self.inits_ = outcome.inits
        self.history_ = np.array(outcome.history)
        self.n_iter_ = outcome.best.n_iterations
        self.n_evaluations_ = outcome.n_evaluations
        self.converged_ = outcome.best.converged


def _in_data_space(init: Init, whitener: FloatArray) -> Init:
    return replace(init, components=orthonormalize(init.components @ whitener.T))


class _Reporter:
    """Turns the steps of the ascent into `Progress` for the callback."""

    def __init__(self, whitener: FloatArray, n_starts: int, callback: Callback | None) -> None:
        self._whitener = whitener
        self._n_starts = n_starts
        self._callback = callback
        self._best = -np.inf
        self._began = time.perf_counter()

    def __call__(self, step: Step) -> bool:
        self._best = max(self._best, step.objective)
        if self._callback is None:
            return False
        return bool(self._callback(self._progress(step)))

    def _progress(self, step: Step) -> Progress:
        within_start = step.iteration / (step.iteration + _STEPS_TO_HALF)
        return Progress(
            components=orthonormalize(step.components @ self._whitener.T),
            objective=step.objective,
            best_objective=self._best,
            start=step.start + 1,
            n_starts=self._n_starts,
            iteration=step.iteration,
            n_evaluations=step.n_evaluations,
            stage=f"start {step.start + 1} of {self._n_starts}",
            fraction=(step.start + within_start) / self._n_starts,
            elapsed_s=time.perf_counter() - self._began,
        )

"""Maximum Entropy Linear Manifold (Czarnecki, Józefowicz and Tabor, 2015).

The orthonormal plane in which the kernel densities of the classes have the
largest Cauchy-Schwarz divergence.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    SupervisedPlaneEstimator,
    check_choice,
    check_integer,
    check_n_components,
    check_positive,
    check_shrinkage,
)
from melm_core.base.progress import Callback
from melm_core.density.classifier import ClassDensityMixin, class_thresholds
from melm_core.density.information_potentials import ENGINES, Engine
from melm_core.density.kernel_density import (
    KernelClasses,
    Shrinkage,
    centred_kernel_classes,
    log_densities,
    whitened_kernel_classes,
)
from melm_core.linalg.planes import orthonormalize, principal_frame
from melm_core.melm.multiclass import AGGREGATES, DEFAULT_MULTICLASS, Multiclass
from melm_core.melm.objective import divergence, divergence_terms
from melm_core.melm.search import search
from melm_core.melm.settings import SearchSettings
from melm_core.optimization.multistart import is_same_plane
from melm_core.optimization.progress import ProgressReporter
from melm_core.optimization.types import Outcome


class MELM(ClassDensityMixin, SupervisedPlaneEstimator):
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
    n_init : int, default=14
        Starts: up to six optima of the limit of wide kernels, in which a class
        is one Gaussian, then random planes. All of them climb for a while, the
        best three distinct ones to the end.
    solver : "lbfgs" or "penalty", default="lbfgs"
        "penalty" is the paper's formulation, for comparison: the data as they
        are, random starts, and the penalty |V'V - 1|^2 in place of whitening.
    continuation : "auto", sequence of float or None, default="auto"
        Widenings of gamma to climb before gamma itself, falling and above 1;
        None or empty to climb at gamma alone. "auto" begins with the kernels
        of gamma 1.5 and narrows them by 1.75 a stage; the penalised solver
        then climbs at gamma alone, as in the paper.
    init : "auto" or array-like of shape (n_planes, n_components, n_features), default="auto"
        Planes to begin from instead of the default starts.
    engine : "auto", "direct" or "nufft", default="auto"
        How the divergence is summed; both engines agree to 1e-8.
    shrinkage : float in [0, 1] or "auto", default="auto"
        Share of the pooled covariance in each class kernel. "auto" is zero
        unless a class is nearly flat in some direction, where the divergence
        would be unbounded.
    multiclass : "mean", "softmin" or "ovr", default="softmin"
        One number for more than two classes, see `melm_core.melm.multiclass`.
    max_iter : int, default=500
        Accepted steps a start and stage at most.
    tol : float, default=1e-9
        Relative improvement below which a start has converged.
    random_state : int, RandomState or None, default=None
        Seed of the random starts.
    n_jobs : int or None, default=None
        Starts that climb at the same time: in threads, or where
        `joblib.parallel_config` sends them. The result does not depend on it.
    callback : callable, default=None
        Given a `Progress` at every accepted step, and before the first one the
        plane of the principal components, to look at while the starts are
        looked for. A true return stops the fit and the best plane so far is
        kept.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows along the principal axes of the projected data.
    divergence_ : float
        Its divergence.
    fitting_term_, regularizing_term_ : float
        For two classes `divergence_` is their difference; for more each is a
        mean over the pairs, weighted by what a pair counts.
    inits_ : tuple of Init
        One record a start, its plane in the coordinates of the data.
    n_agreeing_inits_ : int
        Starts that reached the best plane; one that was left behind on its way
        there does not count.
    history_ : ndarray of shape (n_steps,)
        The divergence at every accepted step of the last stage, start after start.
    n_iter_ : int
        Accepted steps of the best start; 0 if the plane is the whole space.
    n_evaluations_ : int
        Evaluations of value and gradient, all starts together.
    converged_ : bool
        Whether the best start converged.
    n_dropped_directions_ : int
        Directions left out because no class varies along them.
    projected_classes_ : KernelClasses
        The projected rows and kernels of each class: the densities.
    thresholds_ : ndarray of shape (n_thresholds,)
        For one component only: where on the line the predicted class changes.
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
        n_init: int = 14,
        solver: Literal["lbfgs", "penalty"] = "lbfgs",
        continuation: Literal["auto"] | Sequence[float] | None = "auto",
        init: Any = "auto",
        engine: Engine = "auto",
        shrinkage: Shrinkage = "auto",
        multiclass: Multiclass = DEFAULT_MULTICLASS,
        max_iter: int = 500,
        tol: float = 1e-9,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.n_init = n_init
        self.solver = solver
        self.continuation = continuation
        self.init = init
        self.engine = engine
        self.shrinkage = shrinkage
        self.multiclass = multiclass
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
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
        prepare = whitened_kernel_classes if self.solver == "lbfgs" else centred_kernel_classes
        classes, whitener = prepare(
            X, y, n_components=self.n_components, gamma=self.gamma, shrinkage=self.shrinkage
        )
        self._check_rank(whitener.shape[1])
        self.n_dropped_directions_ = X.shape[1] - whitener.shape[1]
        settings = self._settings()
        reporter = ProgressReporter(
            self.callback, lambda components: orthonormalize(components @ whitener.T)
        )
        outcome = search(classes, settings, reporter, self._given_planes(whitener))
        self._keep(outcome, classes, whitener)
        return self

    def _log_densities(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return log_densities(self.transform(X), self.projected_classes_)

    def _validate_parameters(self, n_features: int) -> None:
        check_n_components(self.n_components, n_features)
        check_positive("gamma", self.gamma)
        check_integer("n_init", self.n_init, minimum=1)
        check_choice("solver", self.solver, ("lbfgs", "penalty"))
        _checked_factors(self.continuation)
        check_choice("engine", self.engine, ENGINES)
        check_shrinkage(self.shrinkage)
        check_choice("multiclass", self.multiclass, tuple(AGGREGATES))
        check_integer("max_iter", self.max_iter, minimum=1)
        check_positive("tol", self.tol)

    def _settings(self) -> SearchSettings:
        return SearchSettings(
            n_components=self.n_components,
            n_init=self.n_init,
            gamma=self.gamma,
            continuation=_checked_factors(self.continuation),
            engine=self.engine,
            multiclass=self.multiclass,
            max_iter=self.max_iter,
            tol=self.tol,
            n_jobs=self.n_jobs,
            seed=check_random_state(self.random_state).randint(np.iinfo(np.int32).max),
            has_callback=self.callback is not None,
            is_penalized=self.solver == "penalty",
        )

    def _check_rank(self, rank: int) -> None:
        if rank < self.n_components:
            raise UserError(
                f"The classes vary along {rank} direction(s) only, and n_components="
                f"{self.n_components} needs at least as many. Choose fewer components, or add "
                "features that vary within the classes."
            )

    def _given_planes(self, whitener: FloatArray) -> list[FloatArray] | None:
        """The planes of `init` in whitened coordinates."""
        if isinstance(self.init, str) and self.init == "auto":
            return None
        planes = np.asarray(self.init, dtype=np.float64)
        wanted = (self.n_components, whitener.shape[0])
        if planes.ndim != 3 or planes.shape[1:] != wanted:
            raise UserError(
                f'init must be "auto" or planes of shape (n_planes, {wanted[0]}, {wanted[1]}); '
                f"its shape is {planes.shape}."
            )
        back = np.linalg.pinv(whitener).T  # (n_features, rank)
        return [plane @ back for plane in planes]

    def _keep(self, outcome: Outcome, classes: KernelClasses, whitener: FloatArray) -> None:
        best = outcome.best.components  # (n_components, rank)
        terms = divergence_terms(classes, best, engine=self.engine, multiclass=self.multiclass)
        # The objective of the penalised form is the divergence less the penalty.
        self.divergence_ = divergence(classes, best, engine=self.engine, multiclass=self.multiclass)
        self.fitting_term_ = terms.fitting
        self.regularizing_term_ = terms.regularizing
        self.components_, turn = _framed(best, classes, whitener)
        self.projected_classes_ = classes.project(turn @ best)
        if self.n_components == 1:
            self.thresholds_ = class_thresholds(self.projected_classes_)
        self.start_results_ = tuple(
            result.in_data_space(whitener) for result in outcome.start_results
        )
        self.n_agreeing_starts_ = sum(
            is_same_plane(result.components, best) for result in outcome.start_results
        )
        self.history_ = np.array(outcome.history)
        self.n_iter_ = outcome.best.n_iterations
        self.n_evaluations_ = outcome.n_evaluations
        self.converged_ = outcome.best.converged


def _checked_factors(
    continuation: Literal["auto"] | Sequence[float] | None,
) -> tuple[float, ...] | None:
    """The factors that were asked for; None where they follow from gamma.

    Raises
    ------
    ValueError
        If they break a rule.
    """
    if isinstance(continuation, str):
        check_choice("continuation", continuation, ("auto",))
        return None
    factors = tuple(continuation or ())
    for factor in factors:
        check_positive("continuation", factor)
    if any(later >= earlier for earlier, later in pairwise((*factors, 1.0))):
        raise UserError(
            f"continuation={factors} must fall from step to step and stay above 1, the widening "
            "at which the search ends; for example (3.0, 1.7)."
        )
    return factors


def _framed(
    components: FloatArray, classes: KernelClasses, whitener: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Orthonormal rows in data space along the principal axes of the projected rows.

    With them the matrix that turns `components` of the whitened space into
    the components whose projections are the same.
    """
    raw = components @ whitener.T
    frame = orthonormalize(raw)
    turn = frame @ np.linalg.pinv(raw)
    projected = classes.project(turn @ components).rows
    moment = sum(rows.T @ rows for rows in projected) / classes.counts.sum()
    principal = principal_frame(frame, np.asarray(moment))
    return principal, principal @ np.linalg.pinv(raw)

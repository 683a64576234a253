"""The estimator of the Maximum Entropy Linear Manifold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray
from melm_core.base.block_sources import table_of
from melm_core.base.estimator import (
    check_choice,
    check_integer,
    check_n_components,
    check_not_negative,
    check_positive,
    check_rank,
    check_shrinkage,
)
from melm_core.base.groups import group_codes, nuisance_codes
from melm_core.base.progress import Callback
from melm_core.base.row_blocks import BlockSource, is_lazy
from melm_core.base.sample_weights import deviations_of
from melm_core.base.weighted_estimator import WeightedPlaneEstimator
from melm_core.density.class_densities import ENGINES, ClassDensities, Engine
from melm_core.density.classifier import ClassDensityMixin, class_thresholds
from melm_core.density.kernel_density import (
    centered_kernel_classes,
    kernel_classes_of_blocks,
    whitened_kernel_classes,
)
from melm_core.density.nuisance import checked_cells, kernel_cells
from melm_core.density.plane_axes import principal_axes
from melm_core.density.shrinkage import DEFAULT_SHRINKAGE, Shrinkage
from melm_core.linalg.planes import orthonormalize
from melm_core.melm.bagging import bagged_fits, mean_outcome, mean_plane
from melm_core.melm.blind_objective import blind_divergence_and_gradient, nuisance_divergence
from melm_core.melm.gamma_choice import GAMMAS, gamma_path, inner_folds
from melm_core.melm.multiclass import AGGREGATES, DEFAULT_MULTICLASS, Multiclass
from melm_core.melm.objective import divergence, divergence_terms
from melm_core.melm.relay import ProgressRelay
from melm_core.melm.search import search
from melm_core.melm.settings import (
    SearchSettings,
    checked_factors,
    given_planes,
    in_memory_only,
    settings_of,
)
from melm_core.optimization.multistart import is_same_plane
from melm_core.optimization.progress import ProgressReporter
from melm_core.optimization.types import Outcome


class MELM(ClassDensityMixin, WeightedPlaneEstimator):
    """Plane of the largest Cauchy-Schwarz divergence between the class densities.

    The divergence depends on the span of the components only, so the search
    runs without constraints, in coordinates whitened by the pooled within-class
    covariance. With ``shrinkage="auto"`` or a number it is also invariant under
    affine maps of the data; by default it is invariant under changes of units.

    Parameters
    ----------
    n_components : int, default=2
        Dimension k of the plane.
    gamma : float or "auto", default=1.0
        Kernel width relative to Silverman's rule. Small values resolve fine
        structure; large ones smooth each class towards one Gaussian. "auto"
        chooses the widest kernel, from 0.25 to 8, whose held-out accuracy in
        five inner folds is within one standard error of the best.
    n_init : int, default=14
        Number of starts: up to six optima of the limit of wide kernels, in
        which each class is one Gaussian, and random planes. All of them
        compete for a limited number of steps; the best three distinct planes
        are optimized until they converge. Where more than one stage of wider
        kernels precedes gamma, below about 0.7, n_init - 6 random planes join
        at each stage after the first.
    solver : "lbfgs" or "penalty", default="lbfgs"
        "penalty" is the formulation of the paper, for comparison: no
        whitening, random starts, and the penalty |V'V - 1|^2.
    continuation : "auto", sequence of float or None, default="auto"
        Factors on gamma for the stages before gamma itself, decreasing and
        above 1; None or empty for no such stages. "auto" begins with the
        kernels of gamma 1.5 and narrows them by 1.75 per stage; with the
        penalty solver it means None, as in the paper.
    init : "auto" or array-like of shape (n_planes, n_components, n_features), default="auto"
        Initial planes instead of the default starts.
    engine : "auto", "direct" or "nufft", default="auto"
        How the kernel sums are computed. The engines agree to 1e-8; "auto"
        chooses the faster one.
    shrinkage : float in [0, 1], "auto" or "ledoit-wolf", default="ledoit-wolf"
        How the covariance of each class is regularized in its kernel. A number
        is the weight of the pooled covariance. "auto", with which the planes
        are invariant under affine maps of the data, is zero unless a class is
        nearly flat in some direction, where the divergence would be unbounded.
        "ledoit-wolf" shrinks each covariance towards the identity in
        standardized features, by the estimate of Ledoit and Wolf.
    multiclass : "mean", "softmin" or "ovr", default="softmin"
        How the divergences of more than two classes are aggregated, see
        `melm_core.melm.multiclass`.
    max_iter : int, default=500
        Maximum number of accepted steps per start and stage.
    tol : float, default=1e-9
        Relative gain of a step below which a start has converged.
    nuisance_weight : float, default=1.0
        How many nats of the divergence of the classes one nat of the divergence between the
        values of a nuisance, such as the batches, within a class may cost. It has an
        effect only if `fit` is given a nuisance.
    n_bootstrap : int, default=0
        If above 0, the plane is the mean of the planes of so many bootstrap
        samples, stratified by class: the leading eigenvectors of the mean
        projector, in standardized features.
    random_state : int, RandomState or None, default=None
        Seed of the random starts, the folds and the bootstrap.
    n_jobs : int or None, default=None
        Number of starts optimized at the same time: in threads, or where
        `joblib.parallel_config` sends them. The result does not depend on it.
    callback : callable, default=None
        Called with a `Progress` at every accepted step, and once before, with
        the plane of the principal components, while the starts are computed.
        A true return value stops the fit, which keeps the best plane so far.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows along the principal axes of the projected data.
    divergence_ : float
        Divergence in the plane, in nats.
    nuisance_divergence_ : float
        If fitted with a nuisance: the mean over the classes of the divergence between its
        values within the class, in nats. What is maximized, and the objective of the starts
        and of the history, is `divergence_` less `nuisance_weight` times this.
    fitting_term_, regularizing_term_ : float
        The terms of the divergence, in nats, see `DivergenceTerms`.
    start_results_ : tuple of StartResult
        The result of each start, with its plane in the coordinates of the data.
    n_agreeing_starts_ : int
        Number of starts that reached the best plane. Starts that dropped out
        of the competition do not count.
    history_ : ndarray of shape (n_steps,)
        The divergence at every accepted step of the last stage, one start
        after the other.
    n_iter_ : int
        Accepted steps of the best start; 0 if the plane is the whole space.
    n_evaluations_ : int
        Evaluations of the divergence with its gradient, all starts together.
    converged_ : bool
        Whether the best start converged.
    stopped_ : bool
        Whether the callback stopped the fit.
    gamma_ : float
        The kernel width of the fit.
    gamma_path_ : GammaPath
        For gamma="auto" only: held-out accuracy by kernel width.
    n_dropped_directions_ : int
        Number of directions left out because no class varies along them.
    projected_classes_ : ClassDensities
        The projected rows and kernels of each class, which define the densities.
    thresholds_ : ndarray of shape (n_thresholds,)
        With one component only: where on the line the predicted class changes.
    classes_ : ndarray of shape (n_classes,)
    mean_ : ndarray of shape (n_features,)

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015, section 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import MELM
    >>> X, y = load_iris(return_X_y=True)
    >>> melm = MELM(random_state=0).fit(X, y)
    >>> round(melm.divergence_, 2)
    6.71
    >>> melm.transform(X).shape
    (150, 2)
    >>> round(melm.score(X, y), 2)
    0.99
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        gamma: float | Literal["auto"] = 1.0,
        n_init: int = 14,
        solver: Literal["lbfgs", "penalty"] = "lbfgs",
        continuation: Literal["auto"] | Sequence[float] | None = "auto",
        init: Any = "auto",
        engine: Engine = "auto",
        shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
        multiclass: Multiclass = DEFAULT_MULTICLASS,
        max_iter: int = 500,
        tol: float = 1e-9,
        nuisance_weight: float = 1.0,
        n_bootstrap: int = 0,
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
        self.nuisance_weight = nuisance_weight
        self.n_bootstrap = n_bootstrap
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        nuisance: Any = None,
    ) -> Self:
        """Find the plane.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
            A sparse matrix is made dense, up to 2 GB. A Dask collection may exceed the memory.
        y : array-like or Dask collection of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts, not necessarily a whole number; None for once. The
            kernels depend on it through their widths, too: those of more rows are narrower.
        groups : array-like of shape (n_samples,) or None, default=None
            Rows of one group stay together in the inner folds of gamma="auto" and in the
            draws of the bootstrap.
        nuisance : array-like of shape (n_samples,) or None, default=None
            What the plane is to be blind to, such as the batch of each row: its values are
            to have the same density within each class. Classes with one value say nothing.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid, or no class has two values of the nuisance;
            the message says which and why.

        Warns
        -----
        SmallCellsWarning
            If a class has too few rows of a value of the nuisance for a density.
        """
        if is_lazy(X):
            more = {"sample_weight": sample_weight, "groups": groups, "nuisance": nuisance}
            return self._fit_blocks(table_of(self, X, y, in_memory_only(self, more)))
        valid = self._validate_weighted(X, y, sample_weight)
        if nuisance is not None:
            valid = replace(valid, nuisance=nuisance_codes(nuisance, len(valid.kept))[valid.kept])
            names = np.asarray(nuisance)[valid.kept]
            cells = checked_cells(valid, self.classes_, names, n_components=self.n_components)
        X, y, weights = valid.X, valid.y, valid.weights
        self._validate_parameters(X.shape[1])
        if groups is not None:
            groups = group_codes(groups, len(valid.kept))[valid.kept]
        settings = settings_of(self)
        folds = inner_folds(y, groups, settings.seed) if self.gamma == "auto" else []
        n_path = len(folds) * len(GAMMAS)
        relay = ProgressRelay(self.callback, n_path + max(self.n_bootstrap, 1))
        self.gamma_ = settings.gamma
        if folds:
            self.gamma_path_ = gamma_path(self, valid, folds, relay)
            self.gamma_ = self.gamma_path_.chosen
        settings = replace(settings, gamma=self.gamma_)
        prepare = whitened_kernel_classes if self.solver == "lbfgs" else centered_kernel_classes
        kernels: dict[str, Any] = {
            "n_components": self.n_components,
            "gamma": self.gamma_,
            "shrinkage": self.shrinkage,
            "weights": weights,
        }
        classes, whitener = prepare(X, y, **kernels)
        check_rank(whitener.shape[1], self.n_components)
        if nuisance is not None:
            of_cells = kernel_cells(X - self.mean_, cells, **kernels)
            classes = replace(classes, cells=tuple(own.project(whitener.T) for own in of_cells))
        self.n_dropped_directions_ = X.shape[1] - whitener.shape[1]
        if self.n_bootstrap:
            follow = relay.after(n_path)
            fits = bagged_fits(self, valid, seed=settings.seed, groups=groups, follow=follow)
            plane = mean_plane([fit.components_ for fit in fits], deviations_of(X, weights))
            back = np.asarray(np.linalg.pinv(whitener).T, dtype=np.float64)
            outcome = mean_outcome(fits, plane @ back, self._objective(classes, plane @ back), back)
        else:
            outcome = self._found(classes, whitener, settings, relay.for_fit(n_path))
        self._keep(outcome, classes, whitener)
        return self

    def _fit_blocks(self, table: BlockSource) -> Self:
        self._validate_parameters(table.n_features)
        settings = settings_of(self)
        self.gamma_ = settings.gamma
        classes, whitener, self.mean_ = kernel_classes_of_blocks(
            table, n_components=self.n_components, gamma=self.gamma_, shrinkage=self.shrinkage
        )
        check_rank(whitener.shape[1], self.n_components)
        self.n_dropped_directions_ = table.n_features - whitener.shape[1]
        report = ProgressRelay(self.callback, 1).for_fit(0)
        self._keep(self._found(classes, whitener, settings, report), classes, whitener)
        return self

    def _found(
        self,
        classes: ClassDensities,
        whitener: FloatArray,
        settings: SearchSettings,
        callback: Callback | None,
    ) -> Outcome:
        reporter = ProgressReporter(callback, lambda plane: orthonormalize(plane @ whitener.T))
        planes = given_planes(self.init, self.n_components, whitener)
        return search(classes, settings, reporter, planes)

    def _objective(self, classes: ClassDensities, plane: FloatArray) -> float:
        """What is maximized, without the penalty of the penalty solver."""
        value, _ = blind_divergence_and_gradient(
            classes,
            plane,
            nuisance_weight=self.nuisance_weight,
            engine=self.engine,
            multiclass=self.multiclass,
        )
        return value

    def _log_densities(self, X: Any) -> Any:
        check_is_fitted(self)
        return self.projected_classes_.log_densities(self.transform(X))

    def _validate_parameters(self, n_features: int) -> None:
        check_n_components(self.n_components, n_features)
        if self.gamma != "auto":
            check_positive("gamma", self.gamma)
        check_integer("n_init", self.n_init, minimum=1)
        check_choice("solver", self.solver, ("lbfgs", "penalty"))
        checked_factors(self.continuation)
        check_choice("engine", self.engine, ENGINES)
        check_shrinkage(self.shrinkage)
        check_choice("multiclass", self.multiclass, tuple(AGGREGATES))
        check_integer("max_iter", self.max_iter, minimum=1)
        check_positive("tol", self.tol)
        check_not_negative("nuisance_weight", self.nuisance_weight)
        check_integer("n_bootstrap", self.n_bootstrap, minimum=0)

    def _keep(self, outcome: Outcome, classes: ClassDensities, whitener: FloatArray) -> None:
        best = outcome.best.components  # (n_components, rank)
        terms = divergence_terms(classes, best, engine=self.engine, multiclass=self.multiclass)
        # The objective of the penalty solver includes the penalty, the divergence does not.
        self.divergence_ = divergence(classes, best, engine=self.engine, multiclass=self.multiclass)
        self.fitting_term_ = terms.fitting
        self.regularizing_term_ = terms.regularizing
        if classes.cells:
            cells = classes.cells
            self.nuisance_divergence_ = nuisance_divergence(cells, best, engine=self.engine)
        self.components_, change = principal_axes(best, classes, whitener)
        self.projected_classes_ = classes.project(change @ best)
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
        self.stopped_ = outcome.stopped

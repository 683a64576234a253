"""The estimator of the Maximum Entropy Linear Manifold."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from msgspec import structs
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray
from melm_core.base.block_sources import table_of
from melm_core.base.codes import nuisance_codes
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    WeightedPlaneEstimator,
    WeightedRows,
    check_choice,
    check_integer,
    check_n_components,
    check_not_negative,
    check_positive,
    check_rank,
    check_shrinkage,
    drawn_seed,
)
from melm_core.base.progress import (
    DEFAULT_DENSITY_GAMMA,
    DEFAULT_GAMMA,
    Callback,
    Progress,
    as_part_of_fit,
)
from melm_core.base.row_blocks import BlockSource, in_memory, is_lazy
from melm_core.density.class_densities import ClassDensities, Engine
from melm_core.density.class_rules import DensityRule
from melm_core.density.classifier import ClassDensityMixin, class_thresholds
from melm_core.density.covariances import DEFAULT_SHRINKAGE, Shrinkage
from melm_core.density.kernel_density import (
    centered_kernel_classes,
    kernel_classes_of_blocks,
    principal_axes,
    whitened_kernel_classes,
)
from melm_core.density.nuisance import NuisanceCells, checked_cells, kernel_cells
from melm_core.linalg.planes import orthonormalize
from melm_core.melm.multiclass import AGGREGATES, DEFAULT_MULTICLASS, Multiclass
from melm_core.melm.objective import (
    DivergenceTerms,
    divergence_and_terms,
    nuisance_divergence,
)
from melm_core.melm.search import SearchOptions, SearchSettings, default_starts, search
from melm_core.optimization.multistart import (
    Outcome,
    StartResult,
    first_alike,
    in_data_space,
)


@dataclass(eq=False)
class _InPlane:
    """Attributes of a plane that are computed on first access; refits hardly ever need them."""

    in_plane: ClassDensities
    engine: Engine
    multiclass: Multiclass
    density_gamma: float

    @cached_property
    def terms(self) -> tuple[float, DivergenceTerms]:
        """The divergence, and its terms along the orthonormal components.

        Only their difference, the divergence, is the same in any coordinates.
        """
        return divergence_and_terms(self.in_plane, engine=self.engine, multiclass=self.multiclass)

    @cached_property
    def rule(self) -> DensityRule:
        classes, gamma = self.in_plane, self.density_gamma
        if not in_memory(classes.rows):
            return DensityRule.of_blocks(classes.rows, gamma=gamma)
        return DensityRule.of_moments(
            classes.rows, *classes.moments, classes.totals, gamma=gamma, weights=classes.weights
        )


@dataclass(frozen=True, eq=False)
class _Starts:
    """The starts of a search, told of in the coordinates of the data once they are asked for."""

    outcome: Outcome
    whitener: FloatArray

    @cached_property
    def results(self) -> tuple[StartResult, ...]:
        return in_data_space(self.outcome.start_results, self.whitener)

    @cached_property
    def n_agreeing(self) -> int:
        results = self.outcome.start_results
        planes = [self.outcome.best.components, *(result.components for result in results)]
        return first_alike(planes).count(0) - 1


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
    gamma : float, default=2.0
        Width of the kernels whose divergence is maximized, relative to Silverman's rule. Small
        values resolve fine structure; large ones smooth each class towards one Gaussian. `MELMCV`
        chooses it by held-out rows. The papers have 1.
    density_gamma : float, default=1.0
        Width of the kernels of the class densities in the plane that is found, by which rows are
        classified: the kernels that find the best plane are wider than those that classify best
        in it.
    n_init : int or "auto", default="auto"
        Number of starts; "auto" is 6, and 14 for a gamma below 1.5, at which the
        divergence has more optima. They are up to six optima of the limit of wide
        kernels, in which each class is one Gaussian, and random planes. All of them
        compete for a limited number of steps; the best three distinct planes
        are optimized until they converge. Where more than one stage of wider
        kernels precedes gamma, below about 0.7, n_init - 6 random planes join
        at each stage after the first.
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
    nuisance_weight : float, default=1.0
        How many nats of the divergence of the classes one nat of the divergence between the
        values of a nuisance, such as the batches, within a class may cost. It has an
        effect only if `fit` is given a nuisance.
    random_state : int, RandomState or None, default=None
        Seed of the random starts.
    search : SearchOptions or None, default=None
        Initial planes, limits of the steps, jobs, and other choices of the search than the
        default ones; `set_search` changes some of them.
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
        The terms of the divergence, in nats, see `DivergenceTerms`, along `components_`.
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
        The kernel width of the divergence.
    n_dropped_directions_ : int
        Number of directions left out because no class varies along them.
    rule_ : DensityRule
        The class densities in the plane, of width `density_gamma`, by which rows are classified. Of
        a Dask collection they are found when they are first asked for, by four passes over it.
    projected_classes_ : ClassDensities
        The projected rows of each class, and the kernels that the search compares, here of width
        `density_gamma`: the densities of the paper.
    thresholds_ : ndarray of shape (n_thresholds,)
        With one component only: where on the line the predicted class changes.
    classes_ : ndarray of shape (n_classes,)
    mean_ : ndarray of shape (n_features,)

    Notes
    -----
    `predict` and `predict_proba` take the class densities of the fitted rows, as the studio does
    until refits are there. The plane has drawn the classes of its own rows together, so that of few
    rows and many features probabilities are too sure: on noise their log loss is near 1 where that
    of guessing is .69. `melm_core.evaluation.Refits.rule` has the densities of rows that the plane
    has not seen, whose probabilities are calibrated; saved planes and programs take those, and
    `melm_core.evaluation.ConformalClassifier(MELM())` predicts by them. The paper classifies by the
    densities that its search compares, `projected_classes_`, which are surer still.

    Of what the paper says, two things are not shown. Its section 3 expects such planes to split the
    classes into few regions: on its ten data sets, at its kernel width, they have more regions than
    planes of LDA or PCA more often than fewer (docs/results/melm-regions.md). And nothing that was
    tried explains the accuracy of its Table 2 on liver-disorders (docs/results/table2-tried.md).

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
    4.19
    >>> melm.transform(X).shape
    (150, 2)
    >>> round(melm.score(X, y), 2)
    0.99
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        gamma: float = DEFAULT_GAMMA,
        density_gamma: float = DEFAULT_DENSITY_GAMMA,
        n_init: int | Literal["auto"] = "auto",
        shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
        multiclass: Multiclass = DEFAULT_MULTICLASS,
        nuisance_weight: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
        search: SearchOptions | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.density_gamma = density_gamma
        self.n_init = n_init
        self.shrinkage = shrinkage
        self.multiclass = multiclass
        self.nuisance_weight = nuisance_weight
        self.random_state = random_state
        self.search = search
        self.callback = callback

    def set_search(self, **choices: Any) -> Self:
        """Change some choices of the search and keep the others.

        Parameters
        ----------
        **choices : dict
            Of `SearchOptions`, by name.

        Returns
        -------
        MELM
            Itself.

        Examples
        --------
        >>> MELM().set_search(max_iter=30).set_search(tol=1e-6).search.max_iter
        30
        """
        self.search = replace(self._options, **choices)
        return self

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
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
        began_s = time.perf_counter()
        if is_lazy(X):
            more = {"sample_weight": sample_weight, "nuisance": nuisance}
            return self._fit_blocks(table_of(self, X, y, self._in_memory_only(more)), began_s)
        rows, cells = self._valid_rows(X, y, sample_weight, nuisance)
        callback = as_part_of_fit(self.callback, began_s)
        return self._fit_rows(rows, cells, self.gamma, self._drawn_seed(), callback)

    def _valid_rows(
        self, X: Any, y: Any, sample_weight: Any, nuisance: Any
    ) -> tuple[WeightedRows, NuisanceCells | None]:
        """Check rows and parameters; return the rows, and the cells of a nuisance."""
        rows = self._validate_weighted(X, y, sample_weight)
        cells = None
        if nuisance is not None:
            rows = replace(rows, nuisance=nuisance_codes(nuisance, len(rows.is_used))[rows.is_used])
            names = np.asarray(nuisance)[rows.is_used]
            cells = checked_cells(rows, self.classes_, names, n_components=self.n_components)
        self._validate_parameters(rows.X.shape[1])
        return rows, cells

    def _fit_rows(
        self,
        rows: WeightedRows,
        cells: NuisanceCells | None,
        gamma: float,
        seed: int,
        callback: Callback | None,
    ) -> Self:
        classes, whitener = self._whitened(rows, cells, gamma)
        self._keep(self._found(classes, whitener, seed, callback), classes, whitener)
        return self

    def _fit_blocks(self, table: BlockSource, began_s: float) -> Self:
        self._validate_parameters(table.n_features)
        seed, self.gamma_ = self._drawn_seed(), self.gamma
        classes, whitener, self.mean_ = kernel_classes_of_blocks(
            table, n_components=self.n_components, gamma=self.gamma_, shrinkage=self.shrinkage
        )
        check_rank(whitener.shape[1], self.n_components)
        self.n_dropped_directions_ = table.n_features - whitener.shape[1]
        callback = as_part_of_fit(self.callback, began_s)
        self._keep(self._found(classes, whitener, seed, callback), classes, whitener)
        return self

    def _whitened(
        self, rows: WeightedRows, cells: NuisanceCells | None, gamma: float
    ) -> tuple[ClassDensities, FloatArray]:
        """Return the classes in whitened coordinates and the whitening matrix."""
        is_penalized = self._options.is_penalized
        prepare = centered_kernel_classes if is_penalized else whitened_kernel_classes
        kernels: dict[str, Any] = {
            "n_components": self.n_components,
            "gamma": gamma,
            "shrinkage": self.shrinkage,
            "weights": rows.weights,
        }
        classes, whitener = prepare(rows.X, rows.y, **kernels)
        check_rank(whitener.shape[1], self.n_components)
        if cells is not None:
            of_cells = kernel_cells(rows.X - self.mean_, cells, **kernels)
            classes = replace(classes, cells=tuple(cell.project(whitener.T) for cell in of_cells))
        self.gamma_ = gamma
        self.n_dropped_directions_ = rows.X.shape[1] - whitener.shape[1]
        return classes, whitener

    def _found(
        self, classes: ClassDensities, whitener: FloatArray, seed: int, callback: Callback | None
    ) -> Outcome:
        planes = self._given_planes(whitener)
        options = vars(self._options)
        if planes is not None and isinstance(self._options.continuation, str):
            options = options | {"continuation": None}
        settings = SearchSettings(
            **options,
            n_components=self.n_components,
            n_init=default_starts(self.gamma_) if self.n_init == "auto" else self.n_init,
            gamma=self.gamma_,
            multiclass=self.multiclass,
            seed=seed,
            has_callback=callback is not None,
            nuisance_weight=self.nuisance_weight,
        )
        if callback is None:
            return search(classes, settings, None, planes)

        def report(step: Progress) -> bool | None:
            components = orthonormalize(step.components @ whitener.T)
            return callback(structs.replace(step, components=components))

        return search(classes, settings, report, planes)

    def _given_planes(self, whitener: FloatArray) -> list[FloatArray] | None:
        """Return the planes of the option `init` in whitened coordinates; None for "auto"."""
        init = self._options.init
        if isinstance(init, str) and init == "auto":
            return None
        planes = np.asarray(init, dtype=np.float64)
        n_features = len(whitener)
        if planes.ndim != 3 or planes.shape[1:] != (self.n_components, n_features):
            raise UserError(
                f'init must be "auto" or planes of shape (n_planes, {self.n_components}, '
                f"{n_features}); its shape is {planes.shape}."
            )
        to_whitened = np.linalg.pinv(whitener).T  # (n_features, rank)
        return [plane @ to_whitened for plane in planes]

    def _drawn_seed(self) -> int:
        return drawn_seed(self.random_state)

    @property
    def _options(self) -> SearchOptions:
        return SearchOptions() if self.search is None else self.search

    @property
    def divergence_(self) -> float:
        """See Attributes."""
        return self._in_plane.terms[0]

    @property
    def fitting_term_(self) -> float:
        """See Attributes."""
        return self._in_plane.terms[1].fitting

    @property
    def regularizing_term_(self) -> float:
        """See Attributes."""
        return self._in_plane.terms[1].regularizing

    @property
    def start_results_(self) -> tuple[StartResult, ...]:
        """See Attributes."""
        return self._starts.results

    @property
    def n_agreeing_starts_(self) -> int:
        """See Attributes."""
        return self._starts.n_agreeing

    @property
    def rule_(self) -> DensityRule:
        """See Attributes."""
        return self._in_plane.rule

    def _densities_at(self, X: Any) -> tuple[DensityRule, Any]:
        check_is_fitted(self)
        return self.rule_, self.transform(X)

    def _validate_parameters(self, n_features: int) -> None:
        check_n_components(self.n_components, n_features)
        check_positive("gamma", self.gamma)
        check_positive("density_gamma", self.density_gamma)
        if self.n_init != "auto":
            check_integer("n_init", self.n_init, minimum=1)
        check_shrinkage(self.shrinkage)
        check_choice("multiclass", self.multiclass, tuple(AGGREGATES))
        check_not_negative("nuisance_weight", self.nuisance_weight)
        if not isinstance(self._options, SearchOptions):
            raise UserError(
                f"search={self.search!r} must be None or SearchOptions, for example "
                'melm_core.melm.SearchOptions(engine="direct").'
            )
        self._options.check()

    def _in_memory_only(self, arguments: dict[str, Any]) -> list[str]:
        """List the arguments and options that need the rows in memory, as they are written."""
        given = [name for name, value in arguments.items() if value is not None]
        values = {"solver": "penalty", "engine": "direct"}
        options = vars(self._options)
        return given + [
            f'{name}="{value}"' for name, value in values.items() if options[name] == value
        ]

    def _keep(self, outcome: Outcome, classes: ClassDensities, whitener: FloatArray) -> None:
        best = outcome.best.components  # (n_components, rank)
        engine = self._options.engine
        if classes.cells:
            self.nuisance_divergence_ = nuisance_divergence(classes.cells, best, engine=engine)
        self.components_, in_plane = principal_axes(best, classes, whitener)
        self._in_plane = _InPlane(in_plane, engine, self.multiclass, self.density_gamma)
        if not in_memory(in_plane.rows):  # which may not be there later
            _ = self._in_plane.terms
        self.projected_classes_ = in_plane.widened(self.density_gamma / self.gamma_)
        if self.n_components == 1:
            self.thresholds_ = class_thresholds(self.rule_)
        self._starts = _Starts(outcome, whitener)
        self.history_ = np.array(outcome.history)
        self.n_iter_ = outcome.best.n_iterations
        self.n_evaluations_ = outcome.n_evaluations
        self.converged_ = outcome.best.converged
        self.stopped_ = outcome.stopped

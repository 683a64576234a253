"""The search for the plane of the largest divergence.

As gamma grows, each class density tends to one broad Gaussian and the
divergence loses its local maxima. So the search begins at the maxima of that
limit and at random planes, and narrows the kernels stage by stage (continuation).
Then the starts compete at gamma itself, and only the best few distinct planes
are optimized until they converge. `docs/finding-the-optimum.md` compares this with
other strategies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise, starmap
from typing import Any, Literal

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_integer, check_positive
from melm_core.base.progress import Callback, Progress
from melm_core.base.row_blocks import in_memory, take_rows
from melm_core.base.thread_pools import one_thread_each
from melm_core.compiled import CompiledObjective, Term, is_compiled
from melm_core.density import LOOSE_TOLERANCE, TOLERANCE, Precision
from melm_core.density.class_densities import ENGINES, MAX_TILED_ROWS, ClassDensities, Engine
from melm_core.density.covariances import bandwidth_factor
from melm_core.linalg.class_moments import total_covariance
from melm_core.linalg.informed_planes import informed_planes, principal_directions
from melm_core.linalg.planes import orthonormalize
from melm_core.melm.multiclass import AGGREGATES, SOFTNESS, Multiclass
from melm_core.melm.objective import (
    PlaneObjective,
    divergence_and_gradient,
    objective_of_planes,
    summed_divergences,
)
from melm_core.optimization.lbfgs import (
    BatchObjective,
    Climb,
    Objective,
    climb_of,
    maximize_batch,
)
from melm_core.optimization.multistart import (
    Outcome,
    Stage,
    Start,
    first_alike,
    maximize,
    random_starts,
    whole_space,
)

# Starts by default: kernels from WIDEST_GAMMA upwards have few optima, narrower ones more.
_STARTS_OF_WIDE_KERNELS, _STARTS_OF_NARROW_KERNELS = 6, 14

# Maximum number of starts from the limit of wide kernels, and the number of random planes
# from which, in addition to the informed ones, the optima of that limit are found.
MAX_WIDE_STARTS = 6
_N_RANDOM_IN_LIMIT = 4

# By default the first stage has the kernels of this gamma, and each further stage has
# kernels narrower by this ratio, until the next ones would be nearly those of gamma.
WIDEST_GAMMA = 1.5
NARROWING = 1.75
_SMALLEST_FACTOR = 1.2

# Accepted steps per start and tolerance of the stages that do not have to converge.
_MAX_ITER_PER_STAGE = 30
_STAGE_TOL = 1e-6

# Planes that are optimized until they converge, and those refined on the large sample.
N_FINALISTS = 3
N_FINALISTS_OF_SAMPLE = 3
_REFINEMENT_TOL = 1e-7

# The finalists converge in single precision to this tolerance first.
_SINGLE_PRECISION_TOL = 1e-7

# Finalists that have converged to less than this share below the best are not optimized in double
# precision: the last digits would not make them the best.
_LARGEST_GAP = 1e-3

# Steps and tolerance of the optima of the limit of wide kernels.
_MAX_ITER_IN_LIMIT = 15
_TOL_IN_LIMIT = 1e-4

# Planes within this angle, in radians, are on their way to the same optimum: converging to the
# last digit would take longer than it is worth, and copies would take the places of other starts.
_SAME_OPTIMUM = 0.3

# Added to every covariance, relative to the mean variance: a class with fewer rows
# than features has a singular covariance.
_REGULARIZATION = 1e-9


@dataclass(frozen=True)
class SampleSizes:
    """Sizes of the sample of rows on which the search begins.

    Attributes
    ----------
    max_rows : int
        With more rows than this the starts compete on a sample. By default those whose pairs are
        summed in several planes at once, which is what makes a competition quick.
    small : int
        Rows of that sample.
    large : int
        Rows of the sample on which the best few planes are refined; it is
        left out for less than twice as many rows.
    """

    max_rows: int = MAX_TILED_ROWS
    small: int = 3_000
    large: int = 10_000


@dataclass(frozen=True, eq=False)
class SearchOptions:
    """Choices of the search for the plane that hardly change which plane is found, or change how.

    Attributes
    ----------
    init : "auto" or array-like of shape (n_planes, n_components, n_features), default="auto"
        Initial planes instead of the default starts; the search from them begins with
        the kernels of gamma itself.
    max_iter : int, default=500
        Maximum number of accepted steps per start and stage.
    tol : float, default=1e-9
        Relative gain of a step below which a start has converged.
    n_jobs : int or None, default=None
        Number of starts optimized at the same time: in threads, or where
        `joblib.parallel_config` sends them. The result does not depend on it.
    solver : "lbfgs" or "penalty"
        "penalty" is the formulation of the paper, for comparison: no
        whitening, random starts, and the penalty |V'V - 1|^2.
    continuation : "auto", sequence of float or None
        Factors on gamma for the stages before gamma itself, decreasing and
        above 1; None or empty for no such stages. "auto" begins with the
        kernels of gamma 1.5 and narrows them by 1.75 per stage; where planes are
        given, and with the penalty solver, it means None, as in the paper.
    engine : "auto", "direct" or "nufft"
        How the kernel sums are computed. The engines agree to 1e-8; "auto"
        chooses the faster one.
    sample_sizes : SampleSizes
        When and how the search begins on a sample of the rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import MELM
    >>> from melm_core.melm import SearchOptions
    >>> options = SearchOptions(engine="direct")
    >>> melm = MELM(search=options, n_init=3, random_state=0).fit(*load_iris(return_X_y=True))
    >>> melm.converged_
    True
    """

    init: Any = "auto"
    max_iter: int = 500
    tol: float = 1e-9
    n_jobs: int | None = None
    solver: Literal["lbfgs", "penalty"] = "lbfgs"
    continuation: Literal["auto"] | Sequence[float] | None = "auto"
    engine: Engine = "auto"
    sample_sizes: SampleSizes = SampleSizes()

    @property
    def is_penalized(self) -> bool:
        """True if the solver is "penalty"."""
        return self.solver == "penalty"

    def check(self) -> None:
        """Check every choice.

        Raises
        ------
        ValueError
            If one is unknown or out of range, or the factors do not decrease or are not above 1.
        """
        check_integer("max_iter", self.max_iter, minimum=1)
        check_positive("tol", self.tol)
        check_choice("solver", self.solver, ("lbfgs", "penalty"))
        check_choice("engine", self.engine, ENGINES)
        if isinstance(self.continuation, str):
            check_choice("continuation", self.continuation, ("auto",))
            return
        factors = tuple(self.continuation or ())
        for factor in factors:
            check_positive("continuation", factor)
        if any(later >= earlier for earlier, later in pairwise((*factors, 1.0))):
            raise UserError(
                f"continuation={factors} must decrease and stay above 1, the factor at which the "
                "search ends; for example (3.0, 1.7)."
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchSettings(SearchOptions):
    """The parameters of `MELM` that the search needs.

    Attributes
    ----------
    seed : int
    has_callback : bool
        Whether the steps are reported, which takes evaluations of its own.
    nuisance_weight : float
        Of the divergence of a nuisance, if the classes have cells.
    """

    n_components: int
    n_init: int
    gamma: float
    multiclass: Multiclass
    seed: int
    has_callback: bool
    nuisance_weight: float = 0.0


def search(
    classes: ClassDensities,
    settings: SearchSettings,
    callback: Callback | None = None,
    planes: Sequence[FloatArray] | None = None,
) -> Outcome:
    """Find the plane of the largest divergence.

    Parameters
    ----------
    classes : ClassDensities
        Whitened within the classes.
    settings : SearchSettings
    callback : callable or None
        Given a `Progress` at every accepted step; a true return value stops the search.
    planes : sequence of ndarray of shape (n_components, n_features) or None
        Initial planes instead of the default starts.
    """
    # The matrix products are thin: BLAS threads would wait for each other and for other starts.
    with one_thread_each("blas"):
        candidates = competition_rows(classes, settings)
        stages = plan_stages(classes, candidates, settings, planes)
        return maximize(
            stages,
            partial(plan_starts, candidates, settings, planes),
            callback=callback,
            n_jobs=settings.n_jobs,
            preview=_preview(candidates, settings, stages[0], planes),
        )


def plan_starts(
    classes: ClassDensities, settings: SearchSettings, planes: Sequence[FloatArray] | None = None
) -> list[Start]:
    """Plan the starts of a search.

    Parameters
    ----------
    classes : ClassDensities
        The rows on which the starts compete.
    settings : SearchSettings
    planes : sequence of ndarray of shape (n_components, n_features) or None
        The given initial planes, if any.
    """
    if is_whole_space(classes, settings):
        return whole_space(settings.n_components)
    if planes is not None:
        return [Start("given", plane) for plane in planes]
    n_features = classes.rows[0].shape[1]
    random = random_starts(settings.n_init, settings.n_components, n_features, settings.seed)
    if settings.is_penalized:
        return random
    wide = _wide_starts(classes, settings)[: settings.n_init]
    starts = wide + random[len(wide) :]
    # Wide kernels lead many planes to few optima; random planes that begin at the stages between
    # the widest kernels and gamma reach optima of their own.
    n_later = max(settings.n_init - MAX_WIDE_STARTS, 0)
    for stage in range(1, len(kernel_factors(settings))):
        seed = [settings.seed, stage]
        later = random_starts(n_later, settings.n_components, n_features, seed)
        starts += [replace(start, stage=stage) for start in later]
    return starts


def _preview(
    classes: ClassDensities,
    settings: SearchSettings,
    stage: Stage,
    planes: Sequence[FloatArray] | None,
) -> Progress | None:
    """Return the plane of the principal components with the first stage's objective.

    It is reported while the starts are computed, which takes longer than
    everything else before the first step.
    """
    begins_at_once = planes is not None or settings.is_penalized
    if begins_at_once or not settings.has_callback or is_whole_space(classes, settings):
        return None
    total = total_covariance(*classes.moments, classes.totals)
    plane = principal_directions(total, settings.n_components)
    value, _ = stage.monitored(plane)
    return Progress(
        components=plane,
        objective=value,
        best_objective=value,
        start=1,
        n_starts=settings.n_init,
        iteration=0,
        n_evaluations=0,
        stage=f"start 1 of {settings.n_init}, wide kernels first",
        fraction=0.0,
        elapsed_s=0.0,
        n_sampled=stage.n_sampled,
    )


def _wide_starts(classes: ClassDensities, settings: SearchSettings) -> list[Start]:
    """Optima of the limit of wide kernels, found from informed and from random planes."""
    n_components, n_features = settings.n_components, classes.rows[0].shape[1]
    widest = classes.widened(max(kernel_factors(settings), default=1.0))
    random = _random_in_limit(n_components, n_features, settings.seed)
    optima = wide_kernel_optima(
        widest,
        [*informed_planes(*widest.moments, widest.totals, n_components), *random],
        multiclass=settings.multiclass,
        max_planes=MAX_WIDE_STARTS,
        nuisance_weight=settings.nuisance_weight,
    )
    return [Start("wide kernels", plane) for plane in optima]


@lru_cache(maxsize=16)  # all refits of a study have the same ones
def _random_in_limit(n_components: int, n_features: int, seed: int) -> FloatArray:
    stream = np.random.default_rng(np.random.SeedSequence(seed))
    planes = orthonormalize(stream.standard_normal((_N_RANDOM_IN_LIMIT, n_components, n_features)))
    planes.flags.writeable = False
    return planes


def plan_stages(
    classes: ClassDensities,
    candidates: ClassDensities,
    settings: SearchSettings,
    planes: Sequence[FloatArray] | None = None,
) -> list[Stage]:
    """Plan the stages of a search.

    Parameters
    ----------
    classes : ClassDensities
        All rows.
    candidates : ClassDensities
        The rows on which the starts compete; the same object if these are all rows.
    settings : SearchSettings
    planes : sequence of ndarray of shape (n_components, n_features) or None
        The given initial planes, if any.
    """
    if is_whole_space(classes, settings):
        return [Stage("", _objective(classes, settings), settings.max_iter, settings.tol)]
    has_competition = planes is None and settings.n_init > N_FINALISTS
    is_sample = candidates is not classes
    twice = _of_planes(candidates, settings, np.float64)
    last = Stage(  # at gamma itself, in double precision, until convergence
        "",
        _of_one_plane(twice)
        if isinstance(twice, CompiledObjective)
        else _objective(candidates, settings),
        settings.max_iter,
        settings.tol,
        n_sampled=_n_rows(candidates) if is_sample else 0,
        **_together(twice),
    )
    is_approximate = has_competition or bool(kernel_factors(settings))
    single = _in_single(twice, candidates, settings) if is_approximate else None
    stages = _continuation_stages(candidates, settings, single, last)
    if has_competition:
        stages += _competition_stages(settings, single, last, is_sample=is_sample)
    else:
        stages.append(last)
    return stages + _refinement_stages(classes, settings) if is_sample else stages


def default_starts(gamma: float) -> int:
    """Return the number of starts that a search takes by default.

    Parameters
    ----------
    gamma : float
        Kernel width relative to Silverman's rule.

    Examples
    --------
    >>> from melm_core.melm import default_starts
    >>> default_starts(2.0), default_starts(1.0)
    (6, 14)
    """
    return _STARTS_OF_NARROW_KERNELS if gamma < WIDEST_GAMMA else _STARTS_OF_WIDE_KERNELS


def is_whole_space(classes: ClassDensities, settings: SearchSettings) -> bool:
    """Return whether the plane has as many dimensions as the data."""
    return bool(classes.rows[0].shape[1] == settings.n_components)


def continuation_factors(gamma: float) -> tuple[float, ...]:
    """Factors on the kernel width for the stages before gamma itself, decreasing.

    The kernels of the first stage are those of WIDEST_GAMMA whatever gamma is,
    because they smooth the objective enough; a gamma about as large or larger
    needs no continuation.

    Parameters
    ----------
    gamma : float
        Kernel width relative to Silverman's rule.
    """
    factors = []
    factor = WIDEST_GAMMA / gamma
    while factor > _SMALLEST_FACTOR:
        factors.append(factor)
        factor /= NARROWING
    return tuple(factors)


def kernel_factors(settings: SearchSettings) -> tuple[float, ...]:
    """Return the factors on the kernel width of the stages before gamma itself.

    Parameters
    ----------
    settings : SearchSettings
    """
    if not isinstance(settings.continuation, str):
        return tuple(settings.continuation or ())
    return () if settings.is_penalized else continuation_factors(settings.gamma)


def _continuation_stages(
    classes: ClassDensities, settings: SearchSettings, single: PlaneObjective | None, last: Stage
) -> list[Stage]:
    """Plan the stages of wide kernels, which report the objective of the last one, at gamma."""
    return [
        Stage(
            f"γ × {factor:.2g}",
            _objective(classes.widened(factor), settings),
            min(_MAX_ITER_PER_STAGE, settings.max_iter),
            max(_STAGE_TOL, settings.tol),
            monitor=last.objective if settings.has_callback else None,
            n_sampled=last.n_sampled,
            **_together(single and single.widened(factor)),
        )
        for factor in kernel_factors(settings)
    ]


def _competition_stages(
    settings: SearchSettings, single: PlaneObjective | None, last: Stage, *, is_sample: bool
) -> list[Stage]:
    """Plan the stages at gamma: all starts for a while, then the best of them to the end.

    The best ones converge in single precision first, and on a sample that is enough.
    """
    finalists = replace(last, name="polishing", max_starts=N_FINALISTS)
    competition = replace(
        last,
        max_iter=min(_MAX_ITER_PER_STAGE, settings.max_iter),
        tol=max(_STAGE_TOL, settings.tol),
        **_together(single),
    )
    if single is None or settings.tol >= _SINGLE_PRECISION_TOL:
        return [competition, finalists]
    finalists = replace(finalists, continues=True)
    approximate = replace(finalists, tol=_SINGLE_PRECISION_TOL, **_together(single))
    if is_sample:
        return [competition, approximate]
    return [competition, approximate, replace(finalists, max_gap=_LARGEST_GAP)]


def _refinement_stages(classes: ClassDensities, settings: SearchSettings) -> list[Stage]:
    """Plan the stages on a large sample and on all rows.

    The finalists of the small sample compete for a few steps; only the best one goes on.
    Looser transforms than those of the divergence that is kept are accurate enough for the climb.
    """
    tol = max(_REFINEMENT_TOL, settings.tol)
    n_rows = settings.sample_sizes.large
    loose = partial(_objective, settings=settings, tolerance=LOOSE_TOLERANCE)
    all_rows = Stage(
        "all rows",
        loose(classes),
        settings.max_iter,
        tol,
        1,
        is_parallel=not in_memory(classes.rows),
    )
    if _n_rows(classes) <= 2 * n_rows:
        return [_competition_of_finalists(all_rows), all_rows]
    sample = subsample(classes, n_rows, settings)
    name, n_sampled = f"{n_rows:,} rows", _n_rows(sample)
    large = Stage(name, loose(sample), settings.max_iter, tol, 1, n_sampled=n_sampled)
    return [_competition_of_finalists(large), large, all_rows]


def _competition_of_finalists(stage: Stage) -> Stage:
    return replace(
        stage,
        max_iter=min(_MAX_ITER_PER_STAGE, stage.max_iter),
        tol=max(_STAGE_TOL, stage.tol),
        max_starts=N_FINALISTS_OF_SAMPLE,
    )


def _of_planes(
    classes: ClassDensities, settings: SearchSettings, precision: Precision
) -> PlaneObjective | None:
    """Return the objective of several planes at once, where sums over pairs are faster.

    The penalized solver is for comparison with the paper only and does without.
    """
    if settings.is_penalized or not classes.sums_planes_together(settings.engine):
        return None
    return objective_of_planes(
        classes, settings.n_components, settings.multiclass, precision, settings.nuisance_weight
    )


def _in_single(
    twice: PlaneObjective | None, classes: ClassDensities, settings: SearchSettings
) -> PlaneObjective | None:
    if isinstance(twice, CompiledObjective):
        return twice.in_single()
    return _of_planes(classes, settings, np.float32)


def _of_one_plane(objective: CompiledObjective) -> Objective:
    def of_one(components: FloatArray) -> tuple[float, FloatArray]:
        values, gradients = objective.values_and_gradients(components[None])
        return float(values[0]), gradients[0]

    return of_one


def _together(objective: PlaneObjective | None) -> dict[str, Any]:
    """Return the arguments with which a stage optimizes several starts together, if it does."""
    if objective is None:
        return {}
    return {"climb": climb_of(objective), "batch_size": objective.batch_size}


def _objective(
    classes: ClassDensities, settings: SearchSettings, tolerance: float = TOLERANCE
) -> Objective:
    """Return the objective of one plane, less |VV' - 1|^2 for the penalized solver."""

    def objective(components: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = divergence_and_gradient(
            classes,
            components,
            nuisance_weight=settings.nuisance_weight,
            engine=settings.engine,
            multiclass=settings.multiclass,
            tolerance=tolerance,
        )
        if not settings.is_penalized:
            return value, gradient
        excess = components @ components.T - np.eye(len(components))
        return value - float(np.square(excess).sum()), gradient - 4.0 * excess @ components

    return objective


def wide_kernel_objective(classes: ClassDensities, multiclass: Multiclass) -> BatchObjective:
    """Return the divergence in the limit of wide kernels, where every class is one Gaussian.

    As gamma grows, a kernel density tends to the Gaussian with the mean and the covariance of
    its class, widened by the kernel. The divergence of Gaussians needs no sums over rows, so its
    optima take a fraction of the time of one local search over the kernel densities.

    log ip_ab = log N(m_a - m_b; 0, V(S_a + S_b)V'), where m is the mean of a
    class and S the sum of its covariance and its kernel's.

    Parameters
    ----------
    classes : ClassDensities
    multiclass : "mean", "softmin" or "ovr"

    Returns
    -------
    callable
        Takes components of shape (n_planes, n_components, n_features) and returns
        the divergences in nats, of shape (n_planes,), and their gradients.
    """
    means, spreads = _gaussians(classes)
    totals, codes = classes.totals, np.arange(len(classes.rows))
    first, second = np.triu_indices(len(codes))
    is_first, is_second = first == codes[:, None], second == codes[:, None]
    members = is_first + 1.0 * is_second  # (n_classes, n_pairs)
    sides = is_first - 1.0 * is_second

    def objective(components: FloatArray) -> tuple[FloatArray, FloatArray]:
        spread = components[:, None] @ spreads  # (n_planes, n_classes, n_components, n_features)
        covariances = spread @ components[:, None].swapaxes(-1, -2)
        inverse = np.linalg.inv(covariances[:, first] + covariances[:, second])
        centers = (components @ means.T).swapaxes(-1, -2)  # (n_planes, n_classes, n_components)
        offsets = centers[:, first] - centers[:, second]
        solved = (inverse @ offsets[..., None])[..., 0]
        log_dets = np.linalg.slogdet(inverse / (2.0 * np.pi))[1]
        logs = 0.5 * (log_dets - (offsets * solved).sum(axis=-1))
        log_values = np.empty((len(components), len(codes), len(codes)))
        log_values[:, first, second] = log_values[:, second, first] = logs
        values, weights = AGGREGATES[multiclass](log_values, totals)
        of_pairs = weights[:, first, second]
        outer = solved[..., :, None] * solved[..., None, :] - inverse
        by_pairs = (of_pairs[..., None, None] * outer).reshape(*of_pairs.shape, -1)
        by_spreads = members @ by_pairs
        by_means = sides @ (of_pairs[..., None] * solved)  # (n_planes, n_classes, n_components)
        gradients = (by_spreads.reshape(covariances.shape) @ spread).sum(axis=1)
        return values, gradients - by_means.swapaxes(-1, -2) @ means

    return objective


def _gaussians(classes: ClassDensities) -> tuple[FloatArray, FloatArray]:
    """Return means and invertible covariances of the densities of classes."""
    means, covariances = classes.moments
    n_features = covariances.shape[1]
    floor = _REGULARIZATION * np.trace(covariances.mean(axis=0)) / n_features * np.eye(n_features)
    return means, covariances + classes.covariances + floor


def _limit_climb(
    classes: ClassDensities, n_components: int, multiclass: Multiclass, nuisance_weight: float
) -> Climb:
    """Choose the fastest ascent of the limit of wide kernels."""
    summed = summed_divergences(classes, multiclass, nuisance_weight)
    if is_compiled(n_components):
        return climb_of(
            CompiledObjective([*starmap(gaussian_term, summed)], n_components, SOFTNESS)
        )
    parts = [(wide_kernel_objective(densities, how), share) for densities, how, share in summed]

    def objective(components: FloatArray) -> tuple[FloatArray, FloatArray]:
        values, gradients = np.zeros(len(components)), np.zeros(components.shape)
        for of_part, share in parts:
            of_share, by_components = of_part(components)
            values, gradients = values + share * of_share, gradients + share * by_components
        return values, gradients

    return partial(maximize_batch, objective)


def gaussian_term(classes: ClassDensities, multiclass: Multiclass, share: float = 1.0) -> Term:
    """Return the term of the compiled library for the limit of wide kernels."""
    means, spreads = _gaussians(classes)
    return Term.of_gaussians(means, spreads, classes.totals, aggregate=multiclass, share=share)


def wide_kernel_optima(
    classes: ClassDensities,
    planes: Sequence[FloatArray],
    *,
    multiclass: Multiclass,
    max_planes: int,
    nuisance_weight: float = 0.0,
) -> list[FloatArray]:
    """Find the distinct local optima that are reached from the given planes, best first.

    Parameters
    ----------
    classes : ClassDensities
        With the kernels of the first stage of the search.
    planes : sequence of ndarray of shape (n_components, n_features)
    multiclass : "mean", "softmin" or "ovr"
    max_planes : int
        Maximum number of optima.
    nuisance_weight : float
        Of the divergence of a nuisance, if the classes have cells.
    """
    climb = _limit_climb(classes, len(planes[0]), multiclass, nuisance_weight)
    ends = climb(planes, max_iter=_MAX_ITER_IN_LIMIT, tol=_TOL_IN_LIMIT)
    optima = [end.components for end in sorted(ends, key=lambda end: -end.value)]
    firsts = first_alike(optima, _SAME_OPTIMUM)
    distinct = [plane for i, plane in enumerate(optima) if firsts[i] == i]
    return list(orthonormalize(np.stack(distinct[:max_planes])))


def competition_rows(classes: ClassDensities, settings: SearchSettings) -> ClassDensities:
    """Return the rows on which starts compete: all, or a sample if there are many."""
    sizes = settings.sample_sizes
    if _n_rows(classes) <= sizes.max_rows:
        return classes
    return subsample(classes, sizes.small, settings)


def _n_rows(classes: ClassDensities) -> int:
    return int(classes.counts.sum())


def subsample(classes: ClassDensities, n_rows: int, settings: SearchSettings) -> ClassDensities:
    """Draw a stratified sample, with the kernel width that its size requires.

    The kernels keep the shape that all rows have given them.

    Parameters
    ----------
    classes : ClassDensities
    n_rows : int
        Approximate size; each class keeps at least n_components + 2 rows if it has them.
    settings : SearchSettings
    """
    share = n_rows / _n_rows(classes)
    stream = np.random.default_rng(np.random.SeedSequence(settings.seed))
    sample = _share_of(classes, share, settings.n_components, stream)
    cells = tuple(
        _share_of(of_nuisance, share, settings.n_components, stream)
        for of_nuisance in classes.cells
    )
    return replace(sample, cells=cells)


def _share_of(
    classes: ClassDensities, share: float, n_components: int, stream: np.random.Generator
) -> ClassDensities:
    """Draw a share of the rows of each class, with the kernel width that their number requires."""
    drawn = []
    for count in classes.counts.tolist():
        size = min(count, max(n_components + 2, round(share * count)))
        drawn.append(np.sort(stream.choice(count, size, replace=False)))
    rows = take_rows(classes.rows, drawn)
    weights = classes.weights
    if weights is not None:
        weights = tuple(of_class[indices] for of_class, indices in zip(weights, drawn, strict=True))
    sample = ClassDensities(rows, classes.covariances, weights=weights)
    widening = [
        bandwidth_factor(some, n_components, 1.0) / bandwidth_factor(total, n_components, 1.0)
        for some, total in zip(sample.totals, classes.totals, strict=True)
    ]
    return replace(sample, covariances=classes.covariances * np.square(widening)[:, None, None])

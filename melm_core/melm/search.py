"""The search for the best plane: stages, starts and, for many rows, a sample first.

As gamma grows the class densities tend to one broad Gaussian each and the
landscape loses its local optima. So the search begins at the optima of that
limit and at random planes, climbs with wide kernels first, narrows them stage
by stage, and follows only the best few planes to the end.
`docs/finding-the-optimum.md` compares this with other strategies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from melm_core.base.array_types import FloatArray
from melm_core.density.information_potentials import Engine
from melm_core.density.kernel_density import KernelClasses, bandwidth_factor
from melm_core.linalg.informed_planes import informed_planes, principal_components
from melm_core.linalg.planes import random_components
from melm_core.melm.multiclass import Multiclass
from melm_core.melm.objective import divergence_and_gradient
from melm_core.melm.wide_kernel_limit import wide_optima
from melm_core.optimization.multistart import maximize
from melm_core.optimization.types import Objective, Outcome, Reporter, Stage, Start, Step

# Where nothing else is asked for, the kernels are narrowed from this multiple of
# Silverman's width by this factor a stage, until the next would be close to gamma.
WIDEST_GAMMA = 1.5
NARROWING = 1.75
_CLOSE_TO_GAMMA = 1.2

# How far every start is followed at a widening, and then at gamma itself,
# before only the best distinct planes go on.
_ITERATIONS_A_STAGE = 30
_STAGE_TOL = 1e-6
PLANES_TO_THE_END = 3

# Starts from the limit of wide kernels at most, and how many random planes, beside the
# informed ones, climb towards that limit.
WIDE_STARTS = 6
_RANDOM_PLANES_TO_THE_LIMIT = 4

# Beyond this many rows the starts compete on a sample, the best few distinct
# planes on a larger one, and the best of these is polished on all rows.
MOST_ROWS_FOR_STARTS = 10_000
SAMPLED_ROWS = 2_000
LARGER_SAMPLE = 50_000
PLANES_ON_LARGER_SAMPLE = 3
_POLISHING_TOL = 1e-7


@dataclass(frozen=True)
class SearchSettings:
    """How to search; see `MELM` for the meaning of each.

    `continuation` is None where the widenings follow from gamma.
    """

    n_components: int
    n_init: int
    gamma: float
    continuation: tuple[float, ...] | None
    engine: Engine
    multiclass: Multiclass
    max_iter: int
    tol: float
    n_jobs: int | None
    seed: int
    is_watched: bool
    is_penalized: bool


def search(
    classes: KernelClasses,
    settings: SearchSettings,
    report: Reporter,
    planes: Sequence[FloatArray] | None = None,
) -> Outcome:
    """The plane of the largest divergence that the starts lead to.

    Parameters
    ----------
    classes : KernelClasses
        Whitened within the classes.
    settings : SearchSettings
    report : callable
        Given every accepted step; a true return stops.
    planes : sequence of ndarray of shape (n_components, n_features) or None
        Where to begin instead of the default starts.
    """
    # The products are thin: threads of BLAS would wait for each other, and for other starts.
    with threadpool_limits(1, user_api="blas"):
        competed_on = rows_to_compete_on(classes, settings)
        stages = plan_stages(classes, competed_on, settings, planes)
        first = _first_look(competed_on, settings, stages[0], planes)
        if first is not None and report(first):
            begin = [Start("principal components", first.components)]
            return maximize(stages, begin, report=lambda _: True, n_jobs=settings.n_jobs)
        starts = plan_starts(competed_on, settings, planes)
        return maximize(stages, starts, report=report, n_jobs=settings.n_jobs, reported=first)


def plan_stages(
    classes: KernelClasses,
    competed_on: KernelClasses,
    settings: SearchSettings,
    planes: Sequence[FloatArray] | None = None,
) -> list[Stage]:
    """The stages of a search whose starts compete on some of the rows, or on all."""
    if _is_whole_space(classes, settings):
        return [Stage("", _objective(classes, settings), settings.max_iter, settings.tol)]
    is_race = planes is None and settings.n_init > PLANES_TO_THE_END
    stages = _ladder(competed_on, settings, is_race=is_race)
    return stages if competed_on is classes else stages + _polishing(classes, settings)


def plan_starts(
    classes: KernelClasses, settings: SearchSettings, planes: Sequence[FloatArray] | None = None
) -> list[Start]:
    """Where a search on these rows begins."""
    if _is_whole_space(classes, settings):
        return [Start("whole space", np.eye(settings.n_components))]
    if planes is not None:
        return [Start("given", plane) for plane in planes]
    random = random_starts(classes.rows[0].shape[1], settings)
    if settings.is_penalized:
        return random
    wide = _wide_starts(classes, settings)[: settings.n_init]
    return wide + random[len(wide) :]


def _is_whole_space(classes: KernelClasses, settings: SearchSettings) -> bool:
    return bool(classes.rows[0].shape[1] == settings.n_components)


def rows_to_compete_on(classes: KernelClasses, settings: SearchSettings) -> KernelClasses:
    """All rows, or a sample where they are many."""
    if int(classes.counts.sum()) <= MOST_ROWS_FOR_STARTS:
        return classes
    return sample_classes(classes, SAMPLED_ROWS, settings)


def _first_look(
    classes: KernelClasses,
    settings: SearchSettings,
    stage: Stage,
    planes: Sequence[FloatArray] | None,
) -> Step | None:
    """The plane of the principal components, measured as the steps of the first stage are.

    For who watches while the starts are looked for, which takes longer than all else before the
    first step.
    """
    is_found_at_once = planes is not None or settings.is_penalized
    if is_found_at_once or not settings.is_watched or _is_whole_space(classes, settings):
        return None
    plane = principal_components(np.concatenate(classes.rows), settings.n_components)
    value, _ = stage.measure(plane)
    return Step(
        components=plane,
        objective=value,
        best_objective=value,
        stage=0,
        n_stages=1,
        stage_name="wide kernels first",
        start=0,
        n_starts=settings.n_init,
        iteration=0,
    )


def widenings(gamma: float) -> tuple[float, ...]:
    """Factors by which the kernels are widened before gamma itself, falling.

    Widths from WIDEST_GAMMA down, so that the kernels of the first stage are
    those that smooth the landscape whatever gamma is; none for a gamma that is
    as wide.
    """
    factors = []
    factor = WIDEST_GAMMA / gamma
    while factor > _CLOSE_TO_GAMMA:
        factors.append(factor)
        factor /= NARROWING
    return tuple(factors)


def sample_classes(classes: KernelClasses, n_rows: int, settings: SearchSettings) -> KernelClasses:
    """A stratified sample, with kernels as wide as its size asks for.

    The classes keep the shape of their kernels, which all rows have shaped.
    """
    share = n_rows / int(classes.counts.sum())
    stream = np.random.default_rng(np.random.SeedSequence(settings.seed))
    rows = []
    for block in classes.rows:
        size = min(len(block), max(settings.n_components + 2, round(share * len(block))))
        rows.append(block[np.sort(stream.choice(len(block), size, replace=False))])
    growth = [
        bandwidth_factor(len(few), settings.n_components, 1.0)
        / bandwidth_factor(len(all_rows), settings.n_components, 1.0)
        for few, all_rows in zip(rows, classes.rows, strict=True)
    ]
    covariances = classes.covariances * np.square(growth)[:, None, None]
    return KernelClasses(tuple(rows), covariances)


def _ladder(classes: KernelClasses, settings: SearchSettings, *, is_race: bool) -> list[Stage]:
    target = _objective(classes, settings)
    max_iter = min(_ITERATIONS_A_STAGE, settings.max_iter)
    tol = max(_STAGE_TOL, settings.tol)
    wide = [
        Stage(
            f"γ × {factor:.2g}",
            _objective(classes.widened(factor), settings),
            max_iter,
            tol,
            reported=target if settings.is_watched else None,
        )
        for factor in _continuation(settings)
    ]
    last = Stage("", target, settings.max_iter, settings.tol)
    if not is_race:
        return [*wide, last]
    race = Stage("", target, max_iter, tol)
    return [*wide, race, replace(last, name="polishing", most_starts=PLANES_TO_THE_END)]


def _continuation(settings: SearchSettings) -> tuple[float, ...]:
    if settings.continuation is not None:
        return settings.continuation
    return () if settings.is_penalized else widenings(settings.gamma)


def _polishing(classes: KernelClasses, settings: SearchSettings) -> list[Stage]:
    """The stages on more and more rows."""
    tol = max(_POLISHING_TOL, settings.tol)
    all_rows = Stage("all rows", _objective(classes, settings), settings.max_iter, tol, 1)
    if int(classes.counts.sum()) <= 2 * LARGER_SAMPLE:
        return [replace(all_rows, most_starts=PLANES_ON_LARGER_SAMPLE)]
    larger = sample_classes(classes, LARGER_SAMPLE, settings)
    name = f"{LARGER_SAMPLE:,} rows".replace(",", " ")
    objective = _objective(larger, settings)
    return [Stage(name, objective, settings.max_iter, tol, PLANES_ON_LARGER_SAMPLE), all_rows]


def _wide_starts(classes: KernelClasses, settings: SearchSettings) -> list[Start]:
    """Optima of the limit of wide kernels, climbed to from informed and from random planes."""
    rows, n_components = np.concatenate(classes.rows), settings.n_components
    codes = np.repeat(np.arange(len(classes.rows)), classes.counts)
    planes = informed_planes(rows, codes, n_components)
    stream = np.random.default_rng(np.random.SeedSequence(settings.seed))
    planes += [
        random_components(n_components, rows.shape[1], stream)
        for _ in range(_RANDOM_PLANES_TO_THE_LIMIT)
    ]
    found = wide_optima(
        classes.widened(max(_continuation(settings), default=1.0)),
        planes,
        multiclass=settings.multiclass,
        most=WIDE_STARTS,
    )
    return [Start("wide kernels", plane) for plane in found]


def random_starts(n_features: int, settings: SearchSettings) -> list[Start]:
    """Random planes; start i is the same one however many there are."""
    streams = np.random.SeedSequence(settings.seed).spawn(settings.n_init)
    return [
        Start(
            "random",
            random_components(settings.n_components, n_features, np.random.default_rng(stream)),
        )
        for stream in streams
    ]


def _objective(classes: KernelClasses, settings: SearchSettings) -> Objective:
    def objective(components: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = divergence_and_gradient(
            classes, components, engine=settings.engine, multiclass=settings.multiclass
        )
        if not settings.is_penalized:
            return value, gradient
        excess = components @ components.T - np.eye(len(components))
        return value - float(np.square(excess).sum()), gradient - 4.0 * excess @ components

    return objective

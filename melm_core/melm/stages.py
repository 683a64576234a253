"""The stages of the search for the best plane.

The kernels are wide at first and narrow from stage to stage (continuation).
Then the starts compete at gamma itself, and only the best few distinct planes
are optimized until they converge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.row_blocks import in_memory
from melm_core.density import LOOSE_TOLERANCE, TOLERANCE, Precision
from melm_core.density.class_densities import ClassDensities
from melm_core.melm.batch_objective import BatchDivergence
from melm_core.melm.blind_objective import (
    BlindBatch,
    batch_objective,
    blind_divergence_and_gradient,
)
from melm_core.melm.settings import SearchSettings
from melm_core.melm.subsampling import subsample
from melm_core.optimization.types import Objective, Stage

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


def plan_stages(
    classes: ClassDensities,
    candidates: ClassDensities,
    settings: SearchSettings,
    planes: Sequence[FloatArray] | None = None,
) -> list[Stage]:
    """The stages of a search.

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
    last = _last_stage(candidates, settings)
    stages = _continuation_stages(candidates, settings, last.objective)
    if has_competition:
        stages += _competition_stages(candidates, settings, last, is_sample=is_sample)
    else:
        stages.append(last)
    return stages + _refinement_stages(classes, settings) if is_sample else stages


def is_whole_space(classes: ClassDensities, settings: SearchSettings) -> bool:
    """Whether the plane has as many dimensions as the data."""
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


def widest_factor(settings: SearchSettings) -> float:
    """The continuation factor of the first stage, 1 without continuation."""
    return max(kernel_factors(settings), default=1.0)


def kernel_factors(settings: SearchSettings) -> tuple[float, ...]:
    """The factors on the kernel width of the stages before gamma itself.

    Parameters
    ----------
    settings : SearchSettings
    """
    if settings.continuation is not None:
        return settings.continuation
    return () if settings.is_penalized else continuation_factors(settings.gamma)


def _continuation_stages(
    classes: ClassDensities, settings: SearchSettings, target: Objective
) -> list[Stage]:
    """The stages of wide kernels, which report the value of the target, the objective at gamma."""
    single = _batch_objective(classes, settings, np.float32)
    return [
        Stage(
            f"γ × {factor:.2g}",
            _objective(classes.widened(factor), settings),
            min(_MAX_ITER_PER_STAGE, settings.max_iter),
            max(_STAGE_TOL, settings.tol),
            monitor=target if settings.has_callback else None,
            batch=single.widened(factor) if single else None,
        )
        for factor in kernel_factors(settings)
    ]


def _competition_stages(
    classes: ClassDensities, settings: SearchSettings, last: Stage, *, is_sample: bool
) -> list[Stage]:
    """The stages at gamma itself: all starts for a while, then the best of them to the end.

    The best ones converge in single precision first, and on a sample that is enough.
    """
    single = _batch_objective(classes, settings, np.float32)
    finalists = replace(last, name="polishing", max_starts=N_FINALISTS)
    competition = replace(
        last,
        max_iter=min(_MAX_ITER_PER_STAGE, settings.max_iter),
        tol=max(_STAGE_TOL, settings.tol),
        batch=single,
    )
    if single is None or settings.tol >= _SINGLE_PRECISION_TOL:
        return [competition, finalists]
    approximate = replace(finalists, tol=_SINGLE_PRECISION_TOL, batch=single)
    if is_sample:
        return [competition, approximate]
    return [competition, approximate, replace(finalists, max_gap=_LARGEST_GAP)]


def _last_stage(classes: ClassDensities, settings: SearchSettings) -> Stage:
    """The stage at gamma itself, in double precision, until convergence."""
    return Stage(
        "",
        _objective(classes, settings),
        settings.max_iter,
        settings.tol,
        batch=_batch_objective(classes, settings, np.float64),
    )


def _refinement_stages(classes: ClassDensities, settings: SearchSettings) -> list[Stage]:
    """The stages on a large sample and on all rows.

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
    if int(classes.counts.sum()) <= 2 * n_rows:
        return [_competition_of_finalists(all_rows), all_rows]
    objective = loose(subsample(classes, n_rows, settings))
    large = Stage(f"{n_rows:,} rows", objective, settings.max_iter, tol, 1)
    return [_competition_of_finalists(large), large, all_rows]


def _competition_of_finalists(stage: Stage) -> Stage:
    return replace(
        stage,
        max_iter=min(_MAX_ITER_PER_STAGE, stage.max_iter),
        tol=max(_STAGE_TOL, stage.tol),
        max_starts=N_FINALISTS_OF_SAMPLE,
    )


def _batch_objective(
    classes: ClassDensities, settings: SearchSettings, precision: Precision
) -> BatchDivergence | BlindBatch | None:
    """The divergence of several planes at once, where sums over pairs of rows are the faster ones.

    The penalized solver is for comparison with the paper only and does without.
    """
    if settings.is_penalized or not classes.sums_planes_together(settings.engine):
        return None
    return batch_objective(classes, settings.multiclass, precision, settings.nuisance_weight)


def _objective(
    classes: ClassDensities, settings: SearchSettings, tolerance: float = TOLERANCE
) -> Objective:
    """The divergence, less that of a nuisance, and |VV' - 1|^2 for the penalized solver."""

    def objective(components: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = blind_divergence_and_gradient(
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

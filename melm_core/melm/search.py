"""The search for the plane of the largest divergence.

As gamma grows, each class density tends to one broad Gaussian and the
divergence loses its local maxima. So the search begins at the maxima of that
limit and at random planes, and narrows the kernels stage by stage.
`docs/finding-the-optimum.md` compares it with other strategies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from melm_core.base.array_types import FloatArray
from melm_core.density.class_densities import ClassDensities
from melm_core.linalg.informed_planes import informed_planes, principal_components
from melm_core.linalg.planes import random_components
from melm_core.melm.settings import SearchSettings
from melm_core.melm.stages import is_whole_space, kernel_factors, plan_stages, widest_factor
from melm_core.melm.subsampling import competition_rows
from melm_core.melm.wide_kernel_limit import wide_kernel_optima
from melm_core.optimization.initialization import random_starts, whole_space
from melm_core.optimization.multistart import maximize
from melm_core.optimization.types import Outcome, Stage, Start, Step, StepCallback

# Maximum number of starts from the limit of wide kernels, and the number of random planes
# from which, in addition to the informed ones, the optima of that limit are found.
MAX_WIDE_STARTS = 6
_N_RANDOM_IN_LIMIT = 4


def search(
    classes: ClassDensities,
    settings: SearchSettings,
    report: StepCallback,
    planes: Sequence[FloatArray] | None = None,
) -> Outcome:
    """Find the plane of the largest divergence.

    Parameters
    ----------
    classes : ClassDensities
        Whitened within the classes.
    settings : SearchSettings
    report : callable
        Called with every accepted `Step`; a true return value stops the search.
    planes : sequence of ndarray of shape (n_components, n_features) or None
        Initial planes instead of the default starts.
    """
    # The matrix products are thin: BLAS threads would wait for each other and for other starts.
    with _thread_pools().limit(limits=1, user_api="blas"):
        candidates = competition_rows(classes, settings)
        stages = plan_stages(classes, candidates, settings, planes)
        first = _initial_step(candidates, settings, stages[0], planes)
        if first is not None and report(first):
            begin = [Start("principal components", first.components)]
            return maximize(stages, begin, report=lambda _: True, n_jobs=settings.n_jobs)
        starts = plan_starts(candidates, settings, planes)
        return maximize(stages, starts, report=report, n_jobs=settings.n_jobs, initial_step=first)


@cache
def _thread_pools() -> ThreadpoolController:
    """The thread pools of this process, which takes longer to find out than a small stage."""
    return ThreadpoolController()


def plan_starts(
    classes: ClassDensities, settings: SearchSettings, planes: Sequence[FloatArray] | None = None
) -> list[Start]:
    """The starts of a search.

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
    return wide + random[len(wide) :] + _later_starts(n_features, settings)


def _later_starts(n_features: int, settings: SearchSettings) -> list[Start]:
    """Random planes that begin at the stages between the widest kernels and gamma.

    Wide kernels lead many planes to few optima; these planes reach optima of their own.
    """
    n_starts = max(settings.n_init - MAX_WIDE_STARTS, 0)
    return [
        replace(start, stage=stage)
        for stage in range(1, len(kernel_factors(settings)))
        for start in random_starts(
            n_starts, settings.n_components, n_features, [settings.seed, stage]
        )
    ]


def _initial_step(
    classes: ClassDensities,
    settings: SearchSettings,
    stage: Stage,
    planes: Sequence[FloatArray] | None,
) -> Step | None:
    """The plane of the principal components, evaluated with the first stage's monitored objective.

    It is reported while the starts are computed, which takes longer than
    everything else before the first step.
    """
    begins_at_once = planes is not None or settings.is_penalized
    if begins_at_once or not settings.has_callback or is_whole_space(classes, settings):
        return None
    plane = principal_components(
        np.concatenate(classes.rows), settings.n_components, _all_weights(classes)
    )
    value, _ = stage.monitored(plane)
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


def _all_weights(classes: ClassDensities) -> FloatArray | None:
    """The weights of the rows of all classes, one class after the other."""
    return None if classes.weights is None else np.concatenate(classes.weights)


def _wide_starts(classes: ClassDensities, settings: SearchSettings) -> list[Start]:
    """Optima of the limit of wide kernels, found from informed and from random planes."""
    rows, n_components = np.concatenate(classes.rows), settings.n_components
    codes = np.repeat(np.arange(len(classes.rows)), classes.counts)
    stream = np.random.default_rng(np.random.SeedSequence(settings.seed))
    random = [
        random_components(n_components, rows.shape[1], stream) for _ in range(_N_RANDOM_IN_LIMIT)
    ]
    optima = wide_kernel_optima(
        classes.widened(widest_factor(settings)),
        [*informed_planes(rows, codes, n_components, _all_weights(classes)), *random],
        multiclass=settings.multiclass,
        max_planes=MAX_WIDE_STARTS,
        nuisance_weight=settings.nuisance_weight,
    )
    return [Start("wide kernels", plane) for plane in optima]

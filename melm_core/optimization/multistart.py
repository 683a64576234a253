"""Maximize from several starts through a sequence of stages.

The objectives depend on the span of the components only. Earlier stages are
smoothed versions of the last one. Starts that have reached the same plane by
the end of a stage are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from joblib import effective_n_jobs

from melm_core.base.array_types import FloatArray
from melm_core.linalg.planes import principal_angles
from melm_core.optimization.lbfgs import lbfgs
from melm_core.optimization.parallel import run_parallel
from melm_core.optimization.start_batch import StartBatch
from melm_core.optimization.start_state import Position, StartState
from melm_core.optimization.tracker import ProgressTracker
from melm_core.optimization.types import (
    LocalSolver,
    Objective,
    Outcome,
    Stage,
    Start,
    Step,
    StepCallback,
)

# Planes whose largest principal angle, in radians, is below this count as the same plane.
SAME_PLANE = 0.1

# After a stop, this many of the best planes are evaluated by the objective of the last stage.
_MAX_EVALUATED = 3


def maximize(
    stages: Sequence[Stage],
    starts: Sequence[Start],
    *,
    report: StepCallback,
    solver: LocalSolver = lbfgs,
    n_jobs: int | None = None,
    initial_step: Step | None = None,
) -> Outcome:
    """Optimize every start through all stages and return the best plane.

    Parameters
    ----------
    stages : sequence of Stage, at least one
        The last one has the objective to maximize.
    starts : sequence of Start, at least one
    report : callable
        Called with every accepted `Step`, one at a time; a true return value
        stops the search.
    solver : callable, default=lbfgs
        The local solver, see `melm_core.optimization.types.LocalSolver`.
    n_jobs : int or None
        Number of starts optimized at the same time, as in joblib: in threads,
        or where `joblib.parallel_config` sends them. The outcome does not
        depend on it.
    initial_step : Step or None
        A step reported before the starts were computed, evaluated with the
        monitored objective of the first stage. After a stop it may be the
        best plane.

    Returns
    -------
    Outcome

    Examples
    --------
    The plane that captures most variance is spanned by the leading eigenvectors:

    >>> import numpy as np
    >>> from melm_core.optimization import Stage, maximize, random_starts
    >>> variances = np.array([4.0, 3.0, 2.0, 1.0])
    >>> def captured(components):
    ...     inverse = np.linalg.inv(components @ components.T)
    ...     product = inverse @ (components * variances)
    ...     value = np.trace(product @ components.T)
    ...     return value, 2.0 * (product - product @ components.T @ inverse @ components)
    >>> stage = Stage("", captured, max_iter=100, tol=1e-10)
    >>> starts = random_starts(3, n_components=2, n_features=4, seed=0)
    >>> outcome = maximize([stage], starts, report=lambda step: False)
    >>> round(outcome.best.objective, 6)
    7.0
    """
    tracker = ProgressTracker(report, len(stages))
    if initial_step is not None:
        tracker.resume_from(initial_step, stages[0].monitored)
    states = [StartState(start) for start in starts]
    active: list[int] = []
    for number, stage in enumerate(stages):
        active = _contenders(states, _merge(states, active), stage)
        active += [i for i, start in enumerate(starts) if start.stage == number]
        positions = [Position(number, place, len(active)) for place in range(len(active))]
        entering = [states[i] for i in active]
        if stage.batch is None:
            tasks = [
                partial(StartState.optimize, stage=stage, position=position, solver=solver)
                for position in positions
            ]
            run_parallel(
                entering, tasks, tracker, stage.monitored, 1 if stage.is_parallel else n_jobs
            )
        else:
            _optimize_together(entering, positions, stage, tracker, n_jobs)
        if tracker.stopped:
            break
    if tracker.stopped and initial_step is not None:
        states.append(StartState.stopped_at(initial_step))
        active = [len(states) - 1, *active]
    return _outcome(states, active, stages[-1].objective, stopped=tracker.stopped)


def _optimize_together(
    states: Sequence[StartState],
    positions: Sequence[Position],
    stage: Stage,
    tracker: ProgressTracker,
    n_jobs: int | None,
) -> None:
    """Optimize the starts in batches as large as the stage wants, or smaller ones for all jobs."""
    size = stage.batch.batch_size if stage.batch else 1
    n_batches = max(effective_n_jobs(n_jobs), -(-len(states) // size))
    parts = np.array_split(np.arange(len(states)), min(len(states), n_batches))
    batches = [
        StartBatch([states[i] for i in part], [positions[i] for i in part]) for part in parts
    ]
    task = partial(StartBatch.optimize, stage=stage)
    run_parallel(batches, [task] * len(batches), tracker, stage.monitored, n_jobs)
    for batch, part in zip(batches, parts, strict=True):
        batch.copy_to([states[i] for i in part])


def first_alike(planes: Sequence[FloatArray], angle: float = SAME_PLANE) -> list[int]:
    """For each plane the index of the first plane that it equals up to an angle.

    Parameters
    ----------
    planes : sequence of ndarray of shape (n_components, n_features)
    angle : float, default=SAME_PLANE
        Planes with a smaller largest principal angle are equal, in radians.

    Returns
    -------
    list of int
        The index of the plane itself if it equals none before it.
    """
    if not planes:
        return []
    frames, _ = np.linalg.qr(np.stack(planes).swapaxes(1, 2))
    cosines = np.linalg.svd(frames[:, None].swapaxes(2, 3) @ frames, compute_uv=False)[..., -1]
    is_same = cosines > np.cos(angle)
    firsts: list[int] = []
    for index in range(len(planes)):
        distinct = (i for i, first in enumerate(firsts) if i == first)
        firsts.append(next((i for i in distinct if is_same[i, index]), index))
    return firsts


def is_same_plane(components: FloatArray, reference: FloatArray) -> bool:
    """Whether all principal angles between two planes are below `SAME_PLANE`."""
    return bool(principal_angles(components, reference)[-1] < SAME_PLANE)


def _merge(states: Sequence[StartState], active: Sequence[int]) -> list[int]:
    """Merge the starts that reached the same plane; return the others, best first."""
    ranked = sorted(active, key=lambda i: (-states[i].objective, i))
    firsts = [ranked[i] for i in first_alike([states[i].components for i in ranked])]
    for index, first in zip(ranked, firsts, strict=True):
        if index != first:
            states[index].merge_into(states[first])
    return [index for index, first in zip(ranked, firsts, strict=True) if index == first]


def _contenders(states: Sequence[StartState], ranked: Sequence[int], stage: Stage) -> list[int]:
    """Those of the distinct planes, best first, that enter a stage."""
    best = ranked[: stage.max_starts]
    if stage.max_gap is None or not best:
        return list(best)
    leading = states[best[0]].objective
    lowest = leading - stage.max_gap * max(abs(leading), 1.0)
    return [i for i in best if states[i].objective >= lowest]


def _outcome(
    states: Sequence[StartState], active: Sequence[int], objective: Objective, *, stopped: bool
) -> Outcome:
    finalists = [states[i] for i in active if states[i].has_begun]
    if stopped:
        finalists = _settled(finalists, objective)
    results = {id(state): state.result() for state in states if state.has_begun}
    return Outcome(
        best=max((results[id(state)] for state in finalists), key=lambda result: result.objective),
        start_results=tuple(results.values()),
        history=tuple(value for i in active for value in states[i].history),
        n_evaluations=sum(state.n_evaluations for state in states),
        stopped=stopped,
    )


def _settled(stopped: Sequence[StartState], objective: Objective) -> list[StartState]:
    """The best of the stopped starts; each of them takes the best plane it has passed."""
    ranked = sorted(stopped, key=lambda state: -state.best_value)
    best, others = ranked[:_MAX_EVALUATED], ranked[_MAX_EVALUATED:]
    for state in best:
        state.settle(objective)
    for state in others:
        state.revert_to_best()
    return best

"""Optimize several starts at once, in threads or wherever `joblib.parallel_config` sends them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from threadpoolctl import threadpool_limits

from melm_core.optimization.tracker import ProgressTracker
from melm_core.optimization.types import Objective, Step

_State = TypeVar("_State")


def run_parallel(
    states: Sequence[_State],
    tasks: Sequence[Callable[[_State, ProgressTracker], None]],
    tracker: ProgressTracker,
    monitored: Objective,
    n_jobs: int | None,
) -> None:
    """Run one task on every state, which it changes in place.

    Parameters
    ----------
    states : sequence of objects
    tasks : sequence of callable
        One for each state, called with the state and a tracker. Where tasks
        run in other processes, the tracker receives the steps of each task
        after it has ended, in the order of the states.
    tracker : ProgressTracker
    monitored : callable
        The objective that the steps of these tasks report.
    n_jobs : int or None
        As in joblib.
    """
    pairs = list(zip(states, tasks, strict=True))
    if n_jobs == 1:
        for state, task in pairs:
            task(state, tracker)
    elif _uses_shared_memory():
        jobs = (delayed(task)(state, tracker) for state, task in pairs)
        Parallel(n_jobs=n_jobs, prefer="threads")(jobs)
    else:
        remote = (delayed(_run_remotely)(state, task, tracker.n_stages) for state, task in pairs)
        results = Parallel(n_jobs=n_jobs)(remote)
        for state, (changed, steps, n_evaluations) in zip(states, results, strict=True):
            vars(state).update(vars(changed))
            tracker.replay(steps, n_evaluations, monitored)


def _uses_shared_memory() -> bool:
    backend, _ = get_active_backend(prefer="threads")
    return getattr(backend, "supports_sharedmem", False)


def _run_remotely(
    state: _State, task: Callable[[_State, ProgressTracker], None], n_stages: int
) -> tuple[_State, list[Step], int]:
    """The changed state, the steps and the number of evaluations of a task."""
    steps: list[Step] = []
    tracker = ProgressTracker(steps.append, n_stages)
    with threadpool_limits(1, user_api="blas"):
        task(state, tracker)
    return state, steps, tracker.n_evaluations

"""Optimize several starts at once, in threads or wherever `joblib.parallel_config` sends them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from threadpoolctl import threadpool_limits

from melm_core.optimization.types import Objective, Step


class Tracker(Protocol):
    """Counts evaluations, receives steps, and says whether to stop; see `ProgressTracker`.

    Attributes
    ----------
    n_stages : int
    stopped : bool
    """

    n_stages: int
    stopped: bool

    def count_evaluation(self) -> None:
        """Count one evaluation of the objective."""

    def report(self, step: Step, monitored: Objective) -> None:
        """Report an accepted step and the objective its value belongs to."""


_State = TypeVar("_State")


def run_parallel(
    states: Sequence[_State],
    tasks: Sequence[Callable[[_State, Tracker], None]],
    tracker: Tracker,
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
    tracker : Tracker
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
        for state, (changed, log) in zip(states, Parallel(n_jobs=n_jobs)(remote), strict=True):
            vars(state).update(vars(changed))
            log.replay(tracker, monitored)


def _uses_shared_memory() -> bool:
    backend, _ = get_active_backend(prefer="threads")
    return getattr(backend, "supports_sharedmem", False)


class _TrackerLog:
    """Records the calls of a tracker in another process."""

    def __init__(self, n_stages: int) -> None:
        self.n_stages = n_stages
        self.stopped = False
        self._calls: list[Step | None] = []  # None for an evaluation

    def count_evaluation(self) -> None:
        self._calls.append(None)

    def report(self, step: Step, monitored: Objective) -> None:
        self._calls.append(step)

    def replay(self, tracker: Tracker, monitored: Objective) -> None:
        for step in self._calls:
            if step is None:
                tracker.count_evaluation()
            elif not tracker.stopped:
                tracker.report(step, monitored)


def _run_remotely(
    state: _State, task: Callable[[_State, Tracker], None], n_stages: int
) -> tuple[_State, _TrackerLog]:
    log = _TrackerLog(n_stages)
    with threadpool_limits(1, user_api="blas"):
        task(state, log)
    return state, log

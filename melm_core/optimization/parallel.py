"""Climbs in threads of this process, or wherever else `joblib.parallel_config` sends them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from threadpoolctl import threadpool_limits


class Listener(Protocol):
    """Hears of the evaluations and steps of climbs, and may stop them.

    Attributes
    ----------
    n_stages : int
    stopped : bool
    """

    n_stages: int
    stopped: bool

    def count(self) -> None:
        """Hear of an evaluation."""

    def note(self, step: Any, measure: Any) -> None:
        """Hear of a step, and by which objective it was measured."""


_Track = TypeVar("_Track")


def climb_each(
    tracks: Sequence[_Track],
    climbs: Sequence[Callable[[_Track, Listener], None]],
    listener: Listener,
    measure: Any,
    n_jobs: int | None,
) -> None:
    """Let every track make its climb, which changes it; several at the same time.

    Parameters
    ----------
    tracks : sequence of objects
    climbs : sequence of callable
        One for each track, given the track and whom to tell. Where climbs are sent to
        other processes, the listener hears of each once it is over, track after track.
    listener : Listener
    measure : callable
        The objective by which the steps of these climbs are measured.
    n_jobs : int or None
        As joblib reads it.
    """
    pairs = list(zip(tracks, climbs, strict=True))
    if n_jobs == 1:
        for track, climb in pairs:
            climb(track, listener)
    elif _threads_are_chosen():
        jobs = (delayed(climb)(track, listener) for track, climb in pairs)
        Parallel(n_jobs=n_jobs, prefer="threads")(jobs)
    else:
        away = (delayed(_climb_away)(track, climb, listener.n_stages) for track, climb in pairs)
        for track, (there, notes) in zip(tracks, Parallel(n_jobs=n_jobs)(away), strict=True):
            vars(track).update(vars(there))
            notes.tell(listener, measure)


def _threads_are_chosen() -> bool:
    backend, _ = get_active_backend(prefer="threads")
    return getattr(backend, "supports_sharedmem", False)


class _Notes:
    """What a listener would have heard."""

    def __init__(self, n_stages: int) -> None:
        self.n_stages = n_stages
        self.stopped = False
        self._steps: list[Any] = []  # None for an evaluation

    def count(self) -> None:
        self._steps.append(None)

    def note(self, step: Any, measure: Any) -> None:
        self._steps.append(step)

    def tell(self, listener: Listener, measure: Any) -> None:
        for step in self._steps:
            if step is None:
                listener.count()
            elif not listener.stopped:
                listener.note(step, measure)


def _climb_away(
    track: _Track, climb: Callable[[_Track, Listener], None], n_stages: int
) -> tuple[_Track, _Notes]:
    notes = _Notes(n_stages)
    with threadpool_limits(1, user_api="blas"):
        climb(track, notes)
    return track, notes

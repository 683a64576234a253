"""The lane: places beside those of the workers for the first seconds of what somebody looks at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from melm_studio.configuration.shares import share_of_address
from melm_studio.workers.turns import PROCESSES_PER_WORKER

# Closed forms are done by then, and a search has shown many planes.
LANE_S = 3.0
# Where others wait for the lane: closed forms are done by then, too, and a search shows a first
# plane, so nobody waits longer than that for each who came before.
CONTESTED_LANE_S = 0.5
# Web requests take precedence when runs use every core; on an idle machine a run is not slower.
NICENESS = 5
# Of a run that nobody waits for: one in the lane has three times its share of a core. It is for
# good, since only the administrator of a machine may raise a priority again.
BACKGROUND_NICENESS = 10


class InLane(Protocol):
    """A run in the lane."""

    @property
    def began_s(self) -> float:
        """Time at which it entered the lane."""


_Run = TypeVar("_Run", bound=InLane)


def places_in_lane(n_workers: int) -> int:
    """Return how many runs the lane holds."""
    return n_workers


def places_beside_lane(n_workers: int, n_in_lane: int) -> int:
    """Return how many runs compute beside those in the lane, which take places of workers.

    One always goes on, at the lowest priority, so that checks end however busy the lane is.

    Examples
    --------
    >>> [places_beside_lane(4, n) for n in (0, 1, 4)]
    [4, 3, 1]
    """
    return max(n_workers - n_in_lane, min(n_workers, 1))


def who_leaves_for_another(runs: Iterable[_Run], now_s: float) -> _Run | None:
    """Return the run that leaves a full lane so that another one may begin, if one may."""
    due = [run for run in runs if now_s - run.began_s >= CONTESTED_LANE_S]
    return min(due, key=lambda run: run.began_s, default=None)


def may_enter_lane(n_own: int, n_all: int, n_workers: int, *, is_search: bool) -> bool:
    """Return whether an address may have another process for what somebody looks at.

    Searches have its share of the processes. They keep theirs, so what is found in one step may
    have most of the others, too: of the last processes, as many as there are workers, it has no
    more than it leaves free.

    Parameters
    ----------
    n_own, n_all : int
        Processes of the address, and of all.
    n_workers : int
    is_search : bool

    Examples
    --------
    >>> [may_enter_lane(n, n, 2, is_search=True) for n in (8, 9)]
    [True, False]
    >>> [may_enter_lane(n, n, 2, is_search=False) for n in (9, 15, 16)]
    [True, True, False]
    >>> [may_enter_lane(0, n, 2, is_search=False) for n in (17, 18)]
    [True, False]
    """
    most = PROCESSES_PER_WORKER * n_workers
    if is_search:
        return n_own < share_of_address(most, n_all)
    n_free = most - n_all
    return n_free > n_workers or (n_free > 0 and n_own <= n_free)

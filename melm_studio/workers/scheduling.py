"""Places and turns of runs: the lane, who gives way, and who ends where memory runs short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from melm_studio.configuration.limits import share_of_address

# Short runs never give way, and whoever waits does so for a few turns at most.
TURN_S = 3.0
# A run that is paused or gave way has a process and its memory, but uses no core.
PROCESSES_PER_WORKER = 9
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


@dataclass(frozen=True)
class Turn:
    """A run that uses a worker.

    Attributes
    ----------
    run_id, owner : str
    began_s : float
        When its turn began, by a monotonic clock.
    """

    run_id: str
    owner: str
    began_s: float


def who_gives_way(turns: Iterable[Turn], waiting: Collection[str], now_s: float) -> Turn | None:
    """Return the turn that should end: the longest, if another owner waits.

    Parameters
    ----------
    turns : iterable of Turn
        Those that were not asked yet.
    waiting : collection of str
        The owners of the runs that wait, for a first turn or another one.
    now_s : float

    Examples
    --------
    >>> turns = [Turn("a", "ada", 0.0), Turn("b", "bob", 1.0)]
    >>> who_gives_way(turns, ["ada", "eve"], 10.0).run_id
    'a'
    >>> who_gives_way(turns, ["ada"], 10.0).run_id
    'b'
    >>> who_gives_way(turns, ["eve"], 2.0)
    """
    due = [
        turn
        for turn in turns
        if now_s - turn.began_s >= TURN_S and any(owner != turn.owner for owner in waiting)
    ]
    return min(due, key=lambda turn: turn.began_s, default=None)


def has_process_for(addresses: Collection[str], processes: Counter[str], n_workers: int) -> bool:
    """Return whether a run of some address may have a process.

    Parameters
    ----------
    addresses : collection of str
        Of the runs that wait for their first turn.
    processes : Counter
        Processes by address.
    n_workers : int

    Examples
    --------
    >>> has_process_for(["crowd"], Counter(crowd=9), 2)
    False
    >>> has_process_for(["crowd", "newcomer"], Counter(crowd=9), 2)
    True
    """
    share = share_of_address(PROCESSES_PER_WORKER * n_workers, processes.total())
    return any(processes[address] < share for address in addresses)


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


def memory_of(pid: int | None) -> int:
    """Return the bytes of memory that a process has to itself; 0 where the system does not say.

    What it shares with others counts in parts (the proportional set size of proc(5)).
    """
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def who_frees_memory(bytes_of: Mapping[str, int], idle: Collection[str], most: int) -> str | None:
    """Return the run that should end so that all take less: the largest that waits, or else works.

    Parameters
    ----------
    bytes_of : mapping of str to int
        By run.
    idle : collection of str
        The runs that are paused or gave way.
    most : int
        Bytes that all may take together; a single run has a limit of its own.

    Examples
    --------
    >>> who_frees_memory({"a": 5, "b": 3, "c": 4}, {"b", "c"}, 10)
    'c'
    >>> who_frees_memory({"a": 5, "b": 3}, set(), 10)
    """
    if len(bytes_of) < 2 or sum(bytes_of.values()) <= most:
        return None
    return max(set(idle) & bytes_of.keys() or bytes_of, key=bytes_of.__getitem__)

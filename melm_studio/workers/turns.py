"""Taking turns: a long run gives way to others that wait, and goes on after them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from melm_studio.configuration.shares import share_of_address

# Short runs never give way, and whoever waits does so for a few turns at most.
TURN_S = 3.0
# A run that is paused or gave way has a process and its memory, but uses no core.
PROCESSES_PER_WORKER = 9


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

"""Interface of every store, in parts: without a method no back end can be constructed.

Abstract is only what a back end must do itself; all else is made of it here, once.
"""

from __future__ import annotations

import time
import zipfile
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

from msgspec.structs import replace

from melm_core.base import UserError
from melm_studio.configuration.limits import Limits
from melm_studio.configuration.messages import RESULTS_UNREADABLE, STOPPED_IN_QUEUE
from melm_studio.record import UNREADABLE
from melm_studio.runs.records.grant import Grant
from melm_studio.runs.records.run import PlaneEvent, RunRecord, RunRequest, RunState
from melm_studio.runs.records.stored_files import FileKind, StoredFile
from melm_studio.runs.store.fair_queue import (
    after_looking,
    after_serving,
    next_looked_at,
    next_run,
)
from melm_studio.talks import TalkStore

_T = TypeVar("_T")

_UNREADABLE = (*UNREADABLE, KeyError, EOFError, zipfile.BadZipFile)


class Grants(ABC):
    """The tokens, recovery links and tickets of all visitors, safe for many processes."""

    @abstractmethod
    def put(self, grant: Grant, *, is_newcomer: bool = False) -> None:
        """Store a new grant; those of its visitor that it replaces go (`replaced_by`).

        Parameters
        ----------
        grant : Grant
        is_newcomer : bool
            Whether its visitor has no runs: those of an address have a share of what it may have.

        Raises
        ------
        LimitReachedError
            If its visitor, or its address, has too many already.
        """

    @abstractmethod
    def get(self, grant_id: str) -> Grant | None:
        """Return the grant, which may have expired or be revoked, or None if there is none."""

    @abstractmethod
    def of_owner(self, owner: str) -> list[Grant]:
        """Return the grants of a visitor, oldest first."""

    @abstractmethod
    def change(self, grant_id: str, change: Callable[[Grant], Grant]) -> None:
        """Change a grant, of which no other change is lost meanwhile; an unknown one is left."""

    @abstractmethod
    def forget_expired(self, now: float) -> None:
        """Delete the grants that have expired."""


class GrantStore(ABC):
    """The part of a store that holds grants."""

    grants: Grants


class RunEndedError(LookupError):
    """The run accepts no more planes: it has ended or was deleted."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"The run {run_id} has ended or was deleted; start a new one.")


class StoreUnavailableError(RuntimeError):
    """The store did not answer within its patience."""

    def __init__(self) -> None:
        super().__init__(self._words)

    _words = (
        "The studio cannot reach its storage of runs and data. Nothing that was stored is lost; "
        "try again in a minute."
    )


class StoreDamagedError(StoreUnavailableError):
    """The store is damaged."""

    _words = (
        "The database of the studio is damaged. Ask its administrator to stop the studio and to "
        "restore its folder from a backup."
    )


class StoreBusyError(StoreUnavailableError):
    """Another program keeps the database of the store locked."""

    _words = (
        "Another program keeps the database of the studio locked. Nothing that was stored is lost; "
        "try again in a minute. If that does not help, ask the administrator of the studio to end "
        "what has cache.db open, in the folder of its data."
    )


Admission: TypeAlias = Callable[[Sequence[RunRecord]], None]


def admit_any(runs: Sequence[RunRecord]) -> None:
    """Admit a run whatever runs its owner has."""


def admit_all(_: RunRecord) -> bool:
    """Admit every run."""
    return True


# From a run and what is requested of it to both as they are to be, or None to leave them.
Change: TypeAlias = Callable[[RunRecord, RunRequest], "tuple[RunRecord, RunRequest] | None"]
# From the runs that wait and who was served to the run to take and who was served then.
Choice: TypeAlias = Callable[[Sequence[str], Sequence[str]], "tuple[RunRecord, list[str]] | None"]


class Listing(Enum):
    """The lists of runs of all owners; each owner's runs are a list too."""

    UNFINISHED = "unfinished"
    QUEUED = "queue"  # waits for a worker, and nobody looks at it
    LOOKED_AT = "looked-at"  # waits for a worker while somebody looks at it


def queue_of(record: RunRecord) -> Listing:
    """Return the queue that a run waits in."""
    return Listing.LOOKED_AT if record.is_looked_at else Listing.QUEUED


@dataclass(frozen=True)
class Ended:
    """The number of runs that ended, and the seconds for which they ran."""

    n_runs: int = 0
    seconds: float = 0.0

    def and_one(self, run: RunRecord) -> Ended:
        """Return the sums with one more run; a run that never started took no time."""
        seconds = (run.finished_s or 0.0) - run.started_s if run.started_s else 0.0
        return Ended(self.n_runs + 1, self.seconds + max(seconds, 0.0))


class Runs(ABC):
    """The records of runs, and what users request of those that have not ended."""

    @abstractmethod
    def create(
        self,
        record: RunRecord,
        admit: Admission = admit_any,
        *,
        n_bytes: int = 0,
        report: bytes | None = None,
    ) -> None:
        """Store a new run in its owner's list, and in the queue unless it ended elsewhere. Atomic.

        Parameters
        ----------
        record : RunRecord
            Queued, or of another studio and in a final state.
        admit : callable
            Called with the owner's runs; what it raises refuses the run. No other run of the owner
            is created meanwhile.
        n_bytes : int
            Of the planes of a run that ended, for which there must be room.
        report : bytes, optional
            That of an analysis that ended.

        Raises
        ------
        LimitReachedError
            If the owner or the address has its share of the queue, or the owner has too many runs
            or stores too much already.
        """

    @abstractmethod
    def records(self, run_ids: Sequence[str]) -> list[RunRecord]:
        """Return the runs with these ids, in this order, without those that there are not.

        Each is whole; together they are no snapshot.
        """

    @abstractmethod
    def run_ids(self, of: str | Listing) -> list[str]:
        """Return the ids of an owner's runs, or of those in a list; oldest first."""

    @abstractmethod
    def change(self, run_id: str, change: Change) -> bool:
        """Change a run and what is requested of it. Atomic: no change made meanwhile is lost.

        What the state says, the lists say as well: a run that starts or ends leaves its queue, and
        one that ends is counted (`ended`). A run with another `RunRecord.attempt` joins its queue
        again; one that had not ended then waits before all others.

        Parameters
        ----------
        run_id : str
        change : callable
            May refuse by an error of its own. For a run that has ended, no other run joins a queue
            between the call and the change.

        Returns
        -------
        bool
            Whether there is such a run, and a change to make.
        """

    @abstractmethod
    def request(self, run_id: str) -> RunRequest:
        """Return what is requested of the run; for a deleted one, that it stop."""

    @abstractmethod
    def delete(self, run_id: str) -> None:
        """Delete a run with its history and report. Atomic; an unknown run is no error."""

    @abstractmethod
    def ended(self) -> Mapping[RunState, Ended]:
        """Return how many runs ended in each final state, deleted ones included."""

    def get(self, run_id: str) -> RunRecord | None:
        """Return the run, or None if there is none."""
        return next(iter(self.records([run_id])), None)

    def runs_of(self, owner: str) -> list[RunRecord]:
        """Return the owner's runs, oldest first."""
        return self.records(self.run_ids(owner))

    def unfinished(self) -> list[RunRecord]:
        """Return the runs of all owners that have not ended, oldest first."""
        # One that another version left, and this one cannot read, stays listed for that one.
        runs = self.records(self.run_ids(Listing.UNFINISHED))
        return [run for run in runs if not run.state.is_final]

    def transition(self, run_id: str, expected: Collection[RunState], **changes: Any) -> bool:
        """Change fields of a run if its state is an expected one, and return whether it was.

        A run that has ended never changes so, whatever is expected.
        """
        return self.change(
            run_id,
            lambda run, request: (
                (replace(run, **changes), request)
                if run.state in expected and not run.state.is_final
                else None
            ),
        )

    def beat(self, run_id: str, now: float) -> None:
        """Set the heartbeat of an unfinished run."""
        self.transition(run_id, [*RunState], heartbeat_s=now)

    def annotate(self, run_id: str, **changes: Any) -> None:
        """Change what a user says of a run, whether or not it has ended: ``name``, ``removed_s``.

        An unknown run is left alone.
        """
        self.change(run_id, lambda run, request: (replace(run, **changes), request))

    def update_request(self, run_id: str, change: Callable[[RunRequest], RunRequest]) -> None:
        """Change what is requested of a run, unless it has ended: ``RunRequest.paused``."""
        self.change(
            run_id, lambda run, request: None if run.state.is_final else (run, change(request))
        )

    def cancel(self, run_id: str) -> None:
        """Cancel a queued run at once; request a running one to stop."""

        def cancelled(run: RunRecord, request: RunRequest) -> tuple[RunRecord, RunRequest] | None:
            if run.state.is_final:
                return None
            if run.state is not RunState.QUEUED:
                return run, request.cancelled()
            ending = {"finished_s": time.time(), "message": STOPPED_IN_QUEUE}
            return replace(run, state=RunState.CANCELLED, **ending), request

        self.change(run_id, cancelled)


class Owners(ABC):
    """Owners of runs or files, and the addresses they came from last."""

    @abstractmethod
    def owners(self, address: str | None = None) -> list[str]:
        """Return every owner of runs or files, or those that came from an address last."""

    @abstractmethod
    def set_address(self, owner: str, address: str) -> None:
        """Record the network address, or what stands for it, that an owner came from last."""

    @abstractmethod
    def address_of(self, owner: str) -> str:
        """Return the address that an owner came from last; by itself, where that is unknown."""


class Queues(Runs, Owners):
    """The queue of runs that wait for a worker, and that of those which somebody looks at."""

    @abstractmethod
    def take(self, queue: Listing, choose: Choice) -> RunRecord | None:
        """Take the run out of a queue that `choose` names, and record who was served. Atomic.

        Parameters
        ----------
        queue : Listing
            One of those that wait.
        choose : callable
            Called without a lock, and again where others took or queued runs meanwhile. Not called
            for an empty queue.

        Returns
        -------
        RunRecord or None
            The run, which stays queued until it is started; None if none was chosen.
        """

    @abstractmethod
    def release(self, run_id: str) -> None:
        """Put a run that was taken but never started back into the queue. Atomic."""

    # The owner and the places of each run that waits.
    _places: Mapping[str, tuple[str, int]] = MappingProxyType({})

    def claim(self) -> RunRecord | None:
        """Take the next run that nobody looks at, of the owner with the fewest claimed runs.

        The run stays queued until it is started. None if there is none.
        """

        def choose(
            waiting: Sequence[str], served: Sequence[str]
        ) -> tuple[RunRecord, list[str]] | None:
            # Those in the other queue are not at work either.
            others = {*self.run_ids(Listing.LOOKED_AT)}
            unfinished = [run for run in self.unfinished() if run.run_id not in others]
            next_in_turn = next_run(unfinished, waiting, served, self.address_of)
            if next_in_turn is None:
                return None
            return next_in_turn, after_serving(served, next_in_turn.owner, unfinished)

        return self.take(Listing.QUEUED, choose)

    def claim_looked_at(self, admits: Callable[[RunRecord], bool] = admit_all) -> RunRecord | None:
        """Take the next run that somebody looks at, of the address served the longest ago.

        Parameters
        ----------
        admits : callable
            Whether a run may start.
        """

        def choose(
            waiting: Sequence[str], served: Sequence[str]
        ) -> tuple[RunRecord, list[str]] | None:
            admitted = filter(admits, self.records(waiting))
            run = next_looked_at(admitted, served, self.address_of)
            if run is None:
                return None
            return run, after_looking(served, run.owner, self.address_of(run.owner))

        return self.take(Listing.LOOKED_AT, choose)

    def n_looked_at(self) -> int:
        """Return how many of the runs that wait somebody looks at."""
        return len(self.run_ids(Listing.LOOKED_AT))

    def n_queued(self) -> int:
        """Return how many runs wait, whether or not somebody looks at them."""
        return len(self.run_ids(Listing.QUEUED)) + self.n_looked_at()

    def places_taken(self) -> Counter[str]:
        """Return how many places the runs of each owner take in the queue."""
        # A full queue is counted for each run that would join it, and keeps writers waiting; the
        # places of a run stay the same while it waits.
        waiting = [*self.run_ids(Listing.LOOKED_AT), *self.run_ids(Listing.QUEUED)]
        unknown = [run_id for run_id in waiting if run_id not in self._places]
        counted = {run.run_id: (run.owner, run.n_places) for run in self.records(unknown)}
        places = {**self._places, **counted}
        self._places = {run_id: places[run_id] for run_id in waiting if run_id in places}
        taken = Counter[str]()
        for owner, n_places in self._places.values():
            taken[owner] += n_places
        return taken


class HistorySize(NamedTuple):
    """The number of events in a history, and their bytes."""

    n_events: int
    n_bytes: int


class Histories(ABC):
    """The planes that runs found, and the reports of analyses."""

    @abstractmethod
    def append(self, run_id: str, *events: PlaneEvent, to_ended: bool = False) -> int:
        """Add events to the history of a run. Atomic: all of them or none, in this order.

        Parameters
        ----------
        run_id : str
        events : PlaneEvent
            Their sequence numbers are those that they get.
        to_ended : bool
            Whether the run is one that `create` stored in a final state; else it must not have
            ended.

        Returns
        -------
        int
            The sequence number of the last one.

        Raises
        ------
        RunEndedError
            If the run has ended or is unknown.
        """

    @abstractmethod
    def events(self, run_id: str, start: int = 0, stop: int | None = None) -> list[PlaneEvent]:
        """Return the events ``start:stop`` of the history, which count as in a slice of a list.

        Takes no lock, since events never change, and costs what it returns. Events that cannot be
        read are left out.
        """

    @abstractmethod
    def history_size(self, run_id: str) -> HistorySize:
        """Return the size of the history."""

    @abstractmethod
    def put_report(self, run_id: str, raw: bytes) -> None:
        """Store the report of an unfinished analysis, replacing the previous one. Atomic.

        Raises
        ------
        RunEndedError
            If the run has ended or is unknown.
        """

    @abstractmethod
    def report(self, run_id: str) -> bytes | None:
        """Return the report of an analysis, or None before the first."""

    def event(self, run_id: str, sequence: int) -> PlaneEvent | None:
        """Return one event, or None if there is none."""
        events = self.events(run_id, sequence, sequence + 1) if sequence >= 0 else []
        return events[0] if events else None

    def last_event(self, run_id: str) -> PlaneEvent | None:
        """Return the newest event, or None before the first."""
        events = self.events(run_id, -1)
        return events[0] if events else None

    def best_event(self, run_id: str) -> PlaneEvent | None:
        """Return the event with the best plane, or None before the first.

        That is the one with the largest objective among those over the most rows: a plane that was
        judged by all rows is better known than one that was judged by a sample of them.
        """
        best: PlaneEvent | None = None
        # One at a time: a long history of wide planes may not fit into memory.
        for sequence in range(self.n_events(run_id)):
            event = self.event(run_id, sequence)
            if event is not None and event.is_better(best):
                best = event
        return best

    def n_events(self, run_id: str) -> int:
        """Return the number of events in the history."""
        return self.history_size(run_id).n_events


class Files(ABC):
    """Data sets and uploads. Equal bytes are stored once for all owners."""

    @abstractmethod
    def put_file(self, owner: str, kind: FileKind, key: str, raw: bytes) -> None:
        """Store bytes for an owner, replacing those under the same key. Atomic.

        Files of the owner that no run uses make room.

        Raises
        ------
        LimitReachedError
            If the owner stores too much already.
        """

    @abstractmethod
    def get_file(self, owner: str, kind: FileKind, key: str) -> bytes | None:
        """Return what this owner put under the key, else None."""

    @abstractmethod
    def files_of(self, owner: str) -> list[StoredFile]:
        """Return the records of the owner's data sets and uploads."""

    @abstractmethod
    def delete_file(self, file: StoredFile) -> None:
        """Delete an owner's file. Atomic; equal bytes of other owners stay."""

    @abstractmethod
    def bytes_stored(self) -> int:
        """Return the bytes that all owners together take, about."""


class Sign(StrEnum):
    """Signs that the processes of a studio leave for each other, with their times."""

    SUPERVISOR = "supervisor"  # one is working the queue
    SWEEP = "swept"  # unused runs and data were looked for
    PROBE = "probe"  # writing works


class Service(ABC):
    """Data that the processes of one studio share besides runs and tables."""

    @abstractmethod
    def secret(self) -> bytes:
        """Return the key for signing cookies, created once for all processes of the studio."""

    @abstractmethod
    def tidy(self, now: float) -> None:
        """Delete what processes that died while writing left behind."""

    @abstractmethod
    def mark(self, sign: Sign, now: float) -> None:
        """Record a sign of life; the last call of any process wins, whatever its time."""

    @abstractmethod
    def marked_s(self, sign: Sign) -> float | None:
        """Return the time of the last `mark`, as it was given; None before the first."""

    @abstractmethod
    def close(self) -> None:
        """Release what the calling thread uses; a later call opens it again."""

    def probe(self, now: float) -> None:
        """Write a small value, to find out whether writing works; raise the error if not."""
        self.mark(Sign.PROBE, now)


class RunStore(Queues, Histories, Files, TalkStore, GrantStore, Service):
    """Runs, their histories and the data they use.

    Every method may be called by any thread of any process, at any time, and answers without
    waiting for a run. Those that are called atomic change all that they say or nothing, also where
    the process dies meanwhile.

    A callable given to the store (`admit`, `change`, `choose`) may be called more than once, and in
    some stores while all other writers wait: it may read the store, but returns soon, writes
    nothing and remembers nothing. What it raises reaches the caller, and nothing has changed.

    Every write may raise `DiskFullError`, every access to a folder `StoreDamagedError`, and every
    access to a server `StoreUnavailableError`, after which a write may or may not have happened.
    """

    limits: Limits


class ReportUnreadableError(UserError):
    """The results of a run are damaged, or another version wrote them."""

    def __init__(self) -> None:
        super().__init__(RESULTS_UNREADABLE)


def stored_report(store: RunStore, run_id: str, read: Callable[[bytes], _T]) -> _T | None:
    """Return the report of a run; None before the first.

    Raises
    ------
    ReportUnreadableError
        If `read` cannot read it.
    """
    raw = store.report(run_id)
    try:
        return None if raw is None else read(raw)
    except _UNREADABLE:
        raise ReportUnreadableError from None

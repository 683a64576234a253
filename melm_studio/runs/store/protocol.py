"""What every store implements, in parts: a back end that lacks a method cannot be constructed."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from melm_studio.configuration.limits import Limits
from melm_studio.configuration.messages import STOPPED_IN_QUEUE
from melm_studio.runs.records.request import RunRequest
from melm_studio.runs.records.run import PlaneEvent, RunRecord, RunState
from melm_studio.runs.records.stored_files import FileKind, StoredFile
from melm_studio.runs.store.grants import GrantStore
from melm_studio.talks.store import TalkStore


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


Admission: TypeAlias = Callable[[Sequence[RunRecord]], None]


def admit_any(runs: Sequence[RunRecord]) -> None:
    """Admit a run whatever runs its owner has."""


def admit_all(_: RunRecord) -> bool:
    """Admit every run."""
    return True


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
    """The records of runs."""

    @abstractmethod
    def create(self, record: RunRecord, admit: Admission = admit_any) -> None:
        """Store a new queued run, and add it to the queue and to its owner's list.

        Parameters
        ----------
        record : RunRecord
        admit : callable
            Called with the owner's runs; what it raises refuses the run. No other run of the owner
            is created meanwhile.

        Raises
        ------
        LimitReachedError
            If the owner or the address has its share of the queue or stores too much already.
        """

    @abstractmethod
    def put_ended(self, record: RunRecord, n_bytes: int, report: bytes | None = None) -> None:
        """Store a run that ended in another studio; `put_history` stores its planes.

        Parameters
        ----------
        record : RunRecord
            In a final state.
        n_bytes : int
            Of its planes, for which there must be room.
        report : bytes, optional
            That of a check or a comparison.

        Raises
        ------
        LimitReachedError
            If the owner has too many runs, or stores too much already.
        """

    @abstractmethod
    def get(self, run_id: str) -> RunRecord | None:
        """Return the run, or None if there is none."""

    @abstractmethod
    def runs_of(self, owner: str) -> list[RunRecord]:
        """Return the owner's runs, oldest first."""

    @abstractmethod
    def unfinished(self) -> list[RunRecord]:
        """Return the runs of all owners that have not ended, oldest first."""

    @abstractmethod
    def transition(self, run_id: str, expected: Collection[RunState], **changes: Any) -> bool:
        """Change fields of a run if its state is an expected one, and return whether it was.

        A state changes in no other way. A final or unknown run never changes but by `reopen`.
        """

    @abstractmethod
    def reopen(self, run_id: str) -> bool:
        """Queue a run that was cut short again; it keeps its history and forgets all requests.

        Returns
        -------
        bool
            Whether there was such a run. One that is done never changes.

        Raises
        ------
        LimitReachedError
        """

    @abstractmethod
    def requeue(self, seen: RunRecord, *, n_losses: int) -> bool:
        """Queue an unfinished run again, whose worker is gone; it keeps its history.

        Only a requested pause remains; what its worker still does is refused (`RunRecord.attempt`).

        Parameters
        ----------
        seen : RunRecord
            The run when its worker was found to be gone.
        n_losses : int
            As in `RunRecord`, from now on.

        Returns
        -------
        bool
            Whether the run was still in that attempt; if not, nothing changes.
        """

    @abstractmethod
    def annotate(self, run_id: str, **changes: Any) -> None:
        """Change what a user says of a run, whether or not it has ended: ``name``, ``removed_s``.

        An unknown run is left alone.
        """

    @abstractmethod
    def beat(self, run_id: str, now: float) -> None:
        """Set the heartbeat of an unfinished run."""

    @abstractmethod
    def delete(self, run_id: str) -> None:
        """Delete a run and its history."""

    @abstractmethod
    def ended(self) -> Mapping[RunState, Ended]:
        """Return how many runs ended in each final state, deleted ones included."""


class Queue(ABC):
    """The queue of runs that wait for a worker, and that of those which somebody looks at."""

    @abstractmethod
    def claim(self) -> RunRecord | None:
        """Take the next run that nobody looks at, of the owner with the fewest claimed runs.

        The run stays queued until it is started. None if there is none.
        """

    @abstractmethod
    def claim_looked_at(self, admits: Callable[[RunRecord], bool] = admit_all) -> RunRecord | None:
        """Take the next run that somebody looks at, of the address served the longest ago.

        Parameters
        ----------
        admits : callable
            Whether a run may start.
        """

    @abstractmethod
    def n_looked_at(self) -> int:
        """Return how many of the runs that wait somebody looks at."""

    @abstractmethod
    def release(self, run_id: str) -> None:
        """Put a run that was claimed but never started back into the queue."""

    @abstractmethod
    def n_queued(self) -> int:
        """Return how many runs wait, whether or not somebody looks at them."""

    @abstractmethod
    def places_taken(self) -> Counter[str]:
        """Return how many places the runs of each owner take in the queue."""


class Events(ABC):
    """The histories of runs."""

    @abstractmethod
    def append(self, run_id: str, event: PlaneEvent) -> int:
        """Add an event to the history of an unfinished run and return its sequence number.

        Raises
        ------
        RunEndedError
            If the run has ended or is unknown.
        """

    @abstractmethod
    def put_history(self, run_id: str, events: Sequence[PlaneEvent]) -> None:
        """Add planes to the history of a run that `put_ended` stored."""

    @abstractmethod
    def n_events(self, run_id: str) -> int:
        """Return the number of events in the history."""

    @abstractmethod
    def events(self, run_id: str, after: int = -1, limit: int | None = None) -> list[PlaneEvent]:
        """Return the events whose sequence is above `after`, at most `limit` of them."""

    @abstractmethod
    def event(self, run_id: str, sequence: int) -> PlaneEvent | None:
        """Return one event, or None if there is none."""

    @abstractmethod
    def last_event(self, run_id: str) -> PlaneEvent | None:
        """Return the newest event, or None before the first."""

    @abstractmethod
    def event_bytes(self, run_id: str) -> int:
        """Return the size of the history in bytes."""


class Reports(ABC):
    """The reports of checks."""

    @abstractmethod
    def put_report(self, run_id: str, raw: bytes) -> None:
        """Store the report of an unfinished check, replacing the previous one.

        Raises
        ------
        RunEndedError
            If the run has ended or is unknown.
        """

    @abstractmethod
    def report(self, run_id: str) -> bytes | None:
        """Return the report of a check, or None before the first."""


class Requests(Runs):
    """What users request of runs that have not ended."""

    @abstractmethod
    def update_request(self, run_id: str, change: Callable[[RunRequest], RunRequest]) -> None:
        """Change what is requested of a run, unless it has ended."""

    @abstractmethod
    def request(self, run_id: str) -> RunRequest:
        """Return what is requested of the run; for a deleted one, that it stop."""

    def request_cancel(self, run_id: str) -> None:
        """Cancel a queued run at once; request a running one to stop."""
        cancelled = self.transition(
            run_id,
            {RunState.QUEUED},
            state=RunState.CANCELLED,
            finished_s=time.time(),
            message=STOPPED_IN_QUEUE,
        )
        if not cancelled:
            self.update_request(run_id, RunRequest.cancelled)

    def request_pause(self, run_id: str) -> None:
        """Request a fit to pause at its next plane; a queued one pauses at its first."""
        self.update_request(run_id, RunRequest.paused)

    def request_step(self, run_id: str) -> None:
        """Request one more plane from a fit, which then pauses."""
        self.update_request(run_id, RunRequest.stepped)

    def request_resume(self, run_id: str) -> None:
        """Request a paused fit to continue."""
        self.update_request(run_id, RunRequest.resumed)

    def request_turn(self, run_id: str, *, gives_way: bool) -> None:
        """Request a run to give way to others, or to go on."""
        self.update_request(run_id, lambda request: request.giving_way(gives_way))

    def request_end(self, run_id: str, reason: str) -> None:
        """Request a run that works to stop, for a reason that is a sentence for the user."""
        self.update_request(run_id, lambda request: request.cancelled(reason))

    def cancel_requested(self, run_id: str) -> bool:
        """Return whether the run should stop."""
        return self.request(run_id).is_cancelled


class Files(ABC):
    """Data sets and uploads."""

    @abstractmethod
    def put_file(self, owner: str, kind: FileKind, key: str, raw: bytes) -> None:
        """Store bytes for an owner; equal bytes are stored once for all owners.

        Raises
        ------
        LimitReachedError
            If the owner stores too much already.
        """

    @abstractmethod
    def get_file(self, owner: str, kind: FileKind, key: str) -> bytes | None:
        """Return what this owner put under the key, else None."""

    @abstractmethod
    def owners(self) -> list[str]:
        """Return every owner of runs or files."""

    @abstractmethod
    def set_address(self, owner: str, address: str) -> None:
        """Record the network address, or what stands for it, that an owner came from last."""

    @abstractmethod
    def address_of(self, owner: str) -> str:
        """Return the address that an owner came from last; by itself, where that is unknown."""

    @abstractmethod
    def owners_at(self, address: str) -> list[str]:
        """Return the owners that came from an address last."""

    @abstractmethod
    def bytes_stored(self) -> int:
        """Return the bytes that all owners together take, about."""

    @abstractmethod
    def files_of(self, owner: str) -> list[StoredFile]:
        """Return the records of the owner's data sets and uploads."""

    @abstractmethod
    def delete_file(self, file: StoredFile) -> None:
        """Delete an owner's file; equal bytes of other owners stay."""

    def put_data(self, owner: str, data_id: str, raw: bytes) -> None:
        """Store a data set for its owner, as `put_file` does."""
        self.put_file(owner, FileKind.DATA, data_id, raw)

    def get_data(self, owner: str, data_id: str) -> bytes | None:
        """Return a data set that this owner put, else None."""
        return self.get_file(owner, FileKind.DATA, data_id)

    def put_upload(self, owner: str, key: str, raw: bytes) -> None:
        """Store an uploaded file for its owner, as `put_file` does."""
        self.put_file(owner, FileKind.UPLOAD, key, raw)

    def get_upload(self, owner: str, key: str) -> bytes | None:
        """Return an upload that this owner put, else None."""
        return self.get_file(owner, FileKind.UPLOAD, key)


class Sign(StrEnum):
    """What the processes of a studio tell each other by its time."""

    SUPERVISOR = "supervisor"  # one is working the queue
    SWEEP = "swept"  # unused runs and data were looked for


class Service(ABC):
    """What the processes of one studio share besides runs and data."""

    @abstractmethod
    def secret(self) -> bytes:
        """Return the key for signing cookies, created once for all processes of the studio."""

    @abstractmethod
    def probe(self, now: float) -> None:
        """Write a small value, to find out whether writing works; raise the error if not."""

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


class RunStore(Requests, Queue, Events, Reports, Files, TalkStore, GrantStore, Service):
    """Runs, their histories and the data they use, safe for many threads and processes.

    Every write may raise `DiskFullError`, and every access to a server `StoreUnavailableError`.
    """

    limits: Limits

"""Where runs, their histories and the data they work on are kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from melm_studio.worker.config.messages import STOPPED_IN_QUEUE
from melm_studio.worker.records.control import Control
from melm_studio.worker.records.limits import Limits
from melm_studio.worker.records.run import PlaneEvent, RunRecord, RunState
from melm_studio.worker.records.stored_files import Holding, HoldingKind


class RunEndedError(LookupError):
    """The run takes no more planes: it has ended, or it is no longer kept."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"The run {run_id} has ended or is gone; start a new one.")


class StoreUnavailableError(RuntimeError):
    """The store does not answer, though it was asked for a while."""

    def __init__(self) -> None:
        super().__init__(
            "The studio cannot reach the place where it keeps runs and data. Nothing that was kept "
            "is lost; try again in a minute."
        )


@dataclass(frozen=True)
class Ended:
    """Runs that ended, and the seconds that they worked."""

    n_runs: int = 0
    seconds: float = 0.0

    def and_one(self, run: RunRecord) -> Ended:
        """Return the sums with one run more; one that never started took no time."""
        seconds = (run.finished_s or 0.0) - run.started_s if run.started_s else 0.0
        return Ended(self.n_runs + 1, self.seconds + max(seconds, 0.0))


class RunStore(Protocol):
    """Runs, events and data behind a small interface, safe for many threads and processes.

    Whatever writes may raise `DiskFullError`. Where the store is on another machine, whatever
    reads or writes may raise `StoreUnavailableError`.
    """

    limits: Limits

    def create(self, record: RunRecord) -> None:
        """Keep a new queued run, put it in the queue and in its owner's list.

        Raises
        ------
        LimitReachedError
            If the queue is full, or the owner keeps too much already.
        """

    def get(self, run_id: str) -> RunRecord | None:
        """Return the run, or None where there is none."""

    def runs_of(self, owner: str) -> list[RunRecord]:
        """Return the owner's runs, oldest first."""

    def unfinished(self) -> list[RunRecord]:
        """Return the runs of all owners that have not ended, oldest first."""

    def transition(self, run_id: str, expected: Collection[RunState], **changes: Any) -> bool:
        """Change fields of a run if its state is an expected one; the only way a state changes.

        Returns
        -------
        bool
            Whether the change was made. A final or unknown run never changes.
        """

    def beat(self, run_id: str, now: float) -> None:
        """Set the heartbeat of an unfinished run."""

    def append(self, run_id: str, event: PlaneEvent) -> int:
        """Add an event to the history of an unfinished run and return its sequence.

        Raises
        ------
        RunEndedError
            If the run has ended or is unknown.
        """

    def n_events(self, run_id: str) -> int:
        """Return the number of events in the history."""

    def events(self, run_id: str, after: int = -1, limit: int | None = None) -> list[PlaneEvent]:
        """Return the events whose sequence is above `after`, at most `limit` of them."""

    def event(self, run_id: str, sequence: int) -> PlaneEvent | None:
        """Return one event, or None where there is none."""

    def last_event(self, run_id: str) -> PlaneEvent | None:
        """Return the newest event, or None before the first."""

    def event_bytes(self, run_id: str) -> int:
        """Return how many bytes the history takes."""

    def put_report(self, run_id: str, raw: bytes) -> None:
        """Keep what a check knows by now, in place of what it knew before.

        Raises
        ------
        RunEndedError
            If the run has ended or is unknown.
        """

    def report(self, run_id: str) -> bytes | None:
        """Return what a check knows, or None before it knows anything."""

    def request_cancel(self, run_id: str) -> None:
        """Cancel a queued run at once; ask whoever works a running one to stop."""
        cancelled = self.transition(
            run_id,
            {RunState.QUEUED},
            state=RunState.CANCELLED,
            finished_s=time.time(),
            message=STOPPED_IN_QUEUE,
        )
        if not cancelled:
            self.ask(run_id, Control.cancelled)

    def request_pause(self, run_id: str) -> None:
        """Ask a fit to hold still at its next plane; a queued one does so at its first."""
        self.ask(run_id, Control.paused)

    def request_step(self, run_id: str) -> None:
        """Ask a fit to give one plane more, then to hold still."""
        self.ask(run_id, Control.stepped)

    def request_resume(self, run_id: str) -> None:
        """Ask a fit that holds still to go on."""
        self.ask(run_id, Control.resumed)

    def ask(self, run_id: str, change: Callable[[Control], Control]) -> None:
        """Change what is asked of a run, unless it has ended."""

    def control(self, run_id: str) -> Control:
        """Return what was asked of the run; one that is no longer kept should stop."""

    def cancel_requested(self, run_id: str) -> bool:
        """Return whether the run should stop."""
        return self.control(run_id).is_cancelled

    def claim(self) -> RunRecord | None:
        """Take the next run out of the queue, for the owner with the fewest claimed runs.

        The run stays queued until somebody starts it. None when the queue is empty.
        """

    def release(self, run_id: str) -> None:
        """Put a run that was claimed but never started back in the queue."""

    def n_queued(self) -> int:
        """Return how many runs are in the queue."""

    def delete(self, run_id: str) -> None:
        """Forget a run and its history."""

    def put_data(self, owner: str, data_id: str, raw: bytes) -> None:
        """Keep a data set for its owner; equal bytes are kept once for all owners.

        Raises
        ------
        LimitReachedError
            If the owner keeps too much already.
        """
        self.put(owner, HoldingKind.DATA, data_id, raw)

    def get_data(self, owner: str, data_id: str) -> bytes | None:
        """Return a data set that this owner put, else None."""
        return self.held(owner, HoldingKind.DATA, data_id)

    def put_upload(self, owner: str, key: str, raw: bytes) -> None:
        """Keep an uploaded file for its owner, as `put_data` does a data set."""
        self.put(owner, HoldingKind.UPLOAD, key, raw)

    def get_upload(self, owner: str, key: str) -> bytes | None:
        """Return an upload that this owner put, else None."""
        return self.held(owner, HoldingKind.UPLOAD, key)

    def put(self, owner: str, kind: HoldingKind, key: str, raw: bytes) -> None:
        """Keep bytes of either kind for an owner."""

    def held(self, owner: str, kind: HoldingKind, key: str) -> bytes | None:
        """Return what an owner put of a kind, else None."""

    def owners(self) -> list[str]:
        """Return everybody who has runs or holdings."""

    def holdings(self, owner: str) -> list[Holding]:
        """Return the data sets and uploads that an owner put."""

    def drop(self, holding: Holding) -> None:
        """Forget what an owner put; equal bytes of others stay."""

    def secret(self) -> bytes:
        """Return the key that this studio signs with, made once for all of its processes."""

    def probe(self, now: float) -> None:
        """Write something small, to see whether that can be done; raise whatever hinders it."""

    def tidy(self, now: float) -> None:
        """Delete what processes left behind that died as they wrote."""

    def beat_supervisor(self, now: float) -> None:
        """Say that somebody works the queue."""

    def supervisor_beat_s(self) -> float | None:
        """Return when somebody last said so."""

    def ended(self) -> Mapping[RunState, Ended]:
        """Return how many runs ended in each final state, deleted ones included."""

    def close(self) -> None:
        """Give back what the calling thread holds; a later call opens it again."""

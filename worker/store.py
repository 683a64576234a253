"""Where runs, their histories and the data they work on are kept."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import diskcache

from worker.bytes_disk import BytesDisk
from worker.messages import STOPPED_IN_QUEUE
from worker.records import PlaneEvent, RunRecord, RunState

LOCK_TIMEOUT_S = 60.0
# Smaller values stay in the database: a file for every plane of a wide table would be slow.
SMALLEST_FILE_BYTES = 2**20


class RunEndedError(LookupError):
    """The run takes no more planes: it has ended, or it is no longer kept."""


class RunStore(Protocol):
    """Runs, events and data behind a small interface, safe for many threads and processes."""

    def create(self, record: RunRecord) -> None:
        """Keep a new queued run, put it in the queue and in its owner's list."""

    def get(self, run_id: str) -> RunRecord | None:
        """Return the run, or None where there is none."""

    def runs_of(self, owner: str) -> list[RunRecord]:
        """Return the owner's runs, oldest first."""

    def unfinished(self) -> list[RunRecord]:
        """Return the runs of all owners that are queued or running, oldest first."""

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

    def cancel_requested(self, run_id: str) -> bool:
        """Return whether the run should stop; so should one that is no longer kept."""

    def claim(self) -> RunRecord | None:
        """Take the next run out of the queue, for the owner with the fewest claimed runs.

        The run stays queued until somebody starts it. None when the queue is empty.
        """

    def release(self, run_id: str) -> None:
        """Put a run that was claimed but never started back in the queue."""

    def delete(self, run_id: str) -> None:
        """Forget a run and its history."""

    def put_data(self, owner: str, data_id: str, raw: bytes) -> None:
        """Keep a data set for its owner; equal bytes are kept once for all owners."""

    def get_data(self, owner: str, data_id: str) -> bytes | None:
        """Return a data set that this owner put, else None."""

    def put_upload(self, owner: str, key: str, raw: bytes) -> None:
        """Keep an uploaded file for its owner; equal bytes are kept once for all owners."""

    def get_upload(self, owner: str, key: str) -> bytes | None:
        """Return an upload that this owner put, else None."""

    def close(self) -> None:
        """Give back what the calling thread holds; a later call opens it again."""


class DiskRunStore(RunStore):
    """A RunStore in a folder, on diskcache.

    Parameters
    ----------
    data_dir : path
        The store makes a folder of its own in it, closed to other users of the machine.
    """

    def __init__(self, data_dir: str | Path) -> None:
        folder = Path(data_dir) / "store"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        self._cache = diskcache.Cache(
            str(folder),
            timeout=LOCK_TIMEOUT_S,
            disk=BytesDisk,
            eviction_policy="none",
            cull_limit=0,
            disk_min_file_size=SMALLEST_FILE_BYTES,
        )

    def create(self, record: RunRecord) -> None:
        with self._transaction():
            self._write(record)
            for listing in (_runs_key(record.owner), UNFINISHED, QUEUE):
                self._set_ids(listing, [*self._ids(listing), record.run_id])

    def get(self, run_id: str) -> RunRecord | None:
        raw = self._cache.get(_key("run", run_id))
        return None if raw is None else RunRecord.from_bytes(raw)

    def runs_of(self, owner: str) -> list[RunRecord]:
        return self._records(self._ids(_runs_key(owner)))

    def unfinished(self) -> list[RunRecord]:
        return self._records(self._ids(UNFINISHED))

    def transition(self, run_id: str, expected: Collection[RunState], **changes: Any) -> bool:
        with self._transaction():
            record = self.get(run_id)
            if record is None or record.state.is_final or record.state not in expected:
                return False
            changed = replace(record, **changes)
            self._write(changed)
            self._unlist_where_due(changed)
            return True

    def beat(self, run_id: str, now: float) -> None:
        with self._transaction():
            record = self.get(run_id)
            if record is not None and not record.state.is_final:
                self._write(replace(record, heartbeat_s=now))

    def append(self, run_id: str, event: PlaneEvent) -> int:
        with self._transaction():
            self._refuse_ended(run_id)
            sequence = self.n_events(run_id)
            raw = replace(event, sequence=sequence).to_bytes()
            self._cache.set(_event_key(run_id, sequence), raw)
            self._cache.set(_key("count", run_id), str(sequence + 1).encode())
            return sequence

    def n_events(self, run_id: str) -> int:
        return int(self._cache.get(_key("count", run_id), b"0"))

    def events(self, run_id: str, after: int = -1, limit: int | None = None) -> list[PlaneEvent]:
        n_events = self.n_events(run_id)
        end = n_events if limit is None else min(n_events, after + 1 + limit)
        # No transaction: events never change, and readers need not hold up the run.
        found = (self.event(run_id, sequence) for sequence in range(after + 1, end))
        return [event for event in found if event is not None]

    def event(self, run_id: str, sequence: int) -> PlaneEvent | None:
        raw = self._cache.get(_event_key(run_id, sequence))
        return None if raw is None else PlaneEvent.from_bytes(raw)

    def last_event(self, run_id: str) -> PlaneEvent | None:
        return self.event(run_id, self.n_events(run_id) - 1)

    def put_report(self, run_id: str, raw: bytes) -> None:
        with self._transaction():
            self._refuse_ended(run_id)
            self._cache.set(_key("report", run_id), raw)

    def report(self, run_id: str) -> bytes | None:
        raw: bytes | None = self._cache.get(_key("report", run_id))
        return raw

    def request_cancel(self, run_id: str) -> None:
        with self._transaction():
            cancelled = self.transition(
                run_id,
                {RunState.QUEUED},
                state=RunState.CANCELLED,
                finished_s=time.time(),
                message=STOPPED_IN_QUEUE,
            )
            if not cancelled and self.get(run_id) is not None:
                self._cache.set(_key("cancel", run_id), b"1")

    def cancel_requested(self, run_id: str) -> bool:
        return _key("cancel", run_id) in self._cache or _key("run", run_id) not in self._cache

    def claim(self) -> RunRecord | None:
        if not self._ids(QUEUE):
            return None  # an idle supervisor asks often and must not take the lock each time
        with self._transaction():
            queue = self._ids(QUEUE)
            chosen = _fairest(self.unfinished(), queue)
            if chosen is not None:
                self._set_ids(QUEUE, _without(queue, chosen.run_id))
            return chosen

    def release(self, run_id: str) -> None:
        with self._transaction():
            record, queue = self.get(run_id), self._ids(QUEUE)
            if record is not None and record.state is RunState.QUEUED and run_id not in queue:
                self._set_ids(QUEUE, [run_id, *queue])

    def delete(self, run_id: str) -> None:
        with self._transaction():
            record = self.get(run_id)
            if record is None:
                return
            for sequence in range(self.n_events(run_id)):
                self._cache.delete(_event_key(run_id, sequence))
            for kind in ("run", "count", "cancel", "report"):
                self._cache.delete(_key(kind, run_id))
            for listing in (_runs_key(record.owner), UNFINISHED, QUEUE):
                self._unlist(listing, run_id)

    def put_data(self, owner: str, data_id: str, raw: bytes) -> None:
        self._put_content(_key("data", owner, data_id), raw)

    def get_data(self, owner: str, data_id: str) -> bytes | None:
        return self._get_content(_key("data", owner, data_id))

    def put_upload(self, owner: str, key: str, raw: bytes) -> None:
        self._put_content(_key("upload", owner, key), raw)

    def get_upload(self, owner: str, key: str) -> bytes | None:
        return self._get_content(_key("upload", owner, key))

    def close(self) -> None:
        self._cache.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        # Without diskcache's retry, which would try for ever on a full or unwritable disk.
        with self._cache.transact():
            yield

    def _refuse_ended(self, run_id: str) -> None:
        record = self.get(run_id)
        if record is None or record.state.is_final:
            raise RunEndedError(f"The run {run_id} has ended or is gone; start a new one.")

    def _write(self, record: RunRecord) -> None:
        self._cache.set(_key("run", record.run_id), record.to_bytes())

    def _records(self, run_ids: Iterable[str]) -> list[RunRecord]:
        found = (self.get(run_id) for run_id in run_ids)
        return [record for record in found if record is not None]

    def _ids(self, listing: str) -> list[str]:
        ids: list[str] = json.loads(self._cache.get(listing, b"[]"))
        return ids

    def _set_ids(self, listing: str, run_ids: list[str]) -> None:
        self._cache.set(listing, json.dumps(run_ids).encode())

    def _unlist_where_due(self, record: RunRecord) -> None:
        if record.state is not RunState.QUEUED:
            self._unlist(QUEUE, record.run_id)
        if record.state.is_final:
            self._unlist(UNFINISHED, record.run_id)

    def _unlist(self, listing: str, run_id: str) -> None:
        run_ids = self._ids(listing)
        if run_id in run_ids:
            self._set_ids(listing, _without(run_ids, run_id))

    def _put_content(self, name: str, raw: bytes) -> None:
        # Addressed by the bytes themselves, so that nobody reads another owner's data by
        # claiming its id, or changes it by putting other bytes under that id.
        digest = hashlib.sha256(raw).hexdigest()
        self._cache.add(_key("content", digest), raw)
        self._cache.set(name, digest.encode())

    def _get_content(self, name: str) -> bytes | None:
        digest = self._cache.get(name)
        if digest is None:
            return None
        raw: bytes | None = self._cache.get(_key("content", digest.decode()))
        return raw


def _fairest(unfinished: list[RunRecord], queue: list[str]) -> RunRecord | None:
    claimed = Counter(record.owner for record in unfinished if record.run_id not in queue)
    by_id = {record.run_id: record for record in unfinished}
    waiting = [by_id[run_id] for run_id in queue if run_id in by_id]
    return min(waiting, key=lambda record: claimed[record.owner], default=None)


def _without(run_ids: list[str], run_id: str) -> list[str]:
    return [listed for listed in run_ids if listed != run_id]


def _key(*parts: str) -> str:
    return "/".join(quote(part, safe="") for part in parts)


def _runs_key(owner: str) -> str:
    return _key("runs", owner)


def _event_key(run_id: str, sequence: int) -> str:
    return _key("event", run_id, f"{sequence:08d}")


QUEUE = _key("queue")
UNFINISHED = _key("unfinished")

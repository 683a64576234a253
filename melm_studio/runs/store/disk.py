"""The store in a folder."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec.structs import replace

from melm_studio.configuration.limits import Limits
from melm_studio.runs.records.grant import Grant, replaced_by
from melm_studio.runs.records.request import GO, RunRequest
from melm_studio.runs.records.run import (
    PlaneEvent,
    RunRecord,
    RunState,
    annotated,
    reopened,
    stored_run,
)
from melm_studio.runs.records.shares import places_of
from melm_studio.runs.records.stored_files import FileKind, StoredFile, is_current
from melm_studio.runs.store.disk_cache import DiskCache
from melm_studio.runs.store.fair_queue import (
    after_looking,
    after_serving,
    next_looked_at,
    next_run,
)
from melm_studio.runs.store.grants import Grants
from melm_studio.runs.store.protocol import (
    Admission,
    Ended,
    RunEndedError,
    RunStore,
    Sign,
    admit_all,
    admit_any,
)
from melm_studio.runs.store.quota import (
    make_room_for_bytes,
    make_room_for_ended,
    make_room_for_run,
    make_room_in_queue,
)
from melm_studio.runs.store.secret_key import secret_in
from melm_studio.talks.store import Talks
from melm_studio.talks.talk import COUNT_VALID_S, Talk, TalkView
from melm_studio.talks.talk import replaced_by as replaced_talks

SECRET_FILE, STORE_FOLDER = "secret", "store"


class DiskRunStore(RunStore):
    """The RunStore in a folder, on diskcache.

    Parameters
    ----------
    data_dir : path
        The store creates a subfolder in it that other users of the machine cannot read.
    limits : Limits
    """

    def __init__(self, data_dir: str | Path, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._secret_file, self._secret = Path(data_dir) / SECRET_FILE, b""
        self._cache = DiskCache(Path(data_dir) / STORE_FOLDER)
        self._files = DiskFiles(self._cache)
        self._places: dict[str, tuple[str, int]] = {}
        self.talks = DiskTalks(self._cache)
        self.grants = DiskGrants(self._cache)

    def create(self, record: RunRecord, admit: Admission = admit_any) -> None:
        with self._cache.transaction():
            admit(self.runs_of(record.owner))
            make_room_for_run(self, record)
            self._write(record)
            for listing in (_runs_key(record.owner), UNFINISHED, _queue_of(record)):
                self._cache.enlist(listing, record.run_id)
            self._cache.enlist(OWNERS, record.owner)

    def put_ended(self, record: RunRecord, n_bytes: int, report: bytes | None = None) -> None:
        with self._cache.transaction():
            make_room_for_ended(self, record, n_bytes)
            if report is not None:
                self._cache.put(_key("report", record.run_id), report)
            self._write(record)
            self._cache.enlist(_runs_key(record.owner), record.run_id)
            self._cache.enlist(OWNERS, record.owner)

    def get(self, run_id: str) -> RunRecord | None:
        raw = self._cache.get(_key("run", run_id))
        return None if raw is None else stored_run(run_id, raw, self._owner_of)

    def _owner_of(self, run_id: str) -> str:
        """The owner whose list has a run."""
        owners = (
            owner for owner in self.owners() if run_id in self._cache.listed(_runs_key(owner))
        )
        return next(owners, "")

    def runs_of(self, owner: str) -> list[RunRecord]:
        return self._records(self._cache.listed(_runs_key(owner)))

    def unfinished(self) -> list[RunRecord]:
        # One that another version left, and this one cannot read, stays listed for that one.
        runs = self._records(self._cache.listed(UNFINISHED))
        return [run for run in runs if not run.state.is_final]

    def transition(self, run_id: str, expected: Collection[RunState], **changes: Any) -> bool:
        with self._cache.transaction():
            record = self.get(run_id)
            if record is None or record.state.is_final or record.state not in expected:
                return False
            changed = replace(record, **changes)
            self._write(changed)
            self._unlist_where_due(changed)
            if changed.state.is_final:
                self._count_end(changed)
            return True

    def reopen(self, run_id: str) -> bool:
        with self._cache.transaction():
            record = self.get(run_id)
            if record is None or not record.can_continue:
                return False
            make_room_in_queue(self, record)
            again = reopened(record)
            self._write_attempt(again, GO)
            for listing in (UNFINISHED, _queue_of(again)):
                self._cache.enlist(listing, run_id)
            return True

    def requeue(self, seen: RunRecord, *, n_losses: int) -> bool:
        with self._cache.transaction():
            record = self.get(seen.run_id)
            if record is None or record.state.is_final or record.attempt != seen.attempt:
                return False
            self._write_attempt(reopened(record, n_losses=n_losses), self.request(seen.run_id))
            self.release(seen.run_id)
            return True

    def annotate(self, run_id: str, **changes: Any) -> None:
        with self._cache.transaction():
            record, raw = self.get(run_id), self._cache.get(_key("run", run_id))
            if record is not None and raw is not None:
                self._cache.put(_key("run", run_id), annotated(record, raw, changes))

    def beat(self, run_id: str, now: float) -> None:
        with self._cache.transaction():
            record = self.get(run_id)
            if record is not None and not record.state.is_final:
                self._write(replace(record, heartbeat_s=now))

    def append(self, run_id: str, event: PlaneEvent) -> int:
        with self._cache.transaction():
            self._refuse_ended(run_id)
            return self._append(run_id, event)

    def put_history(self, run_id: str, events: Sequence[PlaneEvent]) -> None:
        with self._cache.transaction():
            for event in events:
                self._append(run_id, event)

    def _append(self, run_id: str, event: PlaneEvent) -> int:
        sequence, n_bytes = self._size(run_id)
        raw = replace(event, sequence=sequence).to_bytes()
        self._cache.put(_event_key(run_id, sequence), raw)
        self._cache.put(_key("size", run_id), f"{sequence + 1} {n_bytes + len(raw)}".encode())
        return sequence

    def n_events(self, run_id: str) -> int:
        return self._size(run_id)[0]

    def event_bytes(self, run_id: str) -> int:
        return self._size(run_id)[1]

    def events(self, run_id: str, after: int = -1, limit: int | None = None) -> list[PlaneEvent]:
        n_events = self.n_events(run_id)
        end = n_events if limit is None else min(n_events, after + 1 + limit)
        # No transaction: events never change, and readers must not delay the run.
        found = (self.event(run_id, sequence) for sequence in range(after + 1, end))
        return [event for event in found if event is not None]

    def event(self, run_id: str, sequence: int) -> PlaneEvent | None:
        raw = self._cache.get(_event_key(run_id, sequence))
        return None if raw is None else PlaneEvent.readable(raw)

    def last_event(self, run_id: str) -> PlaneEvent | None:
        return self.event(run_id, self.n_events(run_id) - 1)

    def put_report(self, run_id: str, raw: bytes) -> None:
        with self._cache.transaction():
            self._refuse_ended(run_id)
            self._cache.put(_key("report", run_id), raw)

    def report(self, run_id: str) -> bytes | None:
        return self._cache.get(_key("report", run_id))

    def update_request(self, run_id: str, change: Callable[[RunRequest], RunRequest]) -> None:
        with self._cache.transaction():
            record = self.get(run_id)
            if record is not None and not record.state.is_final:
                changed = change(self.request(run_id))
                self._cache.put(_key("control", run_id), changed.to_bytes())

    def request(self, run_id: str) -> RunRequest:
        if _key("run", run_id) not in self._cache:
            return GO.cancelled()
        return RunRequest.stored(self._cache.get(_key("control", run_id)))

    def claim(self) -> RunRecord | None:
        if not self._cache.listed(QUEUE):
            return None  # an idle supervisor polls often and must not take the lock each time
        with self._cache.transaction():
            # Those in the other queue are not at work either.
            others = {*self._cache.listed(LOOKED_AT)}
            unfinished = [run for run in self.unfinished() if run.run_id not in others]
            served = self._cache.listed(SERVED)
            chosen = next_run(unfinished, self._cache.listed(QUEUE), served, self.address_of)
            if chosen is not None:
                self._cache.unlist(QUEUE, chosen.run_id)
                self._cache.put_listed(SERVED, after_serving(served, chosen.owner, unfinished))
            return chosen

    def claim_looked_at(self, admits: Callable[[RunRecord], bool] = admit_all) -> RunRecord | None:
        # Without the lock, since nobody may be admitted for long; the choice is then made sure of.
        waiting = self._records(self._cache.listed(LOOKED_AT))
        admitted = [record for record in waiting if admits(record)]
        served = self._cache.listed(SERVED_LOOKERS)
        chosen = next_looked_at(admitted, served, self.address_of)
        if chosen is None:
            return None
        with self._cache.transaction():
            if chosen.run_id not in self._cache.listed(LOOKED_AT):
                return None
            self._cache.unlist(LOOKED_AT, chosen.run_id)
            lookers = after_looking(served, chosen.owner, self.address_of(chosen.owner))
            self._cache.put_listed(SERVED_LOOKERS, lookers)
            return chosen

    def release(self, run_id: str) -> None:
        with self._cache.transaction():
            record = self.get(run_id)
            if record is None or record.state is not RunState.QUEUED:
                return
            queue = self._cache.listed(_queue_of(record))
            if run_id not in queue:
                self._cache.put_listed(_queue_of(record), [run_id, *queue])

    def n_queued(self) -> int:
        return len(self._waiting())

    def n_looked_at(self) -> int:
        return len(self._cache.listed(LOOKED_AT))

    def _waiting(self) -> list[str]:
        return [*self._cache.listed(LOOKED_AT), *self._cache.listed(QUEUE)]

    def places_taken(self) -> Counter[str]:
        # A full queue is counted for each run that would join it, and keeps writers waiting.
        known, waiting = self._places, self._waiting()
        self._places = {run_id: known.get(run_id) or self._place(run_id) for run_id in waiting}
        taken = Counter[str]()
        for owner, n_places in self._places.values():
            taken[owner] += n_places
        return taken

    def _place(self, run_id: str) -> tuple[str, int]:
        """The owner of a run and the places that it takes, which stay the same while it waits."""
        record = self.get(run_id)
        return ("", 0) if record is None else (record.owner, places_of(record))

    def delete(self, run_id: str) -> None:
        with self._cache.transaction():
            record = self.get(run_id)
            if record is None:
                return
            for sequence in range(self.n_events(run_id)):
                self._cache.delete(_event_key(run_id, sequence))
            for kind in ("run", "size", "control", "report"):
                self._cache.delete(_key(kind, run_id))
            for listing in (_runs_key(record.owner), UNFINISHED, _queue_of(record)):
                self._cache.unlist(listing, run_id)

    def put_file(self, owner: str, kind: FileKind, key: str, raw: bytes) -> None:
        with self._cache.transaction():
            make_room_for_bytes(self, owner, len(raw) - self._files.n_bytes(owner, kind, key))
            self._files.put(owner, kind, key, raw)
            self._cache.enlist(OWNERS, owner)

    def get_file(self, owner: str, kind: FileKind, key: str) -> bytes | None:
        return self._files.get(owner, kind, key)

    def owners(self) -> list[str]:
        return self._cache.listed(OWNERS)

    def set_address(self, owner: str, address: str) -> None:
        before = self.address_of(owner)
        if before == address:
            return
        with self._cache.transaction():
            self._cache.unlist(_key("at", before), owner)
            self._cache.enlist(_key("at", address), owner)
            self._cache.put(_key("address", owner), address.encode())

    def address_of(self, owner: str) -> str:
        return (self._cache.get(_key("address", owner)) or owner.encode()).decode()

    def owners_at(self, address: str) -> list[str]:
        return self._cache.listed(_key("at", address)) or [address]

    def bytes_stored(self) -> int:
        return self._cache.n_bytes()

    def files_of(self, owner: str) -> list[StoredFile]:
        return self._files.of_owner(owner)

    def delete_file(self, file: StoredFile) -> None:
        self._files.delete(file)

    def secret(self) -> bytes:
        # A folder that lost its key while the studio works gets it back.
        self._secret = secret_in(self._secret_file, self._secret)
        return self._secret

    def probe(self, now: float) -> None:
        self._cache.put(PROBE, str(now).encode())

    def tidy(self, now: float) -> None:
        self._cache.remove_orphans(now)
        self.talks.forget_expired(now)
        self.grants.forget_expired(now)
        for owner in self.owners():
            with self._cache.transaction():
                if not self._cache.listed(_runs_key(owner)) and not self.files_of(owner):
                    self._cache.unlist(OWNERS, owner)
                    self._cache.unlist(_key("at", self.address_of(owner)), owner)
                    self._cache.delete(_key("address", owner))

    def mark(self, sign: Sign, now: float) -> None:
        self._cache.put(_key(sign.value), str(now).encode())

    def marked_s(self, sign: Sign) -> float | None:
        raw = self._cache.get(_key(sign.value))
        return None if raw is None else float(raw)

    def ended(self) -> dict[RunState, Ended]:
        states = [state for state in RunState if state.is_final]
        return {state: self._ended(state) for state in states}

    def close(self) -> None:
        self._cache.close()

    def _refuse_ended(self, run_id: str) -> None:
        record = self.get(run_id)
        if record is None or record.state.is_final:
            raise RunEndedError(run_id)

    def _write(self, record: RunRecord) -> None:
        self._cache.put(_key("run", record.run_id), record.to_bytes())

    def _write_attempt(self, record: RunRecord, before: RunRequest) -> None:
        self._write(record)
        request = before.of_attempt(record.attempt)
        self._cache.put(_key("control", record.run_id), request.to_bytes())

    def _records(self, run_ids: Iterable[str]) -> list[RunRecord]:
        found = (self.get(run_id) for run_id in run_ids)
        return [record for record in found if record is not None]

    def _unlist_where_due(self, record: RunRecord) -> None:
        if record.state is not RunState.QUEUED:
            self._cache.unlist(_queue_of(record), record.run_id)
        if record.state.is_final:
            self._cache.unlist(UNFINISHED, record.run_id)

    def _count_end(self, record: RunRecord) -> None:
        ended = self._ended(record.state).and_one(record)
        self._cache.put(_key("ended", record.state), f"{ended.n_runs} {ended.seconds}".encode())

    def _ended(self, state: RunState) -> Ended:
        n_runs, seconds = (self._cache.get(_key("ended", state)) or b"0 0").split()
        return Ended(int(n_runs), float(seconds))

    def _size(self, run_id: str) -> tuple[int, int]:
        """Return the number of events and their bytes."""
        n_events, n_bytes = (self._cache.get(_key("size", run_id)) or b"0 0").split()
        return int(n_events), int(n_bytes)


def _key(*parts: str) -> str:
    return "/".join(quote(part, safe="") for part in parts)


def _runs_key(owner: str) -> str:
    return _key("runs", owner)


def _event_key(run_id: str, sequence: int) -> str:
    return _key("event", run_id, f"{sequence:08d}")


def _queue_of(record: RunRecord) -> str:
    return LOOKED_AT if record.is_looked_at else QUEUE


QUEUE = _key("queue")
LOOKED_AT = _key("looked-at")
SERVED_LOOKERS = _key("served-lookers")
UNFINISHED = _key("unfinished")
SERVED = _key("served")
OWNERS = _key("owners")
PROBE = _key("probe")


class DiskFiles:
    """The files of all owners in a cache.

    Contents are addressed by their hash, and references to them are counted. An owner can
    therefore not read another owner's file by knowing its key, not change it by putting other bytes
    under that key, and not lose a file because another owner deletes an equal one.
    """

    def __init__(self, cache: DiskCache) -> None:
        self._cache = cache

    def put(self, owner: str, kind: FileKind, key: str, raw: bytes) -> None:
        """Store bytes for an owner."""
        digest, now = hashlib.sha256(raw).hexdigest(), time.time()
        with self._cache.transaction():
            before = self._file(owner, kind, key)
            if before is not None and before.digest != digest:
                self._release(before.digest)
            if before is None or before.digest != digest:
                self._refer(digest, raw)
            elif is_current(before, digest, now):
                return
            file = StoredFile(owner, kind, key, digest, len(raw), now)
            self._cache.put(_name(owner, kind, key), file.to_bytes())
            self._cache.enlist(_held(owner), _name(owner, kind, key))

    def get(self, owner: str, kind: FileKind, key: str) -> bytes | None:
        """Return the bytes that this owner put under the key."""
        file = self._file(owner, kind, key)
        return None if file is None else self._cache.get(_content(file.digest))

    def n_bytes(self, owner: str, kind: FileKind, key: str) -> int:
        """Return the size of what this owner put under the key."""
        file = self._file(owner, kind, key)
        return 0 if file is None else file.n_bytes

    def of_owner(self, owner: str) -> list[StoredFile]:
        """Return the records of the owner's files."""
        found = (self._cache.get(name) for name in self._cache.listed(_held(owner)))
        read = (StoredFile.readable(raw) for raw in found if raw is not None)
        return [file for file in read if file is not None]

    def delete(self, file: StoredFile) -> None:
        """Delete a file, and its contents if no other file has them."""
        name = _name(file.owner, file.kind, file.key)
        with self._cache.transaction():
            stored = self._file(file.owner, file.kind, file.key)
            if stored is not None:
                self._release(stored.digest)
                self._cache.delete(name)
                self._cache.unlist(_held(file.owner), name)

    def _file(self, owner: str, kind: FileKind, key: str) -> StoredFile | None:
        raw = self._cache.get(_name(owner, kind, key))
        return None if raw is None else StoredFile.readable(raw)

    def _refer(self, digest: str, raw: bytes) -> None:
        n_holders = self._n_holders(digest)
        if n_holders == 0:
            self._cache.put(_content(digest), raw)
        self._cache.put(_holders(digest), str(n_holders + 1).encode())

    def _release(self, digest: str) -> None:
        n_holders = self._n_holders(digest) - 1
        if n_holders > 0:
            self._cache.put(_holders(digest), str(n_holders).encode())
        else:
            self._cache.delete(_holders(digest))
            self._cache.delete(_content(digest))

    def _n_holders(self, digest: str) -> int:
        return int(self._cache.get(_holders(digest)) or b"0")


def _name(owner: str, kind: FileKind, key: str) -> str:
    return f"{kind}/{quote(owner, safe='')}/{quote(key, safe='')}"


def _held(owner: str) -> str:
    return f"held/{quote(owner, safe='')}"


def _content(digest: str) -> str:
    return f"content/{digest}"


def _holders(digest: str) -> str:
    return f"holders/{digest}"


_RECORDS = "grant/"


class DiskGrants(Grants):
    """The grants of all visitors in a cache."""

    def __init__(self, cache: DiskCache) -> None:
        self._cache = cache

    def put(self, grant: Grant) -> None:
        with self._cache.transaction():
            own, at = self.of_owner(grant.owner), _at(grant)
            n_here = len(self._cache.listed(at))
            for former in replaced_by(grant, own, n_here, partial(self._listed, at)):
                self._delete(former)
            self._cache.put(_RECORDS + grant.grant_id, grant.to_bytes())
            for listing in (_of(grant.owner), at):
                self._cache.enlist(listing, grant.grant_id)

    def get(self, grant_id: str) -> Grant | None:
        raw = self._cache.get(_RECORDS + grant_id)
        return None if raw is None else Grant.from_bytes(raw)

    def of_owner(self, owner: str) -> list[Grant]:
        return sorted(self._listed(_of(owner)), key=lambda grant: grant.created_s)

    def change(self, grant_id: str, change: Callable[[Grant], Grant]) -> None:
        with self._cache.transaction():
            grant = self.get(grant_id)
            if grant is not None:
                self._cache.put(_RECORDS + grant_id, change(grant).to_bytes())

    def forget_expired(self, now: float) -> None:
        for key in self._cache.keys_with(_RECORDS):
            grant = self.get(key.removeprefix(_RECORDS))
            if grant is not None and now >= grant.expires_s:
                self._delete(grant)

    def _delete(self, grant: Grant) -> None:
        with self._cache.transaction():
            self._cache.delete(_RECORDS + grant.grant_id)
            for listing in (_of(grant.owner), _at(grant)):
                self._cache.unlist(listing, grant.grant_id)

    def _listed(self, listing: str) -> list[Grant]:
        found = map(self.get, self._cache.listed(listing))
        return [grant for grant in found if grant is not None]


def _of(owner: str) -> str:
    return f"grants-of/{owner}"


def _at(grant: Grant) -> str:
    return f"grants-at/{grant.kind}/{grant.address}"


_TALKS = "talks"


class DiskTalks(Talks):
    """The talks of all presenters in a cache."""

    def __init__(self, cache: DiskCache) -> None:
        self._cache = cache

    def put(self, talk: Talk) -> None:
        with self._cache.transaction():
            for former in replaced_talks(talk, self._all()):
                if former.talk_id != talk.talk_id:
                    self.end(former.talk_id)
            self._cache.put(_talk_key("talk", talk.talk_id), talk.to_bytes())
            self._cache.enlist(_TALKS, talk.talk_id)

    def get(self, talk_id: str) -> Talk | None:
        raw = self._cache.get(_talk_key("talk", talk_id))
        return None if raw is None else Talk.readable(raw)

    def of_owner(self, owner: str) -> Talk | None:
        return next((talk for talk in self._all() if talk.owner == owner), None)

    def end(self, talk_id: str) -> None:
        with self._cache.transaction():
            for kind in ("talk", "talk-number", "talk-view", "talk-viewers"):
                self._cache.delete(_talk_key(kind, talk_id))
            self._cache.unlist(_TALKS, talk_id)

    def forget_expired(self, now: float) -> None:
        for talk in self._all():
            if talk.is_over(now):
                self.end(talk.talk_id)

    def show(self, talk_id: str, view: TalkView) -> bool:
        with self._cache.transaction():
            if _talk_key("talk", talk_id) not in self._cache:
                return False
            self._cache.put(_talk_key("talk-view", talk_id), view.to_bytes())
            self._cache.put(_talk_key("talk-number", talk_id), str(view.number).encode())
            return True

    def view(self, talk_id: str, after: int = -1) -> TalkView | None:
        # Asked many times a second; the view itself is read only where it is newer.
        number = self._cache.get(_talk_key("talk-number", talk_id))
        if number is None or int(number) <= after:
            return None
        raw = self._cache.get(_talk_key("talk-view", talk_id))
        return None if raw is None else TalkView.from_bytes(raw)

    def count_viewers(self, talk_id: str, process: str, n_viewers: int, now: float) -> None:
        with self._cache.transaction():
            if _talk_key("talk", talk_id) in self._cache:
                counts = self._counts(talk_id, now) | {process: (n_viewers, now)}
                self._cache.put(_talk_key("talk-viewers", talk_id), json.dumps(counts).encode())

    def n_viewers(self, talk_id: str, now: float) -> int:
        return sum(n for n, _ in self._counts(talk_id, now).values())

    def _counts(self, talk_id: str, now: float) -> dict[str, tuple[int, float]]:
        raw = self._cache.get(_talk_key("talk-viewers", talk_id)) or b"{}"
        counts: dict[str, tuple[int, float]] = json.loads(raw)
        return {name: (n, at) for name, (n, at) in counts.items() if now - at < COUNT_VALID_S}

    def _all(self) -> list[Talk]:
        found = (self.get(talk_id) for talk_id in self._cache.listed(_TALKS))
        return [talk for talk in found if talk is not None]


def _talk_key(kind: str, talk_id: str) -> str:
    return f"{kind}/{talk_id}"

"""The store in a folder."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from urllib.parse import quote

from msgspec.structs import replace

from melm_studio.configuration.limits import Limits
from melm_studio.runs.records.grant import Grant, replaced_by
from melm_studio.runs.records.run import GO, PlaneEvent, RunRecord, RunRequest, RunState, stored_run
from melm_studio.runs.records.stored_files import FileKind, StoredFile, is_current
from melm_studio.runs.store.disk_cache import PATIENCE_S, DiskCache
from melm_studio.runs.store.protocol import (
    Admission,
    Change,
    Choice,
    Ended,
    Grants,
    HistorySize,
    Listing,
    RunEndedError,
    RunStore,
    Sign,
    admit_any,
    queue_of,
)
from melm_studio.runs.store.quota import make_room_for_bytes, make_room_for_run
from melm_studio.runs.store.secret_key import secret_in
from melm_studio.talks import COUNT_VALID_S, Talk, Talks, TalkView
from melm_studio.talks import replaced_by as replaced_talks

SECRET_FILE, STORE_FOLDER = "secret", "store"


class DiskRunStore(RunStore):
    """The RunStore in a folder, on diskcache.

    Parameters
    ----------
    data_dir : path
        The store creates a subfolder in it that other users of the machine cannot read.
    limits : Limits
    patience_s : float
        For how long to wait where others keep the database locked.
    """

    def __init__(
        self,
        data_dir: str | Path,
        limits: Limits | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.limits = limits or Limits()
        self._secret_file, self._secret = Path(data_dir) / SECRET_FILE, b""
        self._cache = DiskCache(Path(data_dir) / STORE_FOLDER, patience_s)
        self._files = DiskFiles(self._cache)
        self.talks = DiskTalks(self._cache)
        self.grants = DiskGrants(self._cache)

    def create(
        self,
        record: RunRecord,
        admit: Admission = admit_any,
        *,
        n_bytes: int = 0,
        report: bytes | None = None,
    ) -> None:
        with self._cache.transaction():
            admit(self.runs_of(record.owner))
            make_room_for_run(self, record, n_bytes)
            if report is not None:
                self._cache.put(_key("report", record.run_id), report)
            self._write(record)
            self._cache.enlist(_runs_key(record.owner), record.run_id)
            self._cache.enlist(OWNERS, record.owner)
            if not record.state.is_final:
                for listing in (UNFINISHED, _queue_of(record)):
                    self._cache.enlist(listing, record.run_id)

    def records(self, run_ids: Sequence[str]) -> list[RunRecord]:
        return [*filter(None, map(self._record, run_ids))]

    def _record(self, run_id: str) -> RunRecord | None:
        raw = self._cache.get(_key("run", run_id))
        return None if raw is None else stored_run(run_id, raw, self._owner_of)

    def _owner_of(self, run_id: str) -> str:
        """Return the owner whose list has a run."""
        return next((owner for owner in self.owners() if run_id in self.run_ids(owner)), "")

    def run_ids(self, of: str | Listing) -> list[str]:
        return self._cache.listed(_key(of.value) if isinstance(of, Listing) else _runs_key(of))

    def change(self, run_id: str, change: Change) -> bool:
        with self._cache.transaction():
            before = self._record(run_id)
            if before is None:
                return False
            request = self._request(run_id)
            changed = change(before, request)
            if changed is None:
                return False
            after, changed_request = changed
            if after is not before:
                self._write(after)
                self._list_anew(before, after)
            if changed_request is not request:
                self._cache.put(_key("control", run_id), changed_request.to_bytes())
            return True

    def _list_anew(self, before: RunRecord, after: RunRecord) -> None:
        run_id = after.run_id
        if after.attempt != before.attempt:
            self._cache.enlist(UNFINISHED, run_id)
            if before.state.is_final:
                self._cache.enlist(_queue_of(after), run_id)
            else:
                self._put_first(after)
        elif before.state is RunState.QUEUED and after.state is not RunState.QUEUED:
            self._cache.unlist(_queue_of(before), run_id)
        if after.state.is_final and not before.state.is_final:
            self._cache.unlist(UNFINISHED, run_id)
            ended = self._ended(after.state).and_one(after)
            self._cache.put(_key("ended", after.state), f"{ended.n_runs} {ended.seconds}".encode())

    def _put_first(self, record: RunRecord) -> None:
        queue = self._cache.listed(_queue_of(record))
        if record.run_id not in queue:
            self._cache.put_listed(_queue_of(record), [record.run_id, *queue])

    def append(self, run_id: str, *events: PlaneEvent, to_ended: bool = False) -> int:
        with self._cache.transaction():
            if not to_ended:
                self._refuse_ended(run_id)
            sequence, n_bytes = self.history_size(run_id)
            for event in events:
                raw = replace(event, sequence=sequence).to_bytes()
                self._cache.put(_event_key(run_id, sequence), raw)
                sequence, n_bytes = sequence + 1, n_bytes + len(raw)
            self._cache.put(_key("size", run_id), f"{sequence} {n_bytes}".encode())
            return sequence - 1

    def events(self, run_id: str, start: int = 0, stop: int | None = None) -> list[PlaneEvent]:
        if stop is None or start < 0 or stop < 0:
            start, stop, _ = slice(start, stop).indices(self.n_events(run_id))
        # No transaction: events never change, and readers must not delay the run.
        raws = (self._cache.get(_event_key(run_id, place)) for place in range(start, stop))
        stored = takewhile(lambda raw: raw is not None, raws)
        return [*filter(None, map(PlaneEvent.readable, filter(None, stored)))]

    def history_size(self, run_id: str) -> HistorySize:
        n_events, n_bytes = (self._cache.get(_key("size", run_id)) or b"0 0").split()
        return HistorySize(int(n_events), int(n_bytes))

    def put_report(self, run_id: str, raw: bytes) -> None:
        with self._cache.transaction():
            self._refuse_ended(run_id)
            self._cache.put(_key("report", run_id), raw)

    def report(self, run_id: str) -> bytes | None:
        return self._cache.get(_key("report", run_id))

    def request(self, run_id: str) -> RunRequest:
        return self._request(run_id) if _key("run", run_id) in self._cache else GO.cancelled()

    def _request(self, run_id: str) -> RunRequest:
        return RunRequest.stored(self._cache.get(_key("control", run_id)))

    def take(self, queue: Listing, choose: Choice) -> RunRecord | None:
        listing, served = _key(queue.value), SERVED[queue]
        # Without the lock, which an idle supervisor must not take with each poll.
        while waiting := self._cache.listed(listing):
            seen = self._cache.listed(served)
            choice = choose(waiting, seen)
            if choice is None:
                return None
            run, served_then = choice
            with self._cache.transaction():
                if (self._cache.listed(listing), self._cache.listed(served)) == (waiting, seen):
                    others = [run_id for run_id in waiting if run_id != run.run_id]
                    self._cache.put_listed(listing, others)
                    self._cache.put_listed(served, served_then)
                    return run
        return None

    def release(self, run_id: str) -> None:
        with self._cache.transaction():
            record = self._record(run_id)
            if record is not None and record.state is RunState.QUEUED:
                self._put_first(record)

    def delete(self, run_id: str) -> None:
        with self._cache.transaction():
            record = self._record(run_id)
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

    def owners(self, address: str | None = None) -> list[str]:
        return self._cache.listed(OWNERS if address is None else _key("at", address))

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

    def tidy(self, now: float) -> None:
        self._cache.remove_orphans(now)
        self.talks.forget_expired(now)
        self.grants.forget_expired(now)
        for owner in self.owners():
            with self._cache.transaction():
                if not self.run_ids(owner) and not self.files_of(owner):
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
        record = self._record(run_id)
        if record is None or record.state.is_final:
            raise RunEndedError(run_id)

    def _write(self, record: RunRecord) -> None:
        self._cache.put(_key("run", record.run_id), record.to_bytes())

    def _ended(self, state: RunState) -> Ended:
        n_runs, seconds = (self._cache.get(_key("ended", state)) or b"0 0").split()
        return Ended(int(n_runs), float(seconds))


def _key(*parts: str) -> str:
    return "/".join(quote(part, safe="") for part in parts)


def _runs_key(owner: str) -> str:
    return _key("runs", owner)


def _event_key(run_id: str, sequence: int) -> str:
    return _key("event", run_id, f"{sequence:08d}")


def _queue_of(record: RunRecord) -> str:
    return _key(queue_of(record).value)


UNFINISHED = _key(Listing.UNFINISHED.value)
SERVED = {Listing.QUEUED: _key("served"), Listing.LOOKED_AT: _key("served-lookers")}
OWNERS = _key("owners")


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
        raws = (self._cache.get(name) for name in self._cache.listed(_held(owner)))
        read = (StoredFile.readable(raw) for raw in raws if raw is not None)
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

    def put(self, grant: Grant, *, is_newcomer: bool = False) -> None:
        with self._cache.transaction():
            of_visitor, listing_here = self.of_owner(grant.owner), _at(grant)
            n_here = len(self._cache.listed(listing_here))
            here = partial(self._listed, listing_here)
            for former in replaced_by(grant, of_visitor, n_here, here, is_newcomer=is_newcomer):
                self._delete(former)
            self._cache.put(_RECORDS + grant.grant_id, grant.to_bytes())
            for listing in (_of(grant.owner), listing_here):
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
        grants = map(self.get, self._cache.listed(listing))
        return [grant for grant in grants if grant is not None]


def _of(owner: str) -> str:
    return f"grants-of/{owner}"


def _at(grant: Grant) -> str:
    return f"grants-at/{grant.kind}/{grant.address}"


_TALKS = "talks"


class DiskTalks(Talks):
    """The talks of all presenters in a cache."""

    def __init__(self, cache: DiskCache) -> None:
        self._cache = cache

    def put(self, talk: Talk, *, is_newcomer: bool = False) -> None:
        with self._cache.transaction():
            for former in replaced_talks(talk, self.every(), is_newcomer=is_newcomer):
                if former.talk_id != talk.talk_id:
                    self.end(former.talk_id)
            self._cache.put(_talk_key("talk", talk.talk_id), talk.to_bytes())
            self._cache.enlist(_TALKS, talk.talk_id)

    def get(self, talk_id: str) -> Talk | None:
        raw = self._cache.get(_talk_key("talk", talk_id))
        return None if raw is None else Talk.readable(raw)

    def every(self) -> list[Talk]:
        talks = (self.get(talk_id) for talk_id in self._cache.listed(_TALKS))
        return [talk for talk in talks if talk is not None]

    def end(self, talk_id: str) -> None:
        with self._cache.transaction():
            for kind in ("talk", "talk-number", "talk-view", "talk-viewers"):
                self._cache.delete(_talk_key(kind, talk_id))
            self._cache.unlist(_TALKS, talk_id)

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
        return {
            name: (n, time_s)
            for name, (n, time_s) in counts.items()
            if now - time_s < COUNT_VALID_S
        }


def _talk_key(kind: str, talk_id: str) -> str:
    return f"{kind}/{talk_id}"

"""Runs, data and what is known of their owners, on a Redis server."""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from msgspec.structs import replace

from melm_studio.configuration.limits import Limits
from melm_studio.configuration.redis_address import RedisAddress
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
from melm_studio.runs.store.redis.client import Client, Commands, Pipeline, open_client, transact
from melm_studio.runs.store.secret_key import SECRET_BYTES
from melm_studio.talks.store import Talks
from melm_studio.talks.talk import COUNT_VALID_S, Talk, TalkView
from melm_studio.talks.talk import replaced_by as replaced_talks

logger = logging.getLogger(__name__)


class RedisRunStore(RunStore):
    """The RunStore on a Redis server that evicts nothing.

    A write that depends on a read is a transaction: it is repeated if what was read has changed.

    Parameters
    ----------
    address : RedisAddress
    limits : Limits
    patience_s : float
        For how long to keep trying if the server does not answer.
    """

    def __init__(self, address: RedisAddress, limits: Limits, patience_s: float) -> None:
        self.limits = limits
        self._key = address.key
        self._redis = open_client(address.url, patience_s)
        self._secret = b""
        self._files = RedisFiles(self._redis, address)
        self.talks = RedisTalks(self._redis, address)
        self.grants = RedisGrants(self._redis, address)
        self._events = RedisEvents(self._redis, address)
        self._queue, self._unfinished = self._key("queue"), self._key("unfinished")
        self._looked_at, self._lookers = self._key("looked-at"), self._key("served-lookers")
        self._served, self._addresses = self._key("served"), self._key("addresses")
        self._owners, self._ended = self._key("owners"), self._key("ended")

    def create(self, record: RunRecord, admit: Admission = admit_any) -> None:
        runs = self._runs_key(record.owner)

        def put(pipe: Pipeline) -> None:
            admit(self.runs_of(record.owner))
            make_room_for_run(self, record)
            pipe.multi()
            pipe.set(self._run_key(record.run_id), record.to_bytes())
            for listing in (runs, self._unfinished, self._queue_of(record)):
                pipe.zadd(listing, _oldest_first(record))
            pipe.sadd(self._owners, record.owner)

        files = self._files.listing(record.owner)
        transact(self._redis, put, self._queue, self._looked_at, runs, files)

    def put_ended(self, record: RunRecord, n_bytes: int, report: bytes | None = None) -> None:
        runs = self._runs_key(record.owner)

        def put(pipe: Pipeline) -> None:
            make_room_for_ended(self, record, n_bytes)
            pipe.multi()
            pipe.set(self._run_key(record.run_id), record.to_bytes())
            if report is not None:
                pipe.set(self._key("report", record.run_id), report)
            pipe.zadd(runs, _oldest_first(record))
            pipe.sadd(self._owners, record.owner)

        transact(self._redis, put, runs, self._files.listing(record.owner))

    def get(self, run_id: str) -> RunRecord | None:
        return self._record(run_id, self._redis.get(self._run_key(run_id)))

    def runs_of(self, owner: str) -> list[RunRecord]:
        return self._records(self._redis.zrange(self._runs_key(owner), 0, -1))

    def unfinished(self) -> list[RunRecord]:
        # One that another version left, and this one cannot read, stays listed for that one.
        runs = self._records(self._redis.zrange(self._unfinished, 0, -1))
        return [run for run in runs if not run.state.is_final]

    def transition(self, run_id: str, expected: Collection[RunState], **changes: Any) -> bool:
        return self._changed(
            run_id,
            lambda record: replace(record, **changes) if record.state in expected else None,
        )

    def reopen(self, run_id: str) -> bool:
        run = self._run_key(run_id)

        def put(pipe: Pipeline) -> bool:
            record = self._record(run_id, pipe.get(run))
            if record is None or not record.can_continue:
                pipe.multi()
                return False
            make_room_in_queue(self, record)
            pipe.multi()
            self._queue_attempt(pipe, reopened(record), GO)
            return True

        return transact(self._redis, put, run, self._queue, self._looked_at)

    def requeue(self, seen: RunRecord, *, n_losses: int) -> bool:
        run, control = self._run_key(seen.run_id), self._key("control", seen.run_id)

        def put(pipe: Pipeline) -> bool:
            record = self._live(seen.run_id, pipe.get(run))
            before = RunRequest.stored(pipe.get(control))
            pipe.multi()
            if record is None or record.attempt != seen.attempt:
                return False
            self._queue_attempt(pipe, reopened(record, n_losses=n_losses), before)
            return True

        return transact(self._redis, put, run, control)

    def annotate(self, run_id: str, **changes: Any) -> None:
        def write(pipe: Pipeline) -> None:
            raw = pipe.get(self._run_key(run_id))
            record = self._record(run_id, raw)
            pipe.multi()
            if record is not None and raw is not None:
                pipe.set(self._run_key(run_id), annotated(record, raw, changes))

        transact(self._redis, write, self._run_key(run_id))

    def beat(self, run_id: str, now: float) -> None:
        self._changed(run_id, lambda record: replace(record, heartbeat_s=now))

    def append(self, run_id: str, event: PlaneEvent) -> int:
        return self._events.append(run_id, event)

    def put_history(self, run_id: str, events: Sequence[PlaneEvent]) -> None:
        self._events.put_all(run_id, events)

    def n_events(self, run_id: str) -> int:
        return self._events.count(run_id)

    def event_bytes(self, run_id: str) -> int:
        return self._events.n_bytes(run_id)

    def events(self, run_id: str, after: int = -1, limit: int | None = None) -> list[PlaneEvent]:
        return self._events.after(run_id, after, limit)

    def event(self, run_id: str, sequence: int) -> PlaneEvent | None:
        return self._events.at(run_id, sequence) if sequence >= 0 else None

    def last_event(self, run_id: str) -> PlaneEvent | None:
        return self._events.at(run_id, -1)

    def put_report(self, run_id: str, raw: bytes) -> None:
        def put(pipe: Pipeline) -> None:
            if self._live(run_id, pipe.get(self._run_key(run_id))) is None:
                raise RunEndedError(run_id)
            pipe.multi()
            pipe.set(self._key("report", run_id), raw)

        transact(self._redis, put, self._run_key(run_id))

    def report(self, run_id: str) -> bytes | None:
        return self._redis.get(self._key("report", run_id))

    def update_request(self, run_id: str, change: Callable[[RunRequest], RunRequest]) -> None:
        run, request = self._run_key(run_id), self._key("control", run_id)

        def write(pipe: Pipeline) -> None:
            record = self._live(run_id, pipe.get(run))
            before = RunRequest.stored(pipe.get(request))
            pipe.multi()
            if record is not None:
                pipe.set(request, change(before).to_bytes())

        transact(self._redis, write, run, request)

    def request(self, run_id: str) -> RunRequest:
        run, raw = self._redis.mget([self._run_key(run_id), self._key("control", run_id)])
        return GO.cancelled() if run is None else RunRequest.stored(raw)

    def claim(self) -> RunRecord | None:
        return transact(self._redis, self._claim, self._queue)

    def claim_looked_at(self, admits: Callable[[RunRecord], bool] = admit_all) -> RunRecord | None:
        if not self.n_looked_at():
            return None

        def take(pipe: Pipeline) -> RunRecord | None:
            waiting = self._records(pipe.zrange(self._looked_at, 0, -1))
            served = _texts(pipe.lrange(self._lookers, 0, -1))
            admitted = [record for record in waiting if admits(record)]
            chosen = next_looked_at(admitted, served, self.address_of)
            address = "" if chosen is None else self.address_of(chosen.owner)
            pipe.multi()
            if chosen is not None:
                pipe.zrem(self._looked_at, chosen.run_id)
                pipe.delete(self._lookers)
                pipe.rpush(self._lookers, *after_looking(served, chosen.owner, address))
            return chosen

        return transact(self._redis, take, self._looked_at)

    def release(self, run_id: str) -> None:
        def put_back(pipe: Pipeline) -> None:
            record = self._record(run_id, pipe.get(self._run_key(run_id)))
            pipe.multi()
            if record is not None and record.state is RunState.QUEUED:
                pipe.zadd(self._queue_of(record), _oldest_first(record))

        transact(self._redis, put_back, self._run_key(run_id))

    def n_queued(self) -> int:
        return self._redis.zcard(self._queue) + self.n_looked_at()

    def n_looked_at(self) -> int:
        return self._redis.zcard(self._looked_at)

    def places_taken(self) -> Counter[str]:
        queues = (self._queue, self._looked_at)
        waiting = {name for queue in queues for name in _texts(self._redis.zrange(queue, 0, -1))}
        taken = Counter[str]()
        for run in self.unfinished():
            if run.run_id in waiting:
                taken[run.owner] += places_of(run)
        return taken

    def delete(self, run_id: str) -> None:
        def forget(pipe: Pipeline) -> None:
            record = self._record(run_id, pipe.get(self._run_key(run_id)))
            pipe.multi()
            if record is None:
                return
            for kind in ("run", "events", "bytes", "control", "report"):
                pipe.unlink(self._key(kind, run_id))
            own = self._runs_key(record.owner)
            for listing in (own, self._unfinished, self._queue_of(record)):
                pipe.zrem(listing, run_id)

        transact(self._redis, forget, self._run_key(run_id))

    def put_file(self, owner: str, kind: FileKind, key: str, raw: bytes) -> None:
        self._redis.sadd(self._owners, owner)
        self._files.put(owner, kind, key, raw, partial(make_room_for_bytes, self, owner))

    def get_file(self, owner: str, kind: FileKind, key: str) -> bytes | None:
        return self._files.get(owner, kind, key)

    def owners(self) -> list[str]:
        return sorted(name.decode() for name in self._redis.smembers(self._owners))

    def set_address(self, owner: str, address: str) -> None:
        before = self.address_of(owner)
        if before == address:
            return
        self._redis.srem(self._key("at", before), owner)
        self._redis.sadd(self._key("at", address), owner)
        self._redis.hset(self._addresses, owner, address.encode())

    def address_of(self, owner: str) -> str:
        return (self._redis.hget(self._addresses, owner) or owner.encode()).decode()

    def owners_at(self, address: str) -> list[str]:
        found = self._redis.smembers(self._key("at", address))
        return sorted(name.decode() for name in found) or [address]

    def bytes_stored(self) -> int:
        return int(self._redis.info("memory")["used_memory"])

    def files_of(self, owner: str) -> list[StoredFile]:
        return self._files.of_owner(owner)

    def delete_file(self, file: StoredFile) -> None:
        self._files.delete(file)

    def secret(self) -> bytes:
        # A server that lost everything gets the key back that this process has.
        key, known = self._key("secret"), self._secret or secrets.token_bytes(SECRET_BYTES)
        if self._redis.set(key, known, nx=True):
            logger.warning("the store was empty, it got %s key", "its" if self._secret else "a new")
        self._secret = self._redis.get(key) or known
        return self._secret

    def probe(self, now: float) -> None:
        self._redis.set(self._key("probe"), now)

    def tidy(self, now: float) -> None:
        self.talks.forget_expired(now)
        self.grants.forget_expired(now)
        for owner in self.owners():
            keys = self._runs_key(owner), self._files.listing(owner)
            transact(self._redis, partial(self._forget_owner_without, keys, owner), *keys)

    def mark(self, sign: Sign, now: float) -> None:
        self._redis.set(self._key(sign.value), now)

    def marked_s(self, sign: Sign) -> float | None:
        raw = self._redis.get(self._key(sign.value))
        return None if raw is None else float(raw)

    def ended(self) -> dict[RunState, Ended]:
        found = {name.decode(): value for name, value in self._redis.hgetall(self._ended).items()}
        return {
            state: Ended(int(found.get(state, 0)), float(found.get(f"{state} seconds", 0.0)))
            for state in RunState
            if state.is_final
        }

    def close(self) -> None:
        # Not the connections that other threads are using.
        self._redis.connection_pool.disconnect(inuse_connections=False)

    def _changed(self, run_id: str, change: Callable[[RunRecord], RunRecord | None]) -> bool:
        """Change a run that has not ended; return whether there was one and a change to make."""

        def write(pipe: Pipeline) -> bool:
            record = self._live(run_id, pipe.get(self._run_key(run_id)))
            changed = None if record is None else change(record)
            pipe.multi()
            if changed is None:
                return False
            pipe.set(self._run_key(run_id), changed.to_bytes())
            self._unlist_where_due(pipe, changed)
            return True

        return transact(self._redis, write, self._run_key(run_id))

    def _unlist_where_due(self, pipe: Pipeline, record: RunRecord) -> None:
        if record.state is not RunState.QUEUED:
            pipe.zrem(self._queue_of(record), record.run_id)
        if record.state.is_final:
            pipe.zrem(self._unfinished, record.run_id)
            one = Ended().and_one(record)
            pipe.hincrby(self._ended, record.state, one.n_runs)
            pipe.hincrbyfloat(self._ended, f"{record.state} seconds", one.seconds)

    def _queue_attempt(self, pipe: Pipeline, record: RunRecord, before: RunRequest) -> None:
        request = before.of_attempt(record.attempt)
        pipe.set(self._run_key(record.run_id), record.to_bytes())
        pipe.set(self._key("control", record.run_id), request.to_bytes())
        for listing in (self._unfinished, self._queue_of(record)):
            pipe.zadd(listing, _oldest_first(record))

    def _claim(self, pipe: Pipeline) -> RunRecord | None:
        waiting = _texts(pipe.zrange(self._queue, 0, -1))
        served = _texts(pipe.lrange(self._served, 0, -1))
        # Those in the other queue are not at work either.
        others = {*_texts(self._redis.zrange(self._looked_at, 0, -1))} if waiting else set()
        found = self.unfinished() if waiting else []
        unfinished = [run for run in found if run.run_id not in others]
        chosen = next_run(unfinished, waiting, served, self.address_of)
        pipe.multi()
        if chosen is not None:
            pipe.zrem(self._queue, chosen.run_id)
            pipe.delete(self._served)
            pipe.rpush(self._served, *after_serving(served, chosen.owner, unfinished))
        return chosen

    def _forget_owner_without(self, keys: Collection[str], owner: str, pipe: Pipeline) -> None:
        is_needed, address = pipe.exists(*keys), self.address_of(owner)
        pipe.multi()
        if not is_needed:
            pipe.srem(self._owners, owner)
            pipe.srem(self._key("at", address), owner)
            pipe.hdel(self._addresses, owner)

    def _records(self, run_ids: Iterable[bytes]) -> list[RunRecord]:
        names = _texts(run_ids)
        found = self._redis.mget([*map(self._run_key, names)]) if names else []
        return [*filter(None, map(self._record, names, found))]

    def _record(self, run_id: str, raw: bytes | None) -> RunRecord | None:
        return None if raw is None else stored_run(run_id, raw, self._owner_of)

    def _live(self, run_id: str, raw: bytes | None) -> RunRecord | None:
        record = self._record(run_id, raw)
        return None if record is None or record.state.is_final else record

    def _owner_of(self, run_id: str) -> str:
        """The owner whose list has a run."""
        for owner in self.owners():
            if run_id in _texts(self._redis.zrange(self._runs_key(owner), 0, -1)):
                return owner
        return ""

    def _run_key(self, run_id: str) -> str:
        return self._key("run", run_id)

    def _queue_of(self, record: RunRecord) -> str:
        return self._looked_at if record.is_looked_at else self._queue

    def _runs_key(self, owner: str) -> str:
        return self._key("runs", owner)


def _oldest_first(record: RunRecord) -> dict[str, float]:
    return {record.run_id: record.created_s}


def _texts(names: Iterable[bytes]) -> list[str]:
    return [name.decode() for name in names]


# The contents are deleted with the last file that has them.
RELEASE = """
redis.call("SREM", KEYS[1], ARGV[1])
if redis.call("SCARD", KEYS[1]) == 0 then
    redis.call("UNLINK", KEYS[2])
end
"""


class RedisFiles:
    """The files of all owners on a server.

    Contents are addressed by their hash, beside the set of the files that have them. An owner can
    therefore not read another owner's file by knowing its key, not change it by putting other bytes
    under that key, and not lose a file because another owner deletes an equal one.
    """

    def __init__(self, client: Client, address: RedisAddress) -> None:
        self._redis, self._address = client, address
        self._release_script = client.register_script(RELEASE)

    def put(
        self, owner: str, kind: FileKind, key: str, raw: bytes, make_room: Callable[[int], None]
    ) -> None:
        """Store bytes for an owner; `make_room` takes the number of additional bytes."""
        digest, listing = hashlib.sha256(raw).hexdigest(), self.listing(owner)
        content, field = self._content(digest), _field(kind, key)

        def change(pipe: Pipeline) -> None:
            now, before = time.time(), _file(pipe.hget(listing, field))
            make_room(len(raw) - (before.n_bytes if before else 0))
            if before is not None and is_current(before, digest, now):
                return
            is_stored = pipe.exists(content)
            pipe.multi()
            if not is_stored:
                pipe.set(content, raw)
            file = StoredFile(owner, kind, key, digest, len(raw), now)
            pipe.sadd(self._holders(digest), f"{listing}/{field}")
            pipe.hset(listing, field, file.to_bytes())
            if before is not None and before.digest != digest:
                self._release(pipe, before)

        transact(self._redis, change, listing, content)

    def get(self, owner: str, kind: FileKind, key: str) -> bytes | None:
        """Return the bytes that this owner put under the key."""
        file = _file(self._redis.hget(self.listing(owner), _field(kind, key)))
        return None if file is None else self._redis.get(self._content(file.digest))

    def of_owner(self, owner: str) -> list[StoredFile]:
        """Return the records of the owner's files, longest untouched first."""
        found = filter(None, map(StoredFile.readable, self._redis.hvals(self.listing(owner))))
        return sorted(found, key=lambda file: file.touched_s)

    def delete(self, file: StoredFile) -> None:
        """Delete a file, and its contents if no other file has them."""
        listing, field = self.listing(file.owner), _field(file.kind, file.key)

        def change(pipe: Pipeline) -> None:
            stored = _file(pipe.hget(listing, field))
            pipe.multi()
            if stored is not None:
                pipe.hdel(listing, field)
                self._release(pipe, stored)

        transact(self._redis, change, listing)

    def listing(self, owner: str) -> str:
        """Return the Redis key of the list of an owner's files."""
        return self._address.key("held", owner)

    def _release(self, pipe: Pipeline, file: StoredFile) -> None:
        keys = [self._holders(file.digest), self._content(file.digest)]
        name = f"{self.listing(file.owner)}/{_field(file.kind, file.key)}"
        self._release_script(keys, [name], client=pipe)

    def _content(self, digest: str) -> str:
        return self._address.key("content", digest)

    def _holders(self, digest: str) -> str:
        return self._address.key("holders", digest)


def _field(kind: FileKind, key: str) -> str:
    return f"{kind}/{quote(key, safe='')}"


def _file(raw: bytes | None) -> StoredFile | None:
    return None if raw is None else StoredFile.readable(raw)


class RedisGrants(Grants):
    """The grants of all visitors on a server.

    Parameters
    ----------
    client : Client
    address : RedisAddress
    """

    def __init__(self, client: Client, address: RedisAddress) -> None:
        self._redis, self._key = client, address.key
        self._ends = address.key("grant-ends")

    def put(self, grant: Grant) -> None:
        of, at = self._listings(grant)

        def change(pipe: Pipeline) -> None:
            own, ids = self._records(pipe.smembers(of)), pipe.smembers(at)
            gone = replaced_by(grant, own, len(ids), lambda: self._records(ids))
            pipe.multi()
            for former in gone:
                self._delete(pipe, former)
            self._write(pipe, grant)
            for listing in (of, at):
                pipe.sadd(listing, grant.grant_id)

        transact(self._redis, change, of, at)

    def get(self, grant_id: str) -> Grant | None:
        raw = self._redis.get(self._key("grant", grant_id))
        return None if raw is None else Grant.from_bytes(raw)

    def of_owner(self, owner: str) -> list[Grant]:
        found = self._records(self._redis.smembers(self._key("grants-of", owner)))
        return sorted(found, key=lambda grant: grant.created_s)

    def change(self, grant_id: str, change: Callable[[Grant], Grant]) -> None:
        key = self._key("grant", grant_id)

        def write(pipe: Pipeline) -> None:
            raw = pipe.get(key)
            pipe.multi()
            if raw is not None:
                self._write(pipe, change(Grant.from_bytes(raw)))

        transact(self._redis, write, key)

    def forget_expired(self, now: float) -> None:
        for grant in self._records(self._redis.zrangebyscore(self._ends, "-inf", now)):
            self._forget(grant)

    def _forget(self, grant: Grant) -> None:
        def change(pipe: Pipeline) -> None:
            pipe.multi()
            self._delete(pipe, grant)

        transact(self._redis, change, self._key("grant", grant.grant_id))

    def _write(self, pipe: Commands, grant: Grant) -> None:
        pipe.set(self._key("grant", grant.grant_id), grant.to_bytes())
        pipe.zadd(self._ends, {grant.grant_id: grant.expires_s})

    def _delete(self, pipe: Commands, grant: Grant) -> None:
        pipe.unlink(self._key("grant", grant.grant_id))
        pipe.zrem(self._ends, grant.grant_id)
        for listing in self._listings(grant):
            pipe.srem(listing, grant.grant_id)

    def _listings(self, grant: Grant) -> tuple[str, str]:
        at = self._key(f"grants-at-{grant.kind}", grant.address)
        return self._key("grants-of", grant.owner), at

    def _records(self, ids: Iterable[bytes]) -> list[Grant]:
        keys = [self._key("grant", name.decode()) for name in ids]
        found = self._redis.mget(keys) if keys else []
        return [Grant.from_bytes(raw) for raw in found if raw is not None]


class RedisTalks(Talks):
    """The talks of all presenters on a server.

    Parameters
    ----------
    client : Client
    address : RedisAddress
    """

    def __init__(self, client: Client, address: RedisAddress) -> None:
        self._redis, self._key = client, address.key
        self._talks = address.key("talks")

    def put(self, talk: Talk) -> None:
        def change(pipe: Pipeline) -> None:
            ended = replaced_talks(talk, _read(pipe.hvals(self._talks)))
            pipe.multi()
            for former in ended:
                if former.talk_id != talk.talk_id:
                    self._forget(pipe, former.talk_id)
            pipe.hset(self._talks, talk.talk_id, talk.to_bytes())

        transact(self._redis, change, self._talks)

    def get(self, talk_id: str) -> Talk | None:
        raw = self._redis.hget(self._talks, talk_id)
        return None if raw is None else Talk.readable(raw)

    def of_owner(self, owner: str) -> Talk | None:
        talks = _read(self._redis.hvals(self._talks))
        return next((talk for talk in talks if talk.owner == owner), None)

    def end(self, talk_id: str) -> None:
        def change(pipe: Pipeline) -> None:
            pipe.multi()
            self._forget(pipe, talk_id)

        transact(self._redis, change, self._talks)

    def forget_expired(self, now: float) -> None:
        for talk in _read(self._redis.hvals(self._talks)):
            if talk.is_over(now):
                self.end(talk.talk_id)

    def show(self, talk_id: str, view: TalkView) -> bool:
        def change(pipe: Pipeline) -> bool:
            is_on = pipe.hget(self._talks, talk_id) is not None
            pipe.multi()
            if is_on:
                pipe.set(self._key("talk-view", talk_id), view.to_bytes())
                pipe.set(self._key("talk-number", talk_id), view.number)
            return is_on

        return transact(self._redis, change, self._talks)

    def view(self, talk_id: str, after: int = -1) -> TalkView | None:
        # Asked many times a second; the view itself is read only where it is newer.
        number = self._redis.get(self._key("talk-number", talk_id))
        if number is None or int(number) <= after:
            return None
        raw = self._redis.get(self._key("talk-view", talk_id))
        return None if raw is None else TalkView.from_bytes(raw)

    def count_viewers(self, talk_id: str, process: str, n_viewers: int, now: float) -> None:
        def change(pipe: Pipeline) -> None:
            is_on = pipe.hget(self._talks, talk_id) is not None
            pipe.multi()
            if is_on:
                count = json.dumps([n_viewers, now]).encode()
                pipe.hset(self._key("talk-viewers", talk_id), process, count)

        transact(self._redis, change, self._talks)

    def n_viewers(self, talk_id: str, now: float) -> int:
        counts = map(json.loads, self._redis.hvals(self._key("talk-viewers", talk_id)))
        return sum(n for n, at in counts if now - at < COUNT_VALID_S)

    def _forget(self, pipe: Pipeline, talk_id: str) -> None:
        pipe.hdel(self._talks, talk_id)
        pipe.unlink(*(self._key(f"talk-{kind}", talk_id) for kind in ("number", "view", "viewers")))


def _read(found: Iterable[bytes]) -> Iterator[Talk]:
    return filter(None, map(Talk.readable, found))


# An event contains its own sequence number, so the client guesses it: the script returns nothing if
# the guess was right, else the number to guess next, or -1 if the run has ended.
APPEND = """
if not redis.call("ZSCORE", KEYS[1], ARGV[1]) then
    return -1
end
local length = redis.call("LLEN", KEYS[2])
if length ~= tonumber(ARGV[2]) then
    return length
end
redis.call("RPUSH", KEYS[2], ARGV[3])
redis.call("INCRBY", KEYS[3], #ARGV[3])
return false
"""
ENDED = -1


class RedisEvents:
    """The events of all runs on a server, in the order of their sequence numbers."""

    def __init__(self, client: Client, address: RedisAddress) -> None:
        self._redis, self._address = client, address
        self._append_script = client.register_script(APPEND)

    def append(self, run_id: str, event: PlaneEvent) -> int:
        """Append to a run that has not ended; return the sequence number."""
        keys = [self._address.key("unfinished"), self._list(run_id), self._size(run_id)]
        guess: int | None = self.count(run_id)
        while guess is not None:
            sequence = guess
            raw = replace(event, sequence=sequence).to_bytes()
            guess = self._append_script(keys, [run_id, sequence, raw])
            if guess == ENDED:
                raise RunEndedError(run_id)
        return sequence

    def put_all(self, run_id: str, events: Sequence[PlaneEvent]) -> None:
        """Append the events of a run that has ended elsewhere."""

        def put(pipe: Pipeline) -> None:
            first = pipe.llen(self._list(run_id))
            raw = [replace(one, sequence=first + i).to_bytes() for i, one in enumerate(events)]
            pipe.multi()
            pipe.rpush(self._list(run_id), *raw)
            pipe.incrby(self._size(run_id), sum(map(len, raw)))

        transact(self._redis, put, self._list(run_id))

    def count(self, run_id: str) -> int:
        """Return how many events the run has."""
        return self._redis.llen(self._list(run_id))

    def n_bytes(self, run_id: str) -> int:
        """Return how many bytes they take."""
        return int(self._redis.get(self._size(run_id)) or 0)

    def after(self, run_id: str, sequence: int, limit: int | None) -> list[PlaneEvent]:
        """Return the events after a sequence number, at most so many."""
        if limit == 0:
            return []
        last = -1 if limit is None else sequence + limit
        found = self._redis.lrange(self._list(run_id), sequence + 1, last)
        return [*filter(None, map(PlaneEvent.readable, found))]

    def at(self, run_id: str, place: int) -> PlaneEvent | None:
        """Return the event at a place of the list; -1 is the last one."""
        raw = self._redis.lindex(self._list(run_id), place)
        return None if raw is None else PlaneEvent.readable(raw)

    def _list(self, run_id: str) -> str:
        return self._address.key("events", run_id)

    def _size(self, run_id: str) -> str:
        return self._address.key("bytes", run_id)

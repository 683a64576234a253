"""Runs, data and what is known of their owners, on a Redis server.

For web processes and workers on any number of machines.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from urllib.parse import quote

from msgspec.structs import replace

from melm_studio.configuration.limits import Limits
from melm_studio.configuration.settings import RedisAddress
from melm_studio.runs.records.grant import Grant, replaced_by
from melm_studio.runs.records.run import GO, PlaneEvent, RunRecord, RunRequest, RunState, stored_run
from melm_studio.runs.records.stored_files import FileKind, StoredFile, is_current
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
from melm_studio.runs.store.redis_client import Client, Commands, Pipeline, open_client, transact
from melm_studio.runs.store.secret_key import SECRET_BYTES
from melm_studio.talks import COUNT_VALID_S, Talk, Talks, TalkView
from melm_studio.talks import replaced_by as replaced_talks

# Who was served from each queue, the latest last.
SERVED = {Listing.QUEUED: "served", Listing.LOOKED_AT: "served-lookers"}

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
        self._queues = [self._listing(queue) for queue in SERVED]
        self._addresses, self._owners = self._key("addresses"), self._key("owners")
        self._ended = self._key("ended")

    def create(
        self,
        record: RunRecord,
        admit: Admission = admit_any,
        *,
        n_bytes: int = 0,
        report: bytes | None = None,
    ) -> None:
        runs = self._listing(record.owner)

        def put(pipe: Pipeline) -> None:
            admit(self.runs_of(record.owner))
            make_room_for_run(self, record, n_bytes)
            pipe.multi()
            pipe.set(self._run_key(record.run_id), record.to_bytes())
            if report is not None:
                pipe.set(self._key("report", record.run_id), report)
            pipe.zadd(runs, _oldest_first(record))
            pipe.sadd(self._owners, record.owner)
            if not record.state.is_final:
                self._enlist(pipe, record)

        files = self._files.listing(record.owner)
        transact(self._redis, put, *self._queues, runs, files)

    def records(self, run_ids: Sequence[str]) -> list[RunRecord]:
        raws = self._redis.mget([*map(self._run_key, run_ids)]) if run_ids else []
        return [*filter(None, map(self._record, run_ids, raws))]

    def run_ids(self, of: str | Listing) -> list[str]:
        return _texts(self._redis.zrange(self._listing(of), 0, -1))

    def change(self, run_id: str, change: Change) -> bool:
        keys = [self._run_key(run_id), self._key("control", run_id)]

        def write(pipe: Pipeline) -> bool:
            run, control = pipe.mget(keys)
            before, request = self._record(run_id, run), RunRequest.stored(control)
            if before is not None and before.state.is_final:
                pipe.watch(*self._queues)
            changed = None if before is None else change(before, request)
            pipe.multi()
            if before is None or changed is None:
                return False
            after, changed_request = changed
            if after is not before:
                pipe.set(keys[0], after.to_bytes())
                self._list_anew(pipe, before, after)
            if changed_request is not request:
                pipe.set(keys[1], changed_request.to_bytes())
            return True

        return transact(self._redis, write, *keys)

    def _list_anew(self, pipe: Pipeline, before: RunRecord, after: RunRecord) -> None:
        if after.attempt != before.attempt:
            self._enlist(pipe, after)
        elif before.state is RunState.QUEUED and after.state is not RunState.QUEUED:
            pipe.zrem(self._listing(queue_of(before)), after.run_id)
        if after.state.is_final and not before.state.is_final:
            pipe.zrem(self._listing(Listing.UNFINISHED), after.run_id)
            count = Ended().and_one(after)
            pipe.hincrby(self._ended, after.state, count.n_runs)
            pipe.hincrbyfloat(self._ended, f"{after.state} seconds", count.seconds)

    def _enlist(self, pipe: Pipeline, record: RunRecord) -> None:
        for listing in (Listing.UNFINISHED, queue_of(record)):
            pipe.zadd(self._listing(listing), _oldest_first(record))

    def append(self, run_id: str, *events: PlaneEvent, to_ended: bool = False) -> int:
        return self._events.append(run_id, events, to_ended=to_ended)

    def events(self, run_id: str, start: int = 0, stop: int | None = None) -> list[PlaneEvent]:
        return self._events.between(run_id, start, stop)

    def history_size(self, run_id: str) -> HistorySize:
        return self._events.size(run_id)

    def put_report(self, run_id: str, raw: bytes) -> None:
        def put(pipe: Pipeline) -> None:
            record = self._record(run_id, pipe.get(self._run_key(run_id)))
            if record is None or record.state.is_final:
                raise RunEndedError(run_id)
            pipe.multi()
            pipe.set(self._key("report", run_id), raw)

        transact(self._redis, put, self._run_key(run_id))

    def report(self, run_id: str) -> bytes | None:
        return self._redis.get(self._key("report", run_id))

    def request(self, run_id: str) -> RunRequest:
        run, raw = self._redis.mget([self._run_key(run_id), self._key("control", run_id)])
        return GO.cancelled() if run is None else RunRequest.stored(raw)

    def take(self, queue: Listing, choose: Choice) -> RunRecord | None:
        listing, served = self._listing(queue), self._key(SERVED[queue])

        def take_chosen(pipe: Pipeline) -> RunRecord | None:
            waiting = _texts(pipe.zrange(listing, 0, -1))
            choice = choose(waiting, _texts(pipe.lrange(served, 0, -1))) if waiting else None
            pipe.multi()
            if choice is None:
                return None
            run, served_then = choice
            pipe.zrem(listing, run.run_id)
            pipe.delete(served)
            pipe.rpush(served, *served_then)
            return run

        return transact(self._redis, take_chosen, listing)

    def release(self, run_id: str) -> None:
        def put_back(pipe: Pipeline) -> None:
            record = self._record(run_id, pipe.get(self._run_key(run_id)))
            pipe.multi()
            if record is not None and record.state is RunState.QUEUED:
                pipe.zadd(self._listing(queue_of(record)), _oldest_first(record))

        transact(self._redis, put_back, self._run_key(run_id))

    def delete(self, run_id: str) -> None:
        def forget(pipe: Pipeline) -> None:
            record = self._record(run_id, pipe.get(self._run_key(run_id)))
            pipe.multi()
            if record is None:
                return
            for kind in ("run", "events", "bytes", "appended", "control", "report"):
                pipe.unlink(self._key(kind, run_id))
            for listing in (record.owner, Listing.UNFINISHED, queue_of(record)):
                pipe.zrem(self._listing(listing), run_id)

        transact(self._redis, forget, self._run_key(run_id))

    def put_file(self, owner: str, kind: FileKind, key: str, raw: bytes) -> None:
        self._redis.sadd(self._owners, owner)
        self._files.put(owner, kind, key, raw, partial(make_room_for_bytes, self, owner))

    def get_file(self, owner: str, kind: FileKind, key: str) -> bytes | None:
        return self._files.get(owner, kind, key)

    def owners(self, address: str | None = None) -> list[str]:
        key = self._owners if address is None else self._key("at", address)
        return sorted(name.decode() for name in self._redis.smembers(key))

    def set_address(self, owner: str, address: str) -> None:
        before = self.address_of(owner)
        if before == address:
            return
        self._redis.srem(self._key("at", before), owner)
        self._redis.sadd(self._key("at", address), owner)
        self._redis.hset(self._addresses, owner, address.encode())

    def address_of(self, owner: str) -> str:
        return (self._redis.hget(self._addresses, owner) or owner.encode()).decode()

    def bytes_stored(self) -> int:
        return int(self._redis.info("memory")["used_memory"])

    def files_of(self, owner: str) -> list[StoredFile]:
        return self._files.of_owner(owner)

    def delete_file(self, file: StoredFile) -> None:
        self._files.delete(file)

    def secret(self) -> bytes:
        # A server that lost everything gets the key back that this process has.
        key, candidate = self._key("secret"), self._secret or secrets.token_bytes(SECRET_BYTES)
        if self._redis.set(key, candidate, nx=True):
            logger.warning("the store was empty, it got %s key", "its" if self._secret else "a new")
        self._secret = self._redis.get(key) or candidate
        return self._secret

    def tidy(self, now: float) -> None:
        self.talks.forget_expired(now)
        self.grants.forget_expired(now)
        for owner in self.owners():
            keys = self._listing(owner), self._files.listing(owner)
            transact(self._redis, partial(self._forget_owner_without, keys, owner), *keys)

    def mark(self, sign: Sign, now: float) -> None:
        self._redis.set(self._key(sign.value), now)

    def marked_s(self, sign: Sign) -> float | None:
        raw = self._redis.get(self._key(sign.value))
        return None if raw is None else float(raw)

    def ended(self) -> dict[RunState, Ended]:
        values = {name.decode(): value for name, value in self._redis.hgetall(self._ended).items()}
        return {
            state: Ended(int(values.get(state, 0)), float(values.get(f"{state} seconds", 0.0)))
            for state in RunState
            if state.is_final
        }

    def close(self) -> None:
        # Not the connections that other threads are using.
        self._redis.connection_pool.disconnect(inuse_connections=False)

    def _forget_owner_without(self, keys: Collection[str], owner: str, pipe: Pipeline) -> None:
        is_needed, address = pipe.exists(*keys), self.address_of(owner)
        pipe.multi()
        if not is_needed:
            pipe.srem(self._owners, owner)
            pipe.srem(self._key("at", address), owner)
            pipe.hdel(self._addresses, owner)

    def _record(self, run_id: str, raw: bytes | None) -> RunRecord | None:
        return None if raw is None else stored_run(run_id, raw, self._owner_of)

    def _owner_of(self, run_id: str) -> str:
        """Return the owner whose list has a run."""
        return next((owner for owner in self.owners() if run_id in self.run_ids(owner)), "")

    def _run_key(self, run_id: str) -> str:
        return self._key("run", run_id)

    def _listing(self, of: str | Listing) -> str:
        return self._key(of.value) if isinstance(of, Listing) else self._key("runs", of)


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
        files = filter(None, map(StoredFile.readable, self._redis.hvals(self.listing(owner))))
        return sorted(files, key=lambda file: file.touched_s)

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

    def put(self, grant: Grant, *, is_newcomer: bool = False) -> None:
        of, listing_here = self._listings(grant)

        def change(pipe: Pipeline) -> None:
            of_visitor, ids = self._records(pipe.smembers(of)), pipe.smembers(listing_here)
            here = partial(self._records, ids)
            gone = replaced_by(grant, of_visitor, len(ids), here, is_newcomer=is_newcomer)
            pipe.multi()
            for former in gone:
                self._delete(pipe, former)
            self._write(pipe, grant)
            for listing in (of, listing_here):
                pipe.sadd(listing, grant.grant_id)

        transact(self._redis, change, of, listing_here)

    def get(self, grant_id: str) -> Grant | None:
        raw = self._redis.get(self._key("grant", grant_id))
        return None if raw is None else Grant.from_bytes(raw)

    def of_owner(self, owner: str) -> list[Grant]:
        grants = self._records(self._redis.smembers(self._key("grants-of", owner)))
        return sorted(grants, key=lambda grant: grant.created_s)

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
        listing_here = self._key(f"grants-at-{grant.kind}", grant.address)
        return self._key("grants-of", grant.owner), listing_here

    def _records(self, ids: Iterable[bytes]) -> list[Grant]:
        keys = [self._key("grant", name.decode()) for name in ids]
        raws = self._redis.mget(keys) if keys else []
        return [Grant.from_bytes(raw) for raw in raws if raw is not None]


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

    def put(self, talk: Talk, *, is_newcomer: bool = False) -> None:
        def change(pipe: Pipeline) -> None:
            talks = _read(pipe.hvals(self._talks))
            ended = replaced_talks(talk, talks, is_newcomer=is_newcomer)
            pipe.multi()
            for former in ended:
                if former.talk_id != talk.talk_id:
                    self._forget(pipe, former.talk_id)
            pipe.hset(self._talks, talk.talk_id, talk.to_bytes())

        transact(self._redis, change, self._talks)

    def get(self, talk_id: str) -> Talk | None:
        raw = self._redis.hget(self._talks, talk_id)
        return None if raw is None else Talk.readable(raw)

    def every(self) -> list[Talk]:
        return list(_read(self._redis.hvals(self._talks)))

    def end(self, talk_id: str) -> None:
        def change(pipe: Pipeline) -> None:
            pipe.multi()
            self._forget(pipe, talk_id)

        transact(self._redis, change, self._talks)

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
        return sum(n for n, time_s in counts if now - time_s < COUNT_VALID_S)

    def _forget(self, pipe: Pipeline, talk_id: str) -> None:
        pipe.hdel(self._talks, talk_id)
        pipe.unlink(*(self._key(f"talk-{kind}", talk_id) for kind in ("number", "view", "viewers")))


def _read(raws: Iterable[bytes]) -> Iterator[Talk]:
    return filter(None, map(Talk.readable, raws))


# An event contains its own sequence number, so the client guesses that of the first one: the script
# returns nothing if the guess was right, else the number to guess next, or -1 if the run has ended.
# A command whose answer is lost is sent again, and known by its name.
APPEND = """
if redis.call("GET", KEYS[4]) == ARGV[3] then
    return false
end
if ARGV[1] ~= "" and not redis.call("ZSCORE", KEYS[1], ARGV[1]) then
    return -1
end
local length = redis.call("LLEN", KEYS[2])
if length ~= tonumber(ARGV[2]) then
    return length
end
for place = 4, #ARGV do
    redis.call("RPUSH", KEYS[2], ARGV[place])
    redis.call("INCRBY", KEYS[3], #ARGV[place])
end
redis.call("SET", KEYS[4], ARGV[3])
return false
"""
ENDED = -1


class RedisEvents:
    """The events of all runs on a server, in the order of their sequence numbers."""

    def __init__(self, client: Client, address: RedisAddress) -> None:
        self._redis, self._address = client, address
        self._append_script = client.register_script(APPEND)

    def append(self, run_id: str, events: Sequence[PlaneEvent], *, to_ended: bool) -> int:
        """Append to a run, and return the sequence number of the last event."""
        last = self._address.key("appended", run_id)
        keys = [self._address.key("unfinished"), self._list(run_id), self._size(run_id), last]
        name = secrets.token_hex(8)
        required = "" if to_ended else run_id
        guess: int | None = self._redis.llen(self._list(run_id))
        while guess is not None:
            first = guess
            raw = [replace(event, sequence=first + i).to_bytes() for i, event in enumerate(events)]
            guess = self._append_script(keys, [required, first, name, *raw])
            if guess == ENDED:
                raise RunEndedError(run_id)
        return first + len(events) - 1

    def size(self, run_id: str) -> HistorySize:
        """Return how many events the run has, and the bytes that they take."""
        with self._redis.pipeline(transaction=False) as pipe:
            pipe.llen(self._list(run_id))
            pipe.get(self._size(run_id))
            n_events, n_bytes = pipe.execute()
        return HistorySize(n_events, int(n_bytes or 0))

    def between(self, run_id: str, start: int, stop: int | None) -> list[PlaneEvent]:
        """Return the events of a slice of the list; the server's ends are inclusive."""
        if stop == 0:
            return []
        last = -1 if stop is None else stop - 1
        raws = self._redis.lrange(self._list(run_id), start, last)
        return [*filter(None, map(PlaneEvent.readable, raws))]

    def _list(self, run_id: str) -> str:
        return self._address.key("events", run_id)

    def _size(self, run_id: str) -> str:
        return self._address.key("bytes", run_id)

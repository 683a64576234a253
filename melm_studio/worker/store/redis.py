"""The store on a Redis server, for web processes and workers on any number of machines."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from melm_studio.worker.config.redis_address import RedisAddress
from melm_studio.worker.records.control import GO, Control
from melm_studio.worker.records.limits import Limits
from melm_studio.worker.records.run import PlaneEvent, RunRecord, RunState
from melm_studio.worker.records.stored_files import Holding, HoldingKind
from melm_studio.worker.store.fair_queue import fairest, served_now
from melm_studio.worker.store.protocol import Ended, RunEndedError, RunStore
from melm_studio.worker.store.quota import admit_bytes, admit_run
from melm_studio.worker.store.redis_client import Pipeline, open_client
from melm_studio.worker.store.redis_files import RedisContent
from melm_studio.worker.store.secret_key import SECRET_BYTES

# An event holds its own number, so whoever appends guesses it: nothing comes back where the guess
# was right, else the number to guess next, or -1 for a run that has ended.
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


class RedisRunStore(RunStore):
    """A RunStore on a Redis server that evicts nothing.

    Whatever is decided from what was read is written only if that is still so, and decided again
    otherwise.

    Parameters
    ----------
    address : RedisAddress
    limits : Limits
    patience_s : float
        For how long to try where the server does not answer.
    """

    def __init__(self, address: RedisAddress, limits: Limits, patience_s: float) -> None:
        self.limits = limits
        self._key = address.key
        self._redis = open_client(address.url, patience_s)
        self._content = RedisContent(self._redis, address)
        self._append_script = self._redis.register_script(APPEND)
        self._queue, self._unfinished = self._key("queue"), self._key("unfinished")
        self._served = self._key("served")
        self._owners, self._tallies = self._key("owners"), self._key("ended")

    def create(self, record: RunRecord) -> None:
        runs = self._runs_key(record.owner)

        def put(pipe: Pipeline) -> None:
            admit_run(self, record)
            pipe.multi()
            pipe.set(self._run_key(record.run_id), record.to_bytes())
            for listing in (runs, self._unfinished, self._queue):
                pipe.zadd(listing, _oldest_first(record))
            pipe.sadd(self._owners, record.owner)

        self._redis.transaction(put, self._queue, runs, self._content.held(record.owner))

    def get(self, run_id: str) -> RunRecord | None:
        return _record(self._redis.get(self._run_key(run_id)))

    def runs_of(self, owner: str) -> list[RunRecord]:
        return self._records(self._listed(self._runs_key(owner)))

    def unfinished(self) -> list[RunRecord]:
        return self._records(self._listed(self._unfinished))

    def transition(self, run_id: str, expected: Collection[RunState], **changes: Any) -> bool:
        return self._changed(
            run_id,
            lambda record: replace(record, **changes) if record.state in expected else None,
        )

    def beat(self, run_id: str, now: float) -> None:
        self._changed(run_id, lambda record: replace(record, heartbeat_s=now))

    def append(self, run_id: str, event: PlaneEvent) -> int:
        keys = [self._unfinished, self._events_key(run_id), self._key("bytes", run_id)]
        guess: int | None = self.n_events(run_id)
        while guess is not None:
            sequence = guess
            raw = replace(event, sequence=sequence).to_bytes()
            guess = self._append_script(keys, [run_id, sequence, raw])
            if guess == ENDED:
                raise RunEndedError(run_id)
        return sequence

    def n_events(self, run_id: str) -> int:
        return self._redis.llen(self._events_key(run_id))

    def event_bytes(self, run_id: str) -> int:
        return int(self._redis.get(self._key("bytes", run_id)) or 0)

    def events(self, run_id: str, after: int = -1, limit: int | None = None) -> list[PlaneEvent]:
        if limit == 0:
            return []
        last = -1 if limit is None else after + limit
        found = self._redis.lrange(self._events_key(run_id), after + 1, last)
        return [PlaneEvent.from_bytes(raw) for raw in found]

    def event(self, run_id: str, sequence: int) -> PlaneEvent | None:
        return self._event_at(run_id, sequence) if sequence >= 0 else None

    def last_event(self, run_id: str) -> PlaneEvent | None:
        return self._event_at(run_id, -1)

    def put_report(self, run_id: str, raw: bytes) -> None:
        def put(pipe: Pipeline) -> None:
            if _live(pipe.get(self._run_key(run_id))) is None:
                raise RunEndedError(run_id)
            pipe.multi()
            pipe.set(self._key("report", run_id), raw)

        self._redis.transaction(put, self._run_key(run_id))

    def report(self, run_id: str) -> bytes | None:
        return self._redis.get(self._key("report", run_id))

    def ask(self, run_id: str, change: Callable[[Control], Control]) -> None:
        run, control = self._run_key(run_id), self._key("control", run_id)

        def write(pipe: Pipeline) -> None:
            record, asked = _live(pipe.get(run)), _control(pipe.get(control))
            pipe.multi()
            if record is not None:
                pipe.set(control, change(asked).to_bytes())

        self._redis.transaction(write, run, control)

    def control(self, run_id: str) -> Control:
        is_kept, raw = (
            self._redis.pipeline(transaction=False)
            .exists(self._run_key(run_id))
            .get(self._key("control", run_id))
            .execute()
        )
        return _control(raw) if is_kept else GO.cancelled()

    def claim(self) -> RunRecord | None:
        return self._redis.transaction(self._claim, self._queue, value_from_callable=True)

    def release(self, run_id: str) -> None:
        def put_back(pipe: Pipeline) -> None:
            record = _record(pipe.get(self._run_key(run_id)))
            pipe.multi()
            if record is not None and record.state is RunState.QUEUED:
                pipe.zadd(self._queue, _oldest_first(record))

        self._redis.transaction(put_back, self._run_key(run_id))

    def n_queued(self) -> int:
        return self._redis.zcard(self._queue)

    def delete(self, run_id: str) -> None:
        def forget(pipe: Pipeline) -> None:
            record = _record(pipe.get(self._run_key(run_id)))
            pipe.multi()
            if record is None:
                return
            for kind in ("run", "events", "bytes", "control", "report"):
                pipe.unlink(self._key(kind, run_id))
            for listing in (self._runs_key(record.owner), self._unfinished, self._queue):
                pipe.zrem(listing, run_id)

        self._redis.transaction(forget, self._run_key(run_id))

    def put(self, owner: str, kind: HoldingKind, key: str, raw: bytes) -> None:
        self._redis.sadd(self._owners, owner)
        self._content.put(owner, kind, key, raw, partial(admit_bytes, self, owner))

    def held(self, owner: str, kind: HoldingKind, key: str) -> bytes | None:
        return self._content.get(owner, kind, key)

    def owners(self) -> list[str]:
        return sorted(name.decode() for name in self._redis.smembers(self._owners))

    def holdings(self, owner: str) -> list[Holding]:
        return self._content.holdings(owner)

    def drop(self, holding: Holding) -> None:
        self._content.drop(holding)

    def secret(self) -> bytes:
        key = self._key("secret")
        self._redis.set(key, secrets.token_bytes(SECRET_BYTES), nx=True)
        return self._redis.get(key)

    def probe(self, now: float) -> None:
        self._redis.set(self._key("probe"), now)

    def tidy(self, now: float) -> None:
        for owner in self.owners():
            keys = self._runs_key(owner), self._content.held(owner)
            self._redis.transaction(partial(self._forget_owner_without, keys, owner), *keys)

    def beat_supervisor(self, now: float) -> None:
        self._redis.set(self._key("supervisor"), now)

    def supervisor_beat_s(self) -> float | None:
        raw = self._redis.get(self._key("supervisor"))
        return None if raw is None else float(raw)

    def ended(self) -> dict[RunState, Ended]:
        found = {name.decode(): value for name, value in self._redis.hgetall(self._tallies).items()}
        return {
            state: Ended(int(found.get(state, 0)), float(found.get(_seconds(state), 0.0)))
            for state in RunState
            if state.is_final
        }

    def close(self) -> None:
        # Not those that other threads use just now.
        self._redis.connection_pool.disconnect(inuse_connections=False)

    def _event_at(self, run_id: str, place: int) -> PlaneEvent | None:
        raw = self._redis.lindex(self._events_key(run_id), place)
        return None if raw is None else PlaneEvent.from_bytes(raw)

    def _changed(self, run_id: str, change: Callable[[RunRecord], RunRecord | None]) -> bool:
        """Whether there was a run that has not ended, and a change to make."""

        def write(pipe: Pipeline) -> bool:
            record = _live(pipe.get(self._run_key(run_id)))
            changed = None if record is None else change(record)
            pipe.multi()
            if changed is None:
                return False
            pipe.set(self._run_key(run_id), changed.to_bytes())
            self._unlist_where_due(pipe, changed)
            return True

        return self._redis.transaction(write, self._run_key(run_id), value_from_callable=True)

    def _unlist_where_due(self, pipe: Pipeline, record: RunRecord) -> None:
        if record.state is not RunState.QUEUED:
            pipe.zrem(self._queue, record.run_id)
        if record.state.is_final:
            pipe.zrem(self._unfinished, record.run_id)
            one = Ended().and_one(record)
            pipe.hincrby(self._tallies, record.state, one.n_runs)
            pipe.hincrbyfloat(self._tallies, _seconds(record.state), one.seconds)

    def _claim(self, pipe: Pipeline) -> RunRecord | None:
        waiting = _texts(pipe.zrange(self._queue, 0, -1))
        served = _texts(pipe.lrange(self._served, 0, -1))
        unfinished = self.unfinished() if waiting else []
        chosen = fairest(unfinished, waiting, served)
        pipe.multi()
        if chosen is not None:
            pipe.zrem(self._queue, chosen.run_id)
            pipe.delete(self._served)
            pipe.rpush(self._served, *served_now(served, chosen.owner, unfinished))
        return chosen

    def _forget_owner_without(self, keys: Collection[str], owner: str, pipe: Pipeline) -> None:
        is_needed = pipe.exists(*keys)
        pipe.multi()
        if not is_needed:
            pipe.srem(self._owners, owner)

    def _listed(self, listing: str) -> list[str]:
        return _texts(self._redis.zrange(listing, 0, -1))

    def _records(self, run_ids: Iterable[str]) -> list[RunRecord]:
        keys = [self._run_key(run_id) for run_id in run_ids]
        found = map(_record, self._redis.mget(keys) if keys else [])
        return [record for record in found if record is not None]

    def _run_key(self, run_id: str) -> str:
        return self._key("run", run_id)

    def _events_key(self, run_id: str) -> str:
        return self._key("events", run_id)

    def _runs_key(self, owner: str) -> str:
        return self._key("runs", owner)


def _record(raw: bytes | None) -> RunRecord | None:
    return None if raw is None else RunRecord.from_bytes(raw)


def _live(raw: bytes | None) -> RunRecord | None:
    record = _record(raw)
    return None if record is None or record.state.is_final else record


def _control(raw: bytes | None) -> Control:
    return GO if raw is None else Control.from_bytes(raw)


def _oldest_first(record: RunRecord) -> dict[str, float]:
    return {record.run_id: record.created_s}


def _texts(names: Iterable[bytes]) -> list[str]:
    return [name.decode() for name in names]


def _seconds(state: RunState) -> str:
    return f"{state} seconds"

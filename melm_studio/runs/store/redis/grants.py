"""Grants on Redis, by which every web process knows who somebody is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from melm_studio.configuration.redis_address import RedisAddress
from melm_studio.runs.records.grant import Grant, replaced_by
from melm_studio.runs.store.grants import Grants
from melm_studio.runs.store.redis.client import Client, Commands, Pipeline, transact


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

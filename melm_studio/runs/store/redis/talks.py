"""Talks on Redis, which several web processes show."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from melm_studio.configuration.redis_address import RedisAddress
from melm_studio.runs.store.redis.client import Client, Pipeline, transact
from melm_studio.talks.store import Talks
from melm_studio.talks.talk import COUNT_VALID_S, Talk, TalkView, replaced_by


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
            ended = replaced_by(talk, _read(pipe.hvals(self._talks)))
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

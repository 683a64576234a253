"""Talks in a folder."""

from __future__ import annotations

import json

from melm_studio.runs.store.disk_cache import DiskCache
from melm_studio.talks.store import Talks
from melm_studio.talks.talk import COUNT_VALID_S, Talk, TalkView, replaced_by

_TALKS = "talks"


class DiskTalks(Talks):
    """The talks of all presenters in a cache."""

    def __init__(self, cache: DiskCache) -> None:
        self._cache = cache

    def put(self, talk: Talk) -> None:
        with self._cache.transaction():
            for former in replaced_by(talk, self._all()):
                if former.talk_id != talk.talk_id:
                    self.end(former.talk_id)
            self._cache.put(_key("talk", talk.talk_id), talk.to_bytes())
            self._cache.enlist(_TALKS, talk.talk_id)

    def get(self, talk_id: str) -> Talk | None:
        raw = self._cache.get(_key("talk", talk_id))
        return None if raw is None else Talk.readable(raw)

    def of_owner(self, owner: str) -> Talk | None:
        return next((talk for talk in self._all() if talk.owner == owner), None)

    def end(self, talk_id: str) -> None:
        with self._cache.transaction():
            for kind in ("talk", "talk-number", "talk-view", "talk-viewers"):
                self._cache.delete(_key(kind, talk_id))
            self._cache.unlist(_TALKS, talk_id)

    def forget_expired(self, now: float) -> None:
        for talk in self._all():
            if talk.is_over(now):
                self.end(talk.talk_id)

    def show(self, talk_id: str, view: TalkView) -> bool:
        with self._cache.transaction():
            if _key("talk", talk_id) not in self._cache:
                return False
            self._cache.put(_key("talk-view", talk_id), view.to_bytes())
            self._cache.put(_key("talk-number", talk_id), str(view.number).encode())
            return True

    def view(self, talk_id: str, after: int = -1) -> TalkView | None:
        # Asked many times a second; the view itself is read only where it is newer.
        number = self._cache.get(_key("talk-number", talk_id))
        if number is None or int(number) <= after:
            return None
        raw = self._cache.get(_key("talk-view", talk_id))
        return None if raw is None else TalkView.from_bytes(raw)

    def count_viewers(self, talk_id: str, process: str, n_viewers: int, now: float) -> None:
        with self._cache.transaction():
            if _key("talk", talk_id) in self._cache:
                counts = self._counts(talk_id, now) | {process: (n_viewers, now)}
                self._cache.put(_key("talk-viewers", talk_id), json.dumps(counts).encode())

    def n_viewers(self, talk_id: str, now: float) -> int:
        return sum(n for n, _ in self._counts(talk_id, now).values())

    def _counts(self, talk_id: str, now: float) -> dict[str, tuple[int, float]]:
        raw = self._cache.get(_key("talk-viewers", talk_id)) or b"{}"
        counts: dict[str, tuple[int, float]] = json.loads(raw)
        return {name: (n, at) for name, (n, at) in counts.items() if now - at < COUNT_VALID_S}

    def _all(self) -> list[Talk]:
        found = (self.get(talk_id) for talk_id in self._cache.listed(_TALKS))
        return [talk for talk in found if talk is not None]


def _key(kind: str, talk_id: str) -> str:
    return f"{kind}/{talk_id}"

"""Data sets and uploads on Redis, equal bytes once."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from urllib.parse import quote

from melm_studio.worker.config.redis_address import RedisAddress
from melm_studio.worker.records.stored_files import Holding, HoldingKind, is_fresh
from melm_studio.worker.store.redis_client import Client, Pipeline

# The bytes go with the last who holds them.
RELEASE = """
redis.call("SREM", KEYS[1], ARGV[1])
if redis.call("SCARD", KEYS[1]) == 0 then
    redis.call("UNLINK", KEYS[2])
end
"""


class RedisContent:
    """Holdings on a server.

    Bytes are addressed by their hash, and the set of their holders is kept, so that nobody reads
    another owner's data by claiming its key, changes it by putting other bytes under that key, or
    loses it when somebody else drops an equal one.
    """

    def __init__(self, client: Client, address: RedisAddress) -> None:
        self._redis, self._address = client, address
        self._release_script = client.register_script(RELEASE)

    def put(
        self, owner: str, kind: HoldingKind, key: str, raw: bytes, admit: Callable[[int], None]
    ) -> None:
        """Keep bytes for an owner, if so many more are admitted."""
        digest, held = hashlib.sha256(raw).hexdigest(), self.held(owner)
        content, field = self._content(digest), _field(kind, key)

        def change(pipe: Pipeline) -> None:
            now, before = time.time(), _holding(pipe.hget(held, field))
            admit(len(raw) - (before.n_bytes if before else 0))
            if before is not None and is_fresh(before, digest, now):
                return
            is_kept = pipe.exists(content)
            pipe.multi()
            if not is_kept:
                pipe.set(content, raw)
            pipe.sadd(self._holders(digest), f"{held}/{field}")
            pipe.hset(held, field, Holding(owner, kind, key, digest, len(raw), now).to_bytes())
            if before is not None and before.digest != digest:
                self._release(pipe, before)

        self._redis.transaction(change, held, content)

    def get(self, owner: str, kind: HoldingKind, key: str) -> bytes | None:
        """Return the bytes that this owner put under the key."""
        holding = _holding(self._redis.hget(self.held(owner), _field(kind, key)))
        return None if holding is None else self._redis.get(self._content(holding.digest))

    def holdings(self, owner: str) -> list[Holding]:
        """Return all that the owner keeps, longest untouched first."""
        found = map(Holding.from_bytes, self._redis.hvals(self.held(owner)))
        return sorted(found, key=lambda holding: holding.touched_s)

    def drop(self, holding: Holding) -> None:
        """Forget a holding, and its bytes if they are in no other one."""
        held, field = self.held(holding.owner), _field(holding.kind, holding.key)

        def change(pipe: Pipeline) -> None:
            kept = _holding(pipe.hget(held, field))
            pipe.multi()
            if kept is not None:
                pipe.hdel(held, field)
                self._release(pipe, kept)

        self._redis.transaction(change, held)

    def held(self, owner: str) -> str:
        """Return the key of all that an owner holds."""
        return self._address.key("held", owner)

    def _release(self, pipe: Pipeline, holding: Holding) -> None:
        keys = [self._holders(holding.digest), self._content(holding.digest)]
        name = f"{self.held(holding.owner)}/{_field(holding.kind, holding.key)}"
        self._release_script(keys, [name], client=pipe)

    def _content(self, digest: str) -> str:
        return self._address.key("content", digest)

    def _holders(self, digest: str) -> str:
        return self._address.key("holders", digest)


def _field(kind: HoldingKind, key: str) -> str:
    return f"{kind}/{quote(key, safe='')}"


def _holding(raw: bytes | None) -> Holding | None:
    return None if raw is None else Holding.from_bytes(raw)

"""Data sets and uploads on Redis; equal bytes are stored once."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from urllib.parse import quote

from melm_studio.configuration.redis_address import RedisAddress
from melm_studio.runs.records.stored_files import FileKind, StoredFile, is_current
from melm_studio.runs.store.redis.client import Client, Pipeline, transact

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

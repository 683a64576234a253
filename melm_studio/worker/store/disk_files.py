"""Data sets and uploads on disk, equal bytes once."""

from __future__ import annotations

import hashlib
import time
from urllib.parse import quote

from melm_studio.worker.records.stored_files import Holding, HoldingKind, is_fresh
from melm_studio.worker.store.disk_cache import DiskCache


class DiskContent:
    """Holdings in a cache.

    Bytes are addressed by their hash and counted, so that nobody reads another owner's data by
    claiming its key, changes it by putting other bytes under that key, or loses it when somebody
    else drops an equal one.
    """

    def __init__(self, cache: DiskCache) -> None:
        self._cache = cache

    def put(self, owner: str, kind: HoldingKind, key: str, raw: bytes) -> None:
        """Keep bytes for an owner."""
        digest, now = hashlib.sha256(raw).hexdigest(), time.time()
        with self._cache.transaction():
            before = self._holding(owner, kind, key)
            if before is not None and before.digest != digest:
                self._release(before.digest)
            if before is None or before.digest != digest:
                self._refer(digest, raw)
            elif is_fresh(before, digest, now):
                return
            holding = Holding(owner, kind, key, digest, len(raw), now)
            self._cache.put(_name(owner, kind, key), holding.to_bytes())
            self._cache.enlist(_held(owner), _name(owner, kind, key))

    def get(self, owner: str, kind: HoldingKind, key: str) -> bytes | None:
        """Return the bytes that this owner put under the key."""
        holding = self._holding(owner, kind, key)
        return None if holding is None else self._cache.get(_content(holding.digest))

    def n_bytes(self, owner: str, kind: HoldingKind, key: str) -> int:
        """Return how many bytes this owner has under the key."""
        holding = self._holding(owner, kind, key)
        return 0 if holding is None else holding.n_bytes

    def holdings(self, owner: str) -> list[Holding]:
        """Return all that the owner keeps."""
        found = (self._cache.get(name) for name in self._cache.listed(_held(owner)))
        return [Holding.from_bytes(raw) for raw in found if raw is not None]

    def drop(self, holding: Holding) -> None:
        """Forget a holding, and its bytes if they are in no other one."""
        name = _name(holding.owner, holding.kind, holding.key)
        with self._cache.transaction():
            kept = self._holding(holding.owner, holding.kind, holding.key)
            if kept is not None:
                self._release(kept.digest)
                self._cache.delete(name)
                self._cache.unlist(_held(holding.owner), name)

    def _holding(self, owner: str, kind: HoldingKind, key: str) -> Holding | None:
        raw = self._cache.get(_name(owner, kind, key))
        return None if raw is None else Holding.from_bytes(raw)

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


def _name(owner: str, kind: HoldingKind, key: str) -> str:
    return f"{kind}/{quote(owner, safe='')}/{quote(key, safe='')}"


def _held(owner: str) -> str:
    return f"held/{quote(owner, safe='')}"


def _content(digest: str) -> str:
    return f"content/{digest}"


def _holders(digest: str) -> str:
    return f"holders/{digest}"

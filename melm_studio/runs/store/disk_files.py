"""Data sets and uploads on disk; equal bytes are stored once."""

from __future__ import annotations

import hashlib
import time
from urllib.parse import quote

from melm_studio.runs.records.stored_files import FileKind, StoredFile, is_current
from melm_studio.runs.store.disk_cache import DiskCache


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
        found = (self._cache.get(name) for name in self._cache.listed(_held(owner)))
        read = (StoredFile.readable(raw) for raw in found if raw is not None)
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

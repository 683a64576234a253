"""Text keys and bytes values in a folder, for many threads and processes."""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import diskcache

from melm_studio.worker.records.limits import DiskFullError
from melm_studio.worker.store.bytes_disk import BytesDisk

LOCK_TIMEOUT_S = 60.0
# Smaller values stay in the database: a file for every plane of a wide table would be slow.
SMALLEST_FILE_BYTES = 2**20
# A file is written before the database knows it: none so young is left over.
ORPHANED_AFTER_S = 86_400.0

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_ROOM_SQLITE = {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"}


class DiskCache:
    """A diskcache that evicts nothing, pickles nothing and says when the disk is full.

    Parameters
    ----------
    folder : path
        Made where it is missing, and closed to other users of the machine.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        self._folder = folder
        self._cache = diskcache.Cache(
            str(folder),
            timeout=LOCK_TIMEOUT_S,
            disk=BytesDisk,
            eviction_policy="none",
            cull_limit=0,
            disk_min_file_size=SMALLEST_FILE_BYTES,
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all changes in the block or none; blocks may nest.

        Raises
        ------
        DiskFullError
            If there is no room for them.
        """
        try:
            # Without diskcache's retry, which would try for ever on a full or unwritable disk.
            with self._cache.transact():
                yield
        except (OSError, sqlite3.Error, diskcache.Timeout, DiskFullError) as error:
            if not _is_for_want_of_room(error):
                raise
            # What sqlite made of the transaction is uncertain: begin the next one afresh.
            self._cache.close()
            raise DiskFullError from error

    def __contains__(self, key: str) -> bool:
        return key in self._cache

    def get(self, key: str) -> bytes | None:
        """Return the value of a key."""
        raw: bytes | None = self._cache.get(key)
        return raw

    def put(self, key: str, raw: bytes) -> None:
        """Keep a value under a key."""
        with self.transaction():
            self._cache.set(key, raw)

    def delete(self, key: str) -> None:
        """Forget a key."""
        with self.transaction():
            self._cache.delete(key)

    def listed(self, listing: str) -> list[str]:
        """Return the names of a list, in their order."""
        names: list[str] = json.loads(self.get(listing) or b"[]")
        return names

    def put_listed(self, listing: str, names: list[str]) -> None:
        """Replace a list; an empty one takes no room."""
        if names:
            self.put(listing, json.dumps(names).encode())
        else:
            self.delete(listing)

    def enlist(self, listing: str, name: str) -> None:
        """Add a name to the end of a list that does not have it."""
        with self.transaction():
            names = self.listed(listing)
            if name not in names:
                self.put_listed(listing, [*names, name])

    def unlist(self, listing: str, name: str) -> None:
        """Take a name out of a list."""
        with self.transaction():
            names = self.listed(listing)
            if name in names:
                self.put_listed(listing, [listed for listed in names if listed != name])

    def remove_orphans(self, now: float) -> None:
        """Delete files that a process wrote and died before it could enter them."""
        files = [*self._folder.rglob("*.val")]
        known = self._known_files()
        for file in files:
            with suppress(FileNotFoundError):  # entered, and deleted again, meanwhile
                if file not in known and now - file.stat().st_mtime > ORPHANED_AFTER_S:
                    file.unlink()

    def close(self) -> None:
        """Give back what the calling thread holds; a later call opens it again."""
        self._cache.close()

    def _known_files(self) -> set[Path]:
        asked = "SELECT filename FROM Cache WHERE filename IS NOT NULL"
        with closing(sqlite3.connect(self._folder / diskcache.core.DBNAME)) as database:
            return {self._folder / name for (name,) in database.execute(asked)}


def _is_for_want_of_room(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, DiskFullError):
            return True
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            return True
        if getattr(error, "sqlite_errorname", "") in _NO_ROOM_SQLITE:
            return True
        error = error.__context__
    return False

"""The data folder of a studio: its lock, and a cache of text keys and bytes values in it.

The cache is safe for many threads and processes; the lock is that of one studio at a time.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import MODE_BINARY, MODE_RAW

from melm_core.base import UserError
from melm_studio.configuration.limits import DiskFullError
from melm_studio.runs.store.protocol import StoreBusyError, StoreDamagedError, StoreUnavailableError

LOCK_NAME = "lock"

_IN_USE = (
    "Another studio uses the folder {folder}, and two would end each other's runs. Stop that one, "
    "or choose another folder by --data-dir or MELM_DATA_DIR."
)
_UNUSABLE = (
    "The studio cannot use the folder {folder} ({cause}). Correct its permissions, restore it from "
    "a backup, or choose another folder by --data-dir or MELM_DATA_DIR."
)
# A transaction takes a few milliseconds.
RETRY_S = 0.001
DATABASE = diskcache.core.DBNAME
# Of a process that may wait, such as that of a run.
PATIENCE_S = 60.0
# Smaller values stay in the database: a file for every plane of a wide table would be slow.
SMALLEST_FILE_BYTES = 2**20
# A file is written before the database refers to it, so a young one may not be an orphan.
ORPHANED_AFTER_S = 86_400.0
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DISK_FULL_SQLITE = {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"}
_DAMAGED_SQLITE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_FAILED_SQLITE = ("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")
_BUSY_SQLITE = ("SQLITE_BUSY", "SQLITE_LOCKED")
_NO_TABLE = "no such table"  # the file was deleted or emptied


class UnusableFolderError(UserError):
    """The data folder cannot be used; the message names it, the cause and the way out."""

    def __init__(self, folder: Path, cause: BaseException) -> None:
        said: object = cause
        if isinstance(cause, OSError) and cause.filename:
            said = f"{cause.filename}: {cause.strerror}"
        super().__init__(_UNUSABLE.format(folder=folder, cause=said))


class FolderInUseError(UserError):
    """Another studio uses the data folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(_IN_USE.format(folder=folder))


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Keep other studios from the folder for the block; the system ends that with the process.

    Raises
    ------
    FolderInUseError
        If another studio uses the folder.
    UnusableFolderError
        If it cannot be created or written.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UnusableFolderError(folder, error) from error
    if not try_lock(descriptor):
        os.close(descriptor)
        raise FolderInUseError(folder)
    try:
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Lock an open file unless another process has; closing it unlocks."""
        with suppress(OSError):
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            return True
        return False

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock an open file unless another process has; closing it unlocks."""
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False


class WriteLock:
    """A lock of all threads and processes that write to a folder; blocks of a thread may nest.

    SQLite has such a lock, but waits for it in sleeps that grow to 100 ms. Where another process
    writes all the time, that comes too late for seconds. Here the sleeps are short.

    Parameters
    ----------
    file : path
        Created if missing.
    timeout_s : float
        After which the block begins without the lock; the database then has the last word.
    """

    def __init__(self, file: Path, timeout_s: float) -> None:
        self._file = file
        self._timeout_s = timeout_s
        self._thread = threading.local()

    @property
    def is_held(self) -> bool:
        """True if this thread holds it."""
        return getattr(self._thread, "is_inside", False)

    @contextmanager
    def held(self) -> Generator[None]:
        """Hold the lock during the block."""
        if self.is_held:
            yield
            return
        # Closing it releases the lock, as does the end of a process, whatever ends it.
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, mode=0o600)
        self._thread.is_inside = True
        try:
            self._wait_for(descriptor)
            yield
        finally:
            self._thread.is_inside = False
            os.close(descriptor)

    def _wait_for(self, descriptor: int) -> None:
        until_s = time.monotonic() + self._timeout_s
        while time.monotonic() < until_s:
            if try_lock(descriptor):
                return
            time.sleep(RETRY_S)


class DiskCache:
    """A diskcache that evicts nothing, pickles nothing and reports a full disk.

    Parameters
    ----------
    folder : path
        Created if missing; other users of the machine cannot read it.
    patience_s : float
        For how long to wait where others keep it locked.
    """

    def __init__(self, folder: Path, patience_s: float = PATIENCE_S) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        self._folder = folder
        # Half of the time for the lock of the folder, and half for that of the database.
        self._patience_s = patience_s / 2
        with _faults_told():
            self._cache = diskcache.Cache(
                str(folder),
                timeout=self._patience_s,
                disk=BytesDisk,
                eviction_policy="none",
                cull_limit=0,
                disk_min_file_size=SMALLEST_FILE_BYTES,
            )
        self._write_lock = WriteLock(folder / "write.lock", self._patience_s)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Make all changes in the block or none; blocks may nest.

        Raises
        ------
        DiskFullError
            If the disk is full.
        StoreDamagedError
            If the database is damaged.
        StoreBusyError
            If others keep it locked.
        StoreUnavailableError
            If the disk fails.
        """
        if self._write_lock.is_held:
            yield
            return
        try:
            # Without diskcache's retry, which would never end on a full or unwritable disk.
            with (
                _faults_told(),
                self._write_lock.held(),
                self._cache.disk.removed_after(),
                self._cache.transact(),
            ):
                yield
        except (OSError, sqlite3.Error, diskcache.Timeout, DiskFullError) as error:
            told = _told(error)
            if told is None:
                raise
            if told is not StoreBusyError:
                # The state of the transaction in SQLite is unknown: begin the next one anew.
                self._cache.close()
            raise told from error

    def __contains__(self, key: str) -> bool:
        with _faults_told():
            return key in self._cache

    def get(self, key: str) -> bytes | None:
        """Return the value of a key."""
        try:  # not the context below, which would cost a tenth of the time
            raw: bytes | None = self._cache.get(key)
        except sqlite3.DatabaseError as error:
            _tell_fault(error)
            raise
        return raw

    def put(self, key: str, raw: bytes) -> None:
        """Store a value under a key."""
        with self.transaction():
            self._cache.set(key, raw)

    def delete(self, key: str) -> None:
        """Delete a key."""
        with self.transaction():
            self._cache.delete(key)

    def keys_with(self, prefix: str) -> list[str]:
        """Return the keys that begin with a text, in order, by the index of keys."""
        query = "SELECT key FROM Cache WHERE key >= ? AND key < ? ORDER BY key"
        database = sqlite3.connect(self._folder / DATABASE, timeout=self._patience_s)
        with _faults_told(), closing(database):
            return [key for (key,) in database.execute(query, (prefix, f"{prefix}\U0010ffff"))]

    def listed(self, listing: str) -> list[str]:
        """Return the names in a list, in order."""
        names: list[str] = json.loads(self.get(listing) or b"[]")
        return names

    def put_listed(self, listing: str, names: list[str]) -> None:
        """Replace a list; an empty one is deleted."""
        if names:
            self.put(listing, json.dumps(names).encode())
        else:
            self.delete(listing)

    def enlist(self, listing: str, name: str) -> None:
        """Append a name to a list unless it is there."""
        with self.transaction():
            names = self.listed(listing)
            if name not in names:
                self.put_listed(listing, [*names, name])

    def unlist(self, listing: str, name: str) -> None:
        """Remove a name from a list."""
        with self.transaction():
            names = self.listed(listing)
            if name in names:
                self.put_listed(listing, [listed for listed in names if listed != name])

    def remove_orphans(self, now: float) -> None:
        """Delete files whose process died before it could enter them into the database."""
        files = [*self._folder.rglob("*.val")]
        entered = self._known_files()
        for file in files:
            with suppress(FileNotFoundError):  # entered and deleted meanwhile
                if file not in entered and now - file.stat().st_mtime > ORPHANED_AFTER_S:
                    file.unlink()

    def n_bytes(self) -> int:
        """Return the bytes of the database and of the files beside it."""
        with _faults_told():
            return int(self._cache.volume())

    def sync(self) -> None:
        """Make what was written outlast the end of the machine."""
        with closing(sqlite3.connect(self._folder / DATABASE)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the connection of the calling thread; a later call opens it again."""
        self._cache.close()

    def _known_files(self) -> set[Path]:
        query = "SELECT filename FROM Cache WHERE filename IS NOT NULL"
        with _faults_told(), closing(sqlite3.connect(self._folder / DATABASE)) as database:
            return {self._folder / name for (name,) in database.execute(query)}


@contextmanager
def _faults_told() -> Generator[None]:
    """Tell a damaged or locked database by errors of their own."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        _tell_fault(error)
        raise


def _tell_fault(error: sqlite3.Error) -> None:
    if is_damage(error):
        raise StoreDamagedError from error
    if getattr(error, "sqlite_errorname", "").startswith(_BUSY_SQLITE):
        raise StoreBusyError from error


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether a database is damaged, rather than out of reach."""
    name = getattr(error, "sqlite_errorname", "")
    return name.startswith(_DAMAGED_SQLITE) or _NO_TABLE in str(error)


def _told(error: BaseException) -> type[Exception] | None:
    """Return the exception to raise for a failed write; None for other errors."""
    every = [*_with_causes(error)]
    if any(map(_is_disk_full, every)):
        return DiskFullError
    if isinstance(error, diskcache.Timeout):
        return StoreBusyError
    return StoreUnavailableError if any(map(_is_failure, every)) else None


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__context__


def _is_disk_full(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno in _DISK_FULL:
        return True
    is_told = isinstance(error, DiskFullError)
    return is_told or getattr(error, "sqlite_errorname", "") in _DISK_FULL_SQLITE


def _is_failure(error: BaseException) -> bool:
    """Return whether the system could not read or write."""
    name = getattr(error, "sqlite_errorname", "")
    return isinstance(error, OSError) or name.startswith(_FAILED_SQLITE)


class UnsafeValueError(ValueError):
    """A key or value of a type that the store does not write or read."""


class BytesDisk(diskcache.Disk):
    """Refuse, in both directions, every value that diskcache would pickle.

    Unpickling executes code named in the file, so a program that can write to the folder could take
    control of the process that reads it.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._thread = threading.local()

    @contextmanager
    def removed_after(self) -> Generator[None]:
        """Remove files once the block has ended, and none where it fails.

        In a transaction diskcache removes the file of a value with its row, which is there again
        where the process is killed before the end, or what comes next fails.
        """
        self._thread.removed = list[str]()
        try:
            yield
            removed = self._thread.removed
        finally:
            self._thread.removed = None
        for file in removed:
            self.remove(file)

    def remove(self, file_path: str) -> None:
        """Remove the file of a value, or have that done at the end of the block."""
        removed = getattr(self._thread, "removed", None)
        if removed is None:
            super().remove(file_path)
        else:
            removed.append(file_path)

    def put(self, key: Any) -> tuple[Any, bool]:
        """Return `key` as the database stores it."""
        _refuse_unless(type(key) is str, f"The key {key!r} is not text")
        return key, True

    def get(self, key: Any, raw: bool) -> Any:
        """Return the key that the database stores as `key`."""
        _refuse_unless(bool(raw) and type(key) is str, "A key in the store is not text")
        return key

    def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> Any:
        """Write `value`, which must be bytes; if the disk is full, leave no partial file."""
        _refuse_unless(type(value) is bytes, f"The value of {key!r} is not bytes")
        if len(value) < self.min_file_size:
            return super().store(value, read, key=key)
        filename, path = self.filename(key, value)
        _write_whole(Path(path), value)
        return len(value), MODE_BINARY, filename, None

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        """Return the value of a row, which must hold bytes."""
        held_as_bytes = mode == MODE_BINARY or (mode == MODE_RAW and type(value) is bytes)
        _refuse_unless(held_as_bytes, "A value in the store is not bytes")
        return super().fetch(mode, filename, value, read)


def _write_whole(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.write_bytes(raw)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _refuse_unless(is_safe: bool, fault: str) -> None:
    if not is_safe:
        raise UnsafeValueError(
            f"{fault}; only text keys and bytes values are safe to read back. "
            "Choose another data folder, or empty this one."
        )

"""Identity of a data folder: whether it holds the whole of one studio.

The key of a studio gives it a name, which stands in its database and in a file beside it. A folder
that was used is told from a new one by any of the three, and what was lost or replaced by the
others.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from melm_core.base import UserError
from melm_studio.runs.store.disk import OWNERS, SECRET_FILE, STORE_FOLDER
from melm_studio.runs.store.disk_cache import DATABASE, DiskCache, UnusableFolderError, is_damage
from melm_studio.runs.store.protocol import StoreUnavailableError
from melm_studio.runs.store.secret_key import SECRET_BYTES, secret_in, write_whole

MARK_FILE = "studio"
# A whole look at a large database would keep visitors waiting; damage that it does not come to is
# told when it is met.
CHECK_S = 2.0

_NAME = "studio"
_LOST = (
    "The folder {folder} has been used, but {loss}. Restore it from a backup: put the copy that "
    "`python -m melm_studio.workers.backup` made in the place of the folder, and every visitor has "
    "their runs again. If there is none, start once with --new: what is left is moved to a folder "
    "in it, nothing is deleted, and every visitor begins anew."
)
_IS_WHOLE = (
    "--new is for a folder that has lost a part, but {folder} has all of its studio. Leave out "
    "--new to use it, or choose another folder by --data-dir or MELM_DATA_DIR to begin another."
)

logger = logging.getLogger(__name__)


class LostDataError(UserError):
    """A folder that was used has lost a part; the message names it and the ways out."""

    def __init__(self, folder: Path, loss: str) -> None:
        super().__init__(_LOST.format(folder=folder, loss=loss))


class WholeFolderError(UserError):
    """A studio was to begin anew in a folder that has lost nothing."""

    def __init__(self, folder: Path) -> None:
        super().__init__(_IS_WHOLE.format(folder=folder))


def identify(folder: Path, *, begins_anew: bool = False) -> None:
    """Check that a folder is new or holds the whole of one studio, and name it so.

    No other process may use the folder meanwhile.

    Parameters
    ----------
    folder : path
    begins_anew : bool
        Whether what is left of a studio that has lost a part is moved aside.

    Raises
    ------
    LostDataError
        If the key or the database is missing, damaged or that of another studio.
    WholeFolderError
        If a whole studio was to begin anew.
    UnusableFolderError
        If the folder cannot be read or written.
    """
    try:
        state = _inspect(folder)
        loss = state.loss
        if begins_anew and state.is_used and not loss:
            raise WholeFolderError(folder)
        if begins_anew and loss:
            logger.warning("what is left was moved to %s", _move_aside(folder))
        elif loss:
            raise LostDataError(folder, loss)
        _name(folder)
    except (OSError, sqlite3.Error) as error:
        raise UnusableFolderError(folder, error) from error
    except StoreUnavailableError as error:
        raise UnusableFolderError(folder, error.__cause__ or error) from error


@dataclass(frozen=True)
class _FolderState:
    """Parts of a folder: of each its fault, if it has one, or else its content."""

    key_file: Path
    database_file: Path
    key_fault: str = ""  # a clause about the file
    key: bytes = b""
    database_fault: str = ""
    has_database: bool = False
    has_owners: bool = False
    name: str = ""  # in the database
    mark: str = ""  # in its own file
    has_values: bool = False  # beside the database

    @property
    def is_used(self) -> bool:
        """True if a studio has used the folder."""
        parts = self.key, self.key_fault, self.database_fault, self.name, self.mark
        return any(parts) or self.has_owners or self.has_values

    @property
    def loss(self) -> str:
        """Loss of the studio here, as a clause; empty if it is whole, or there was none."""
        if not self.is_used:
            return ""
        missing_key = "" if self.key or self.key_fault else "is missing"
        # The key is made after the database, so a start that was cut short may leave one alone.
        is_first = missing_key and not (self.name or self.mark or self.has_owners)
        missing = "" if self.has_database or self.database_fault else "is missing or empty"
        faults = [
            (f"its key, {self.key_file},", "" if is_first else self.key_fault or missing_key),
            (f"its database, {self.database_file},", self.database_fault or missing),
        ]
        said = [f"{part} {fault}" for part, fault in faults if fault]
        return " and ".join(said) or self._mismatch

    @property
    def _mismatch(self) -> str:
        expected = _name_of(self.key) if self.key else ""
        if self.name in ("", expected):
            is_blank = self.mark and not self.name and not self.has_owners
            return f"its database, {self.database_file}, is empty" if is_blank else ""
        if self.mark == expected:
            return f"its database, {self.database_file}, is that of another studio"
        return f"its key, {self.key_file}, is not the one that it was used with"


def _inspect(folder: Path) -> _FolderState:
    key_file, database_file = folder / SECRET_FILE, folder / STORE_FOLDER / DATABASE
    key, key_fault = _read_key(key_file)
    mark_file = folder / MARK_FILE
    state: dict[str, Any] = {
        "key": key,
        "key_fault": key_fault,
        "mark": (mark_file.is_file() and mark_file.read_text(errors="replace")) or "",
        "has_values": next((folder / STORE_FOLDER).rglob("*.val"), None) is not None,
    }
    if database_file.is_dir():
        state["database_fault"] = "is a folder"
    elif database_file.exists():
        try:
            state |= _read_database(database_file)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            state["database_fault"] = f"is damaged ({error})"
    return _FolderState(key_file, database_file, **state)


def _read_key(file: Path) -> tuple[bytes, str]:
    if file.is_dir():
        return b"", "is a folder"
    if not file.exists():
        return b"", ""
    key = file.read_bytes()
    if len(key) == SECRET_BYTES:
        return key, ""
    return b"", f"has {len(key)} bytes instead of {SECRET_BYTES}"


def _read_database(file: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE name = 'Cache'")
        if tables.fetchone() is None:
            # Which a start that was cut short leaves, too; that one leaves nothing else.
            return {}
        fault = _first_fault(database)
        if fault:
            return {"database_fault": f"is damaged ({fault})"}
        rows = database.execute("SELECT key, value FROM Cache WHERE key IN (?, ?)", (_NAME, OWNERS))
        values = dict(rows)
        name = bytes(values.get(_NAME, b"")).decode(errors="replace")
        return {"has_database": True, "name": name, "has_owners": OWNERS in values}


def _first_fault(database: sqlite3.Connection) -> str:
    """Return what SQLite's check reports within its time; empty if nothing."""
    is_over = threading.Event()

    def end() -> None:
        is_over.set()
        database.interrupt()

    timer = threading.Timer(CHECK_S, end)
    timer.start()
    try:
        (said,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:
        if not is_over.is_set():
            raise
        said = "ok"
    finally:
        timer.cancel()
        timer.join()
    first = str(said).splitlines()[-1]
    return "" if said == "ok" or is_over.is_set() else first


def _move_aside(folder: Path) -> Path:
    """Move what is left of a studio into a new folder; its mark last, since that says it is one."""
    aside = folder / f"before-{datetime.now(UTC):%Y-%m-%d-%H%M%S}"
    aside.mkdir(mode=0o700)
    for name in (SECRET_FILE, STORE_FOLDER, MARK_FILE):
        if (folder / name).exists():
            (folder / name).rename(aside / name)
    return aside


def _name(folder: Path) -> None:
    """Write the name of a studio wherever it is missing, so that it lasts."""
    with closing(DiskCache(folder / STORE_FOLDER)) as cache:
        name = _name_of(secret_in(folder / SECRET_FILE))
        if cache.get(_NAME) != name.encode():
            cache.put(_NAME, name.encode())
            cache.sync()
    mark_file = folder / MARK_FILE
    if not mark_file.is_file() or mark_file.read_text(errors="replace") != name:
        write_whole(mark_file, name.encode(), replaces=True)


def _name_of(key: bytes) -> str:
    """Derive the name of a studio from its key, without disclosing it."""
    return hashlib.sha256(b"the name of a studio" + key).hexdigest()[:32]

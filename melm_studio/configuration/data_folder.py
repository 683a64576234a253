"""The data folder of a studio, which one studio at a time uses, and the lock of a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from melm_core.base import UserError

LOCK_NAME = "lock"

_IN_USE = (
    "Another studio uses the folder {folder}, and two would end each other's runs. Stop that one, "
    "or choose another folder by --data-dir or MELM_DATA_DIR."
)
_UNUSABLE = (
    "The studio cannot use the folder {folder} ({cause}). Correct its permissions, restore it from "
    "a backup, or choose another folder by --data-dir or MELM_DATA_DIR."
)


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
def locked(folder: Path) -> Iterator[None]:
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

"""The secret key in a file that only its owner can read, and the pseudonyms made with it."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from melm_core.base import UserError

SECRET_BYTES = 32

_DAMAGED = (
    "The key of the studio, {path}, has {n_bytes} bytes instead of {expected}. Stop the studio and "
    "restore the key from a backup of the folder, and visitors keep their runs. If there is none, "
    "start once with --new, and every visitor begins anew."
)
_N_DIGITS = 22


class DamagedKeyError(UserError):
    """The file of the key is damaged; the message names it and the way out."""


def secret_in(path: Path, previous: bytes = b"") -> bytes:
    """Return the secret in the file, which is created once.

    Parameters
    ----------
    path : path
    previous : bytes
        The secret that a missing file had, if that is known.

    Raises
    ------
    DamagedKeyError
        If the file is not as it was written: nobody must be recognized by a key that is known.
    """
    if not path.exists():
        write_whole(path, previous or secrets.token_bytes(SECRET_BYTES))
    key = path.read_bytes()
    if len(key) != SECRET_BYTES:
        raise DamagedKeyError(_DAMAGED.format(path=path, n_bytes=len(key), expected=SECRET_BYTES))
    return key


def write_whole(path: Path, content: bytes, *, replaces: bool = False) -> None:
    """Write a private file at once and lastingly; leave an existing one alone unless told to."""
    with tempfile.NamedTemporaryFile(dir=path.parent) as file:  # created with mode 0600
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        if replaces:
            path.unlink(missing_ok=True)
        with suppress(FileExistsError):
            path.hardlink_to(file.name)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder last, as those of files do not with the files."""
    if sys.platform == "win32":  # which opens no folder
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def pseudonym(secret: bytes, text: str) -> str:
    """Return what stands for a text, which nobody without the key of the studio can guess.

    Parameters
    ----------
    secret : bytes
        The key of the store.
    text : str
    """
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()[:_N_DIGITS]


def owner_of_user(secret: bytes, name: str) -> str:
    """Return the owner of the runs of a user whom a trusted proxy names."""
    return pseudonym(secret, f"user {name}")

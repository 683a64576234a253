"""A zip archive from outside: bounded before anything in it is unpacked, and never on disk.

Parts are read by names that the reader expects, so the names in the archive are no paths.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import IO

from melm_studio.tables import number
from melm_studio.validation import InputError, shown

BYTES_PER_MB = 2**20
# The end of a zip file: its signature, the size of the directory, and at most a comment.
_END = struct.Struct("<4s4H2LH")
_END_SIGNATURE, _LARGE_SIGNATURE, _LARGE_BYTES = b"PK\5\6", b"PK\6\7", 20
_MOST_COMMENT = 2**16
# Python reads the directory as a whole, and makes an object of every entry.
_MOST_DIRECTORY = 2**20
_ENCRYPTED = 1
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}

_NO_PROJECT = "This file is not a project. Choose a project that was saved by MELM Studio."
_DAMAGED = "This project is damaged or incomplete. Choose another copy of it."
_TOO_LARGE = (
    "This project holds {found} MB when it is unpacked, and at most {most} MB can be opened. "
    "Remove runs with long histories before it is saved."
)
_UNKNOWN_PART = (
    "The project contains {name}, which is not part of a project. Choose a project that was saved "
    "by MELM Studio."
)

_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)


class Archive:
    """The parts of an archive."""

    def __init__(self, parts: zipfile.ZipFile) -> None:
        self._parts = parts

    @property
    def names(self) -> set[str]:
        """The names of all parts."""
        return set(self._parts.namelist())

    def refuse_others(self, expected: Collection[str]) -> None:
        """Refuse parts that no project has.

        Raises
        ------
        InputError
        """
        if others := sorted(self.names.difference(expected)):
            raise InputError(_UNKNOWN_PART.format(name=shown(others[0])))

    def n_bytes(self, name: str) -> int:
        """Return the size of a part when it is unpacked; 0 if there is none."""
        return self._parts.getinfo(name).file_size if name in self.names else 0

    def read(self, name: str, most: int) -> bytes:
        """Return a part of at most `most` bytes.

        Raises
        ------
        InputError
            If it is missing, damaged, or larger.
        """
        with self.opened(name) as file:
            raw = file.read(most + 1)
        if len(raw) > most:
            raise InputError(_DAMAGED)
        return raw

    @contextmanager
    def opened(self, name: str) -> Iterator[IO[bytes]]:
        """Open a part for reading.

        Raises
        ------
        InputError
            If it is missing or damaged, also while it is read.
        """
        if name not in self.names:
            raise InputError(_DAMAGED)
        try:
            with self._parts.open(name) as file:
                yield file
        except InputError:
            raise
        except _UNREADABLE:
            raise InputError(_DAMAGED) from None


@contextmanager
def opened_archive(file: IO[bytes], max_bytes: int) -> Iterator[Archive]:
    """Open a zip archive whose parts hold at most `max_bytes` when they are unpacked.

    Raises
    ------
    InputError
        If it is none, or too large.
    """
    _reject_large_directory(file)
    try:
        parts = zipfile.ZipFile(file)
    except _UNREADABLE:
        raise InputError(_NO_PROJECT) from None
    with parts:
        _reject_unusual(parts.infolist(), max_bytes)
        yield Archive(parts)


def _reject_large_directory(file: IO[bytes]) -> None:
    """Refuse an archive whose directory Python would read into memory at once."""
    n_bytes = file.seek(0, os.SEEK_END)
    file.seek(max(0, n_bytes - _END.size - _MOST_COMMENT))
    tail = file.read()
    file.seek(0)
    place = tail.rfind(_END_SIGNATURE)
    if place < 0 or place + _END.size > len(tail):
        raise InputError(_NO_PROJECT)
    n_directory = _END.unpack_from(tail, place)[5]
    is_large = tail[max(0, place - _LARGE_BYTES) : place].startswith(_LARGE_SIGNATURE)
    if is_large or n_directory > _MOST_DIRECTORY:
        raise InputError(_NO_PROJECT)


def _reject_unusual(entries: Collection[zipfile.ZipInfo], max_bytes: int) -> None:
    names = [entry.filename for entry in entries]
    is_odd = any(
        entry.flag_bits & _ENCRYPTED or entry.compress_type not in _METHODS for entry in entries
    )
    if is_odd or len(set(names)) < len(names):
        raise InputError(_DAMAGED)
    # Of a part that holds more than its entry says, only that much is unpacked.
    n_bytes = sum(entry.file_size for entry in entries)
    if n_bytes > max_bytes:
        size, most = number(n_bytes // BYTES_PER_MB), number(max_bytes // BYTES_PER_MB)
        raise InputError(_TOO_LARGE.format(found=size, most=most))

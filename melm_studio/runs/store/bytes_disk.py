"""A diskcache disk of str keys and bytes values that never pickles or unpickles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import MODE_BINARY, MODE_RAW


class UnsafeValueError(ValueError):
    """A key or value of a type that the store does not write or read."""


class BytesDisk(diskcache.Disk):  # type: ignore[misc, unused-ignore]
    """Refuse, in both directions, every value that diskcache would pickle.

    Unpickling executes code named in the file, so a program that can write to the folder could take
    control of the process that reads it.
    """

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

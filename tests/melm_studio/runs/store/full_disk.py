"""A disk that is full until it is freed."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any

import pytest

from melm_studio.configuration.limits import DiskFullError
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.protocol import RunStore


class FullDisk:
    """Lets the databases that are opened from now on grow no more."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._connect = sqlite3.connect
        self._is_full = False
        monkeypatch.setattr(sqlite3, "connect", self._connected)

    def fill(self, store: RunStore) -> None:
        """Leave no room in a store; the calling thread opens it anew."""
        self._is_full = True
        store.close()
        numbers = count()
        with suppress(DiskFullError):  # what is free within the database goes first
            while True:
                store.put_file("filler", FileKind.DATA, str(next(numbers)), bytes(4_000))

    def free(self, store: RunStore) -> None:
        """Let the store grow again."""
        self._is_full = False
        store.close()

    def _connected(self, *arguments: Any, **options: Any) -> sqlite3.Connection:
        database = self._connect(*arguments, **options)
        if self._is_full:
            database.execute("PRAGMA max_page_count = 1")
        return database


@contextmanager
def no_file_larger_than(n_bytes: int) -> Iterator[None]:
    """Refuse this process to write beyond that many bytes of any file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

"""Order of writers to a folder: one at a time, and frequent writers cannot starve others."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from melm_studio.configuration.file_lock import try_lock

# A transaction takes a few milliseconds.
RETRY_S = 0.001


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
    def held(self) -> Iterator[None]:
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

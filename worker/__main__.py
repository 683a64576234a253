"""The supervisor process: ``python -m worker --data-dir DIR --workers N``.

It ends when its standard input closes, which happens however its parent ends, or on SIGTERM.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing
from multiprocessing import connection

from worker.logs import configure_logging
from worker.pool import WorkerPool
from worker.settings import Settings
from worker.store import DiskRunStore


class ParentOrSignal:
    """The order to stop: the end of standard input, or SIGTERM."""

    def __init__(self) -> None:
        self._given = False
        signal.signal(signal.SIGTERM, self._on_signal)

    def fileno(self) -> int:
        """Return the file descriptor of standard input."""
        return sys.stdin.fileno()

    def is_given(self) -> bool:
        """Return whether to stop."""
        if connection.wait([self.fileno()], timeout=0):
            self._given = self._given or not os.read(self.fileno(), 1024)
        return self._given

    def _on_signal(self, _signal: int, _frame: object) -> None:
        self._given = True


def main() -> None:
    """Work the queue of a data folder until told to stop."""
    # Ctrl-C reaches every process of a terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    settings = Settings.from_environment_and_flags(sys.argv[1:], os.environ)
    configure_logging()
    order = ParentOrSignal()
    with closing(DiskRunStore(settings.data_dir)) as store:
        WorkerPool(store, settings.data_dir, settings.workers).serve(order)


if __name__ == "__main__":
    main()

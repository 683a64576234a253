"""The supervisor process: ``python -m melm_studio.worker --data-dir DIR --workers N``.

It ends when its standard input closes, which happens however its parent ends, or on SIGTERM. With a
shared store it is a Celery worker.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import closing
from importlib import import_module
from multiprocessing import connection

from melm_studio.worker.config.logs import configure_logging
from melm_studio.worker.config.settings import Settings
from melm_studio.worker.pool.pool import WorkerPool
from melm_studio.worker.store.open_store import open_store

# Without the banner; workers have nothing to tell each other.
CELERY_COMMAND = ("--quiet", "worker", "--without-gossip", "--without-mingle")


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
    if settings.store:
        _work_when_called(settings)
    else:
        _work(settings)


def _work(settings: Settings) -> None:
    order = ParentOrSignal()
    with closing(open_store(settings)) as store:
        WorkerPool(store, settings).serve(order)


def _work_when_called(settings: Settings) -> None:
    threading.Thread(target=_end_with_parent, name="parent watch", daemon=True).start()
    worker = import_module("melm_studio.worker.pool.celery_worker").celery_worker(settings)
    worker.worker_main([*CELERY_COMMAND])


def _end_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()

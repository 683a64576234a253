"""The supervisor process: ``python -m melm_studio.workers --data-dir DIR --workers N``.

It exits on SIGTERM, or when its standard input closes, which happens however its parent exits. With
a shared store it is a Celery worker.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from importlib import import_module
from multiprocessing import connection

from melm_studio.configuration.logs import configure_logging
from melm_studio.configuration.settings import Settings
from melm_studio.runs.store.open_store import open_store
from melm_studio.workers.background_threads import tables_kept
from melm_studio.workers.pool import WorkerPool
from melm_studio.workers.supervisor import BEAT_S

# Without the banner, and without messages between workers.
CELERY_COMMAND = ("--quiet", "worker", "--without-gossip", "--without-mingle")


class ParentOrSignal:
    """The stop signal: the end of standard input, or SIGTERM."""

    def __init__(self) -> None:
        self._is_set = False
        signal.signal(signal.SIGTERM, self._on_signal)

    def fileno(self) -> int:
        """Return the file descriptor of standard input."""
        return sys.stdin.fileno()

    def is_set(self) -> bool:
        """Return whether to stop."""
        if connection.wait([self.fileno()], timeout=0):
            self._is_set = self._is_set or not os.read(self.fileno(), 1024)
        return self._is_set

    def _on_signal(self, _signal: int, _frame: object) -> None:
        self._is_set = True


def main() -> None:
    """Execute the queued runs of a store until the stop signal."""
    # Ctrl-C reaches every process of a terminal; the parent process handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    settings = Settings.from_environment_and_flags(sys.argv[1:], os.environ)
    configure_logging()
    if settings.store:
        _run_celery_worker(settings)
    else:
        _run_pool(settings)


def _run_pool(settings: Settings) -> None:
    stop = ParentOrSignal()
    with closing(open_store(settings)) as store:
        pool = WorkerPool(store, settings)
        _beat_to_parent(lambda: pool.is_responsive)
        with tables_kept(settings):
            pool.serve(stop)


def _run_celery_worker(settings: Settings) -> None:
    threading.Thread(target=_exit_with_parent, name="parent watchdog", daemon=True).start()
    module = import_module("melm_studio.workers.celery_worker")
    worker, is_responsive = module.celery_worker(settings)
    _beat_to_parent(is_responsive)
    worker.worker_main([*CELERY_COMMAND])


def _beat_to_parent(is_responsive: Callable[[], bool]) -> None:
    """Write to what was the standard output, and the parent reads, while this process works.

    What others print goes nowhere: once the parent is gone, a broken pipe would keep Celery from
    stopping.
    """
    output = os.dup(sys.stdout.fileno())
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)

    def beat() -> None:
        with suppress(BrokenPipeError):  # the parent is gone, and this process will be
            while True:
                if is_responsive():
                    os.write(output, b".")
                time.sleep(BEAT_S)

    threading.Thread(target=beat, name="beat to parent", daemon=True).start()


def _exit_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()

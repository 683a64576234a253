"""A Celery worker, which executes the runs of a shared store."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from typing import Any

from celery import Celery, signals

from melm_studio.configuration.logs import ALIVE, READY, configure_logging, tell_service_manager
from melm_studio.configuration.settings import RedisAddress, Settings
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.open_store import open_store
from melm_studio.runs.store.protocol import RunStore
from melm_studio.runs.store.shared_queue import TASK, celery_on
from melm_studio.workers.background_threads import tables_kept
from melm_studio.workers.pool import WorkerPool

NO_STORE = (
    "A Celery worker executes the runs of a shared store; set MELM_STORE to its address, such as "
    "redis://host:6379/0."
)
ALIVE_S = 1.0

logger = logging.getLogger(__name__)


class BrokerSlots:
    """Slots between broker tasks, which wait here, and the pool, which executes runs.

    Each waiting task lets the pool claim one run. The store decides which run is next; the number
    and order of messages only indicate that there is work.
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._waiting: deque[threading.Event] = deque()
        self._taken: list[tuple[str, threading.Event]] = []
        self._is_closed = threading.Event()

    def wait(self) -> None:
        """Return when a run has ended, is paused or gave way, and there is none to claim."""
        slot = threading.Event()
        self._waiting.append(slot)
        if not self._is_closed.is_set():
            slot.wait()

    def claim(self) -> RunRecord | None:
        """Return the next run, if a task waits for one."""
        while self._waiting:
            record = self._store.claim()
            slot = self._waiting.popleft()
            if record is not None:
                self._taken.append((record.run_id, slot))
                return record
            slot.set()
        return None

    def free_except(self, working: Collection[str]) -> None:
        """Let the slots of runs that no longer use a worker wait for other runs."""
        free = [slot for run_id, slot in self._taken if run_id not in working]
        # For the next claim, since a new task may come later than a run that gave way goes on.
        self._waiting.extend(free)
        self._taken = [(run_id, slot) for run_id, slot in self._taken if run_id in working]

    def close(self) -> None:
        """Free all slots, now and later."""
        self._is_closed.set()
        for slot in [*self._waiting, *(slot for _, slot in self._taken)]:
            slot.set()


def celery_worker(settings: Settings) -> tuple[Celery, Callable[[], bool]]:
    """Return the Celery app of a worker, which executes `settings.workers` runs at a time.

    The second value tells whether its pool works.

    Each message lets it claim the next run of the store, and waits in a thread while a child
    process executes the run. The pool supervises that process as in a local studio.

    Raises
    ------
    SystemExit
        If the settings name no shared store.
    """
    if not settings.store:
        raise SystemExit(NO_STORE)
    app = celery_on(RedisAddress.from_text(settings.store))
    app.conf.update(worker_pool="threads", worker_concurrency=settings.workers or 1)
    pool = _PoolThread(settings)
    app.task(name=TASK)(pool.execute_next_run)
    signals.setup_logging.connect(_configure_logging, weak=False)
    signals.worker_init.connect(pool.open, weak=False)
    signals.worker_shutting_down.connect(pool.close, weak=False)
    signals.worker_shutdown.connect(pool.close, weak=False)
    return app, pool.is_responsive


def _configure_logging(**_: Any) -> None:
    configure_logging()
    for verbose in ("celery.app.trace", "celery.worker.strategy"):
        logging.getLogger(verbose).setLevel(logging.WARNING)  # the pool logs more about a run


class _PoolThread:
    """The pool of a worker, in a thread beside the one that listens to the broker."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._store = open_store(settings)
        self._slots = BrokerSlots(self._store)
        self._pool = WorkerPool(self._store, settings, self._slots)
        self._stop = _Stop()

    def is_responsive(self) -> bool:
        return self._pool.is_responsive

    def execute_next_run(self) -> None:
        self._slots.wait()

    def open(self, **_: Any) -> None:
        threading.Thread(target=self._serve, name="worker pool").start()
        threading.Thread(target=self._notify, name="service manager", daemon=True).start()

    def _notify(self) -> None:
        """Tell systemd once a second that the worker works."""
        tell_service_manager(READY)
        while not self._stop.is_set():
            if self.is_responsive():
                tell_service_manager(ALIVE)
            time.sleep(ALIVE_S)

    def close(self, **_: Any) -> None:
        self._stop.set()

    def _serve(self) -> None:
        try:
            with tables_kept(self._settings):
                self._pool.serve(self._stop)
        finally:
            self._slots.close()
            self._store.close()
            if not self._stop.is_set():
                logger.error("the pool failed, so the worker stops")
                os.kill(os.getpid(), signal.SIGTERM)


class _Stop:
    """A stop event set within this process."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()
        os.write(self._writer, b"stop")

    def fileno(self) -> int:
        return self._reader

    def is_set(self) -> bool:
        return self._event.is_set()

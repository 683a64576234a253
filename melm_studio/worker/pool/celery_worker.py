"""A Celery worker: it is called by the broker, and works the runs of a shared store."""

from __future__ import annotations

import logging
import os
import signal
import threading
from typing import Any

from celery import Celery, signals

from melm_studio.worker.config.logs import configure_logging
from melm_studio.worker.config.redis_address import RedisAddress
from melm_studio.worker.config.settings import Settings
from melm_studio.worker.pool.broker_slots import Turns
from melm_studio.worker.pool.pool import WorkerPool
from melm_studio.worker.store.broker import TASK, celery_on
from melm_studio.worker.store.open_store import open_store

NO_STORE = (
    "A Celery worker works the runs of a shared store; set MELM_STORE to its address, such as "
    "redis://host:6379/0."
)

logger = logging.getLogger(__name__)


def celery_worker(settings: Settings) -> Celery:
    """Return the Celery app of a worker, which works `settings.workers` runs at a time.

    A message lets it take the next run of the store, and waits in a thread while a process of the
    run's own works it. That process is watched as that of a local studio is.

    Raises
    ------
    SystemExit
        If the settings name no shared store.
    """
    if not settings.store:
        raise SystemExit(NO_STORE)
    app = celery_on(RedisAddress.from_text(settings.store))
    app.conf.update(worker_pool="threads", worker_concurrency=settings.workers or 1)
    workshop = _Workshop(settings)
    app.task(name=TASK)(workshop.work_next_run)
    signals.setup_logging.connect(_configure_logging, weak=False)
    signals.worker_init.connect(workshop.open, weak=False)
    signals.worker_shutting_down.connect(workshop.close, weak=False)
    signals.worker_shutdown.connect(workshop.close, weak=False)
    return app


def _configure_logging(**_: Any) -> None:
    configure_logging()
    for chatty in ("celery.app.trace", "celery.worker.strategy"):
        logging.getLogger(chatty).setLevel(logging.WARNING)  # the pool tells more of a run


class _Workshop:
    """The pool of a worker, in a thread beside the one that listens to the broker."""

    def __init__(self, settings: Settings) -> None:
        self._store = open_store(settings)
        self._turns = Turns(self._store)
        self._pool = WorkerPool(self._store, settings, self._turns)
        self._order = _Order()

    def work_next_run(self) -> None:
        self._turns.wait_for_one()

    def open(self, **_: Any) -> None:
        threading.Thread(target=self._serve, name="worker pool").start()

    def close(self, **_: Any) -> None:
        self._order.give()

    def _serve(self) -> None:
        try:
            self._pool.serve(self._order)
        finally:
            self._turns.end_all()
            self._store.close()
            if not self._order.is_given():
                logger.error("the pool ended, and the worker with it")
                os.kill(os.getpid(), signal.SIGTERM)


class _Order:
    """An order to stop that is given in this process."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        self._given = threading.Event()

    def give(self) -> None:
        self._given.set()
        os.write(self._writer, b"stop")

    def fileno(self) -> int:
        return self._reader

    def is_given(self) -> bool:
        return self._given.is_set()

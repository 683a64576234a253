"""Child processes that work the queue, one run each."""

from __future__ import annotations

import logging
import multiprocessing
import os
import time
from collections.abc import Collection
from dataclasses import dataclass
from multiprocessing import connection, forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Protocol

from worker.abandoned import end_abandoned_run
from worker.child import work
from worker.messages import DIED, LOST, STUDIO_STOPPED
from worker.records import RunRecord, RunState
from worker.store import RunStore

POLL_S = 0.05
END_GRACE_S = 2.0
STOP_GRACE_S = 1.0
LOST_AFTER_S = 5.0
LOST_CHECK_S = 1.0

logger = logging.getLogger(__name__)


class StopOrder(Protocol):
    """Tells when to stop."""

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable when `is_given` may have changed."""

    def is_given(self) -> bool:
        """Return whether to stop."""


@dataclass
class _Child:
    run_id: str
    process: ForkServerProcess
    should_end_since_s: float | None = None

    @property
    def is_alive(self) -> bool:
        return self.process.exitcode is None

    @property
    def death(self) -> str:
        code = self.process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"


class WorkerPool:
    """Works the queue with at most `workers` processes.

    Parameters
    ----------
    store : RunStore
    data_dir : path
        Where a child opens the same store.
    workers : int
    """

    def __init__(self, store: RunStore, data_dir: str | Path, workers: int) -> None:
        self._store = store
        self._data_dir = str(data_dir)
        self._workers = workers
        self._children: list[_Child] = []
        self._lost_check_s = 0.0
        self._context = multiprocessing.get_context("forkserver")

    def serve(self, order: StopOrder) -> None:
        """Work the queue until the order to stop; leave no child behind."""
        self._start_forkserver()
        self._release_unstarted()
        try:
            while not order.is_given():
                self._bury_the_dead()
                self._kill_the_overdue()
                self._fail_the_lost()
                self._start_children()
                self._wait(POLL_S, order.fileno())
        finally:
            self._stop_children()

    def _start_forkserver(self) -> None:
        # One thread from the import on: a fork of a process that has threads may deadlock.
        os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
        self._context.set_forkserver_preload([work.__module__])
        forkserver.ensure_running()

    def _release_unstarted(self) -> None:
        """Queue again what an earlier supervisor claimed and had no time to start."""
        for record in reversed(self._store.unfinished()):
            self._store.release(record.run_id)

    def _start_children(self) -> None:
        while len(self._children) < self._workers:
            record = self._store.claim()
            if record is None:
                return
            self._start_child(record)

    def _start_child(self, record: RunRecord) -> None:
        process = self._context.Process(
            target=work, args=(self._data_dir, record.run_id), daemon=True
        )
        process.start()
        self._children.append(_Child(record.run_id, process))
        logger.info("run=%s given to process %d", record.run_id, process.pid)

    def _bury_the_dead(self) -> None:
        for child in [child for child in self._children if not child.is_alive]:
            message = DIED.format(reason=child.death)
            self._bury(child, message, {RunState.QUEUED, RunState.RUNNING})

    def _bury(self, child: _Child, message: str, expected: Collection[RunState]) -> None:
        record = self._store.get(child.run_id)
        if record is not None and record.pid in (None, child.process.pid):
            end_abandoned_run(self._store, child.run_id, message, expected=expected)
        self._children.remove(child)
        child.process.close()

    def _kill_the_overdue(self) -> None:
        now = time.monotonic()
        for child in self._children:
            if child.should_end_since_s is None and self._should_end(child.run_id):
                child.should_end_since_s = now
            elif now - (child.should_end_since_s or now) > END_GRACE_S:
                child.process.kill()

    def _should_end(self, run_id: str) -> bool:
        record = self._store.get(run_id)
        return record is None or record.state.is_final or self._store.cancel_requested(run_id)

    def _fail_the_lost(self) -> None:
        if time.monotonic() - self._lost_check_s < LOST_CHECK_S:
            return
        self._lost_check_s = time.monotonic()
        own = {child.run_id for child in self._children}
        for record in self._store.unfinished():
            if record.run_id not in own and _is_lost(record):
                end_abandoned_run(self._store, record.run_id, LOST, expected={RunState.RUNNING})

    def _stop_children(self) -> None:
        for child in self._children:
            child.process.terminate()
        deadline_s = time.monotonic() + STOP_GRACE_S
        while any(child.is_alive for child in self._children) and time.monotonic() < deadline_s:
            self._wait(POLL_S)
        for child in self._children:
            child.process.kill()
            child.process.join()
        for child in list(self._children):
            # a run that no process began yet stays queued, and goes on after the next start
            self._bury(child, STUDIO_STOPPED, {RunState.RUNNING})

    def _wait(self, timeout_s: float, *descriptors: int) -> None:
        sentinels = [child.process.sentinel for child in self._children if child.is_alive]
        connection.wait([*sentinels, *descriptors], timeout_s)


def _is_lost(record: RunRecord) -> bool:
    return time.time() - (record.heartbeat_s or record.created_s) > LOST_AFTER_S

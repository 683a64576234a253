"""Child processes that work the queue, one run each."""

from __future__ import annotations

import logging
import multiprocessing
import os
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, forkserver
from multiprocessing.context import ForkServerProcess
from typing import Protocol

from melm_studio.worker.config.messages import DIED, STUDIO_STOPPED
from melm_studio.worker.config.settings import Settings
from melm_studio.worker.pool.child import work
from melm_studio.worker.records.limits import DiskFullError
from melm_studio.worker.records.run import AT_WORK, RunRecord, RunState
from melm_studio.worker.store.end_run import end_abandoned_run
from melm_studio.worker.store.eviction import sweep
from melm_studio.worker.store.lost_runs import LostRuns
from melm_studio.worker.store.open_store import store_module
from melm_studio.worker.store.protocol import RunStore, StoreUnavailableError

POLL_S = 0.05
END_GRACE_S = 2.0
STOP_GRACE_S = 1.0
BEAT_S = 1.0
SWEEP_S = 600.0
STORE_RETRY_S = 1.0
# A paused run keeps a process, but no core: so many of them a worker.
MOST_PAUSED = 4

logger = logging.getLogger(__name__)


class StopOrder(Protocol):
    """Tells when to stop."""

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable when `is_given` may have changed."""

    def is_given(self) -> bool:
        """Return whether to stop."""


class RunSource(Protocol):
    """Gives runs to work."""

    def take(self) -> RunRecord | None:
        """Return a run to start now, or None."""

    def note(self, working: Collection[str]) -> None:
        """Hear which runs take a worker at present."""


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
    settings : Settings
        Name the same store to the children. At most `workers` runs work at the same time; those
        that are paused do not count.
    source : RunSource
        Where runs come from, by default the queue of the store.
    """

    def __init__(
        self, store: RunStore, settings: Settings, source: RunSource | None = None
    ) -> None:
        self._store = store
        self._settings = settings
        self._workers = settings.workers
        self._source = source or _Queue(store)
        self._lost = LostRuns(store, others_work=bool(settings.store))
        self._children: list[_Child] = []
        self._beaten_s = self._swept_s = float("-inf")
        self._context = multiprocessing.get_context("forkserver")

    def serve(self, order: StopOrder) -> None:
        """Work the queue until the order to stop; leave no child behind."""
        self._start_forkserver()
        self._release_unstarted()
        try:
            while not order.is_given():
                self._wait(self._tend(), order.fileno())
        finally:
            self._stop_children()

    def _tend(self) -> float:
        """Do what is due; return after how many seconds to look again."""
        try:
            self._bury_the_dead()
            self._kill_the_overdue()
            self._do_what_recurs()
            self._start_children()
            self._source.note([child.run_id for child in self._children if self._works(child)])
        except (DiskFullError, StoreUnavailableError):
            logger.exception("waits for the store")
            return STORE_RETRY_S
        return POLL_S

    def _do_what_recurs(self) -> None:
        now = time.monotonic()
        if now - self._beaten_s >= BEAT_S:
            self._beaten_s = now
            self._store.beat_supervisor(time.time())
            self._lost.end(but=[child.run_id for child in self._children])
        if now - self._swept_s >= SWEEP_S:
            self._swept_s = now
            sweep(self._store, time.time())

    def _start_forkserver(self) -> None:
        # One thread from the import on: a fork of a process that has threads may deadlock.
        os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
        self._context.set_forkserver_preload([work.__module__, store_module(self._settings)])
        forkserver.ensure_running()

    def _release_unstarted(self) -> None:
        """Queue again what an earlier supervisor claimed and had no time to start."""
        for record in reversed(self._store.unfinished()):
            self._store.release(record.run_id)

    def _start_children(self) -> None:
        while self._has_room():
            record = self._source.take()
            if record is None:
                return
            self._start_child(record)

    def _has_room(self) -> bool:
        n_working = sum(self._works(child) for child in self._children)
        n_paused = len(self._children) - n_working
        return n_working < self._workers and n_paused < MOST_PAUSED * self._workers

    def _works(self, child: _Child) -> bool:
        record = self._store.get(child.run_id)
        return record is None or record.state is not RunState.PAUSED

    def _start_child(self, record: RunRecord) -> None:
        process = self._context.Process(
            target=work, args=(self._settings, record.run_id), daemon=True
        )
        process.start()
        self._children.append(_Child(record.run_id, process))
        logger.info("given to process %d", process.pid, extra={"run": record.run_id})

    def _bury_the_dead(self) -> None:
        for child in [child for child in self._children if not child.is_alive]:
            message = DIED.format(reason=child.death)
            self._bury(child, message, {RunState.QUEUED, *AT_WORK})

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
            with suppress(DiskFullError, StoreUnavailableError):  # found lost by the next one
                self._bury(child, STUDIO_STOPPED, AT_WORK)

    def _wait(self, timeout_s: float, *descriptors: int) -> None:
        sentinels = [child.process.sentinel for child in self._children if child.is_alive]
        connection.wait([*sentinels, *descriptors], timeout_s)


class _Queue:
    """The queue of a store, whose only worker is this pool."""

    def __init__(self, store: RunStore) -> None:
        self.take = store.claim

    def note(self, working: Collection[str]) -> None:
        """Nobody waits for a run."""

"""A pool of child processes that execute queued runs, one run each."""

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
from melm_studio.worker.pool.child import execute
from melm_studio.worker.pool.process_state import is_stopped
from melm_studio.worker.records.limits import DiskFullError
from melm_studio.worker.records.run import AT_WORK, RunRecord, RunState
from melm_studio.worker.store.dead_runs import DeadRuns
from melm_studio.worker.store.end_run import end_run
from melm_studio.worker.store.eviction import Sweeper
from melm_studio.worker.store.open_store import store_module
from melm_studio.worker.store.protocol import RunStore, StoreUnavailableError

POLL_S = 0.05
END_GRACE_S = 2.0
STOP_GRACE_S = 1.0
BEAT_S = 1.0
SWEEP_S = 600.0
STORE_RETRY_S = 1.0
# Deleting a long run, or waiting for another process that writes, takes seconds.
SLOW_AFTER_S = 30.0
# A paused run occupies a process but no core; this many are allowed per worker.
MOST_PAUSED = 4

logger = logging.getLogger(__name__)


class StopSignal(Protocol):
    """Tells the pool to stop."""

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable when `is_set` may have changed."""

    def is_set(self) -> bool:
        """Return whether to stop."""


class RunSource(Protocol):
    """Where the pool gets its runs."""

    def claim(self) -> RunRecord | None:
        """Return a run to start now, or None."""

    def free_except(self, working: Collection[str]) -> None:
        """Free the slots of all runs but those that use a worker at present."""


@dataclass
class _Child:
    run_id: str
    process: ForkServerProcess
    overdue_since_s: float | None = None
    is_stopped: bool = False

    @property
    def is_alive(self) -> bool:
        return self.process.exitcode is None

    @property
    def cause_of_exit(self) -> str:
        code = self.process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"


class WorkerPool:
    """Executes queued runs in at most `settings.workers` processes.

    Parameters
    ----------
    store : RunStore
    settings : Settings
        Tell the children which store to open. At most `workers` runs are executed at a time;
        paused ones do not count.
    source : RunSource
        Where runs come from, by default the queue of the store.
    """

    def __init__(
        self, store: RunStore, settings: Settings, source: RunSource | None = None
    ) -> None:
        self._store = store
        self._settings = settings
        self._source = source or _StoreQueue(store)
        self._dead_runs = DeadRuns(store, has_other_workers=bool(settings.store))
        self._sweeper = Sweeper(store)
        self._children: list[_Child] = []
        self._beat_s = self._swept_s = float("-inf")
        self._ticked_s = float("inf")  # as long as it starts
        self._context = multiprocessing.get_context("forkserver")

    @property
    def is_responsive(self) -> bool:
        """Whether it has looked at its runs lately."""
        return time.monotonic() - self._ticked_s < SLOW_AFTER_S

    def serve(self, stop: StopSignal) -> None:
        """Execute queued runs until the stop signal; leave no child behind."""
        self._start_forkserver()
        self._release_unstarted()
        try:
            while not stop.is_set():
                self._wait(self._tick(), stop.fileno())
        finally:
            self._stop_children()

    def _tick(self) -> float:
        """Do what is due; return the number of seconds until the next tick."""
        self._ticked_s = time.monotonic()
        try:
            self._reap_exited()
            self._kill_overdue()
            self._run_periodic_tasks()
            self._start_children()
            self._source.free_except([c.run_id for c in self._children if self._is_working(c)])
        except (DiskFullError, StoreUnavailableError):
            logger.exception("waiting for the store")
            return STORE_RETRY_S
        return POLL_S

    def _run_periodic_tasks(self) -> None:
        now = time.monotonic()
        if now - self._beat_s >= BEAT_S:
            self._beat_s = now
            self._store.beat_supervisor(time.time())
            self._end_stopped()
            self._dead_runs.end(except_for=[child.run_id for child in self._children])
        if now - self._swept_s >= SWEEP_S:
            self._swept_s = now
            self._sweeper.sweep()

    def _start_forkserver(self) -> None:
        # One thread from the import on: a fork of a process with threads may deadlock.
        os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
        self._context.set_forkserver_preload([execute.__module__, store_module(self._settings)])
        forkserver.ensure_running()

    def _release_unstarted(self) -> None:
        """Queue again the runs that an earlier supervisor claimed but did not start."""
        for record in reversed(self._store.unfinished()):
            self._store.release(record.run_id)

    def _start_children(self) -> None:
        while self._has_room():
            record = self._source.claim()
            if record is None:
                return
            self._start_child(record)

    def _has_room(self) -> bool:
        workers = self._settings.workers
        n_working = sum(self._is_working(child) for child in self._children)
        n_paused = len(self._children) - n_working
        return n_working < workers and n_paused < MOST_PAUSED * workers

    def _is_working(self, child: _Child) -> bool:
        record = self._store.get(child.run_id)
        return record is None or record.state is not RunState.PAUSED

    def _start_child(self, record: RunRecord) -> None:
        process = self._context.Process(
            target=execute, args=(self._settings, record.run_id), daemon=True
        )
        process.start()
        self._children.append(_Child(record.run_id, process))
        logger.info("assigned to process %d", process.pid, extra={"run": record.run_id})

    def _reap_exited(self) -> None:
        for child in [child for child in self._children if not child.is_alive]:
            message = DIED.format(reason=child.cause_of_exit)
            self._reap(child, message, {RunState.QUEUED, *AT_WORK})

    def _reap(self, child: _Child, message: str, expected: Collection[RunState]) -> None:
        record = self._store.get(child.run_id)
        if record is not None and record.pid in (None, child.process.pid):
            end_run(self._store, child.run_id, message, expected=expected)
        self._children.remove(child)
        child.process.close()

    def _end_stopped(self) -> None:
        """Kill children that a signal has stopped; beat for the others.

        A long computation may keep a child from its own heartbeat.
        """
        for child in self._children:
            was_stopped, child.is_stopped = child.is_stopped, is_stopped(child.process.pid)
            if child.is_stopped and was_stopped:
                logger.warning("is stopped, killing it", extra={"run": child.run_id})
                child.process.kill()
            elif not child.is_stopped and child.is_alive:
                self._store.beat(child.run_id, time.time())

    def _kill_overdue(self) -> None:
        now = time.monotonic()
        for child in self._children:
            if child.overdue_since_s is None and self._should_end(child.run_id):
                child.overdue_since_s = now
            elif now - (child.overdue_since_s or now) > END_GRACE_S:
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
            # A run that was not started yet stays queued, and is executed after the next start.
            # Where the store cannot be reached, the next supervisor ends the run as dead.
            with suppress(DiskFullError, StoreUnavailableError):
                self._reap(child, STUDIO_STOPPED, AT_WORK)

    def _wait(self, timeout_s: float, *descriptors: int) -> None:
        sentinels = [child.process.sentinel for child in self._children if child.is_alive]
        connection.wait([*sentinels, *descriptors], timeout_s)


class _StoreQueue:
    """The queue of a store, which has no slots to free."""

    def __init__(self, store: RunStore) -> None:
        self.claim = store.claim

    def free_except(self, working: Collection[str]) -> None:
        """Do nothing."""

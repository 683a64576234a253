"""A pool of child processes that execute queued runs, one run each."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Collection, Generator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import Pipe, connection
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, cast

from melm_studio.configuration.limits import DiskFullError
from melm_studio.configuration.memory import BYTES_PER_MB
from melm_studio.configuration.messages import (
    DIED,
    LOST,
    MEMORY_SHORT,
    OVERTIME,
    STUDIO_STOPPED,
)
from melm_studio.configuration.settings import Settings
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.runs.store.attempts import DeadRuns, end_attempt
from melm_studio.runs.store.open_store import open_store, store_module
from melm_studio.runs.store.protocol import RunStore, Sign, StoreUnavailableError
from melm_studio.runs.store.quota import Sweeper
from melm_studio.tables import count
from melm_studio.workers.background_threads import (
    has_stopped_child,
    stopped_ones_killed,
    tables_kept,
)
from melm_studio.workers.execute import execute_in_child
from melm_studio.workers.scheduling import (
    BACKGROUND_NICENESS,
    LANE_S,
    NICENESS,
    Turn,
    has_process_for,
    may_enter_lane,
    memory_of,
    places_beside_lane,
    places_in_lane,
    who_frees_memory,
    who_gives_way,
    who_leaves_for_another,
)

# Where processes do not fork, each imports everything anew.
START_METHOD = "spawn" if sys.platform == "win32" else "forkserver"
POLL_S = 0.05
END_GRACE_S = 2.0
STOP_GRACE_S = 1.0
BEAT_S = 1.0
SWEEP_S = 600.0
STORE_RETRY_S = 1.0
# Deleting a long run, or waiting for another process that writes, takes seconds.
SLOW_AFTER_S = 30.0
# The exit code of a process that may still work, but whose parent, which would know, is gone.
FORKSERVER_DIED = 255
SECONDS_PER_HOUR = 3_600.0

logger = logging.getLogger(__name__)


class StopSignal(Protocol):
    """Tells the pool to stop."""

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable when `is_set` may have changed."""

    def is_set(self) -> bool:
        """Return whether to stop."""


class RunSource(Protocol):
    """Source of the runs of the pool."""

    def claim(self) -> RunRecord | None:
        """Return a run to start now, or None."""

    def free_except(self, working: Collection[str]) -> None:
        """Free the slots of all runs but those that use a worker at present."""


@dataclass
class _Child:
    run_id: str
    owner: str
    attempt: int
    process: BaseProcess
    pid: int
    started_s: float
    began_s: float  # its turn, or its time in the lane
    is_in_lane: bool = False
    gave_way_s: float | None = None  # when it was asked to
    overdue_since_s: float | None = None

    @property
    def is_alive(self) -> bool:
        return self.process.exitcode is None

    @property
    def cause_of_exit(self) -> str:
        code = self.process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"


class WorkerPool:
    """Executes queued runs in `settings.workers` processes, and in the lane beside them.

    Parameters
    ----------
    store : RunStore
    settings : Settings
        Tell the children which store to open. At most `workers` runs are executed at a time;
        paused ones do not count. As many again have a place in the lane, for which others give way.
    source : RunSource
        Where runs that nobody looks at come from, by default the queue of the store.
    """

    def __init__(
        self, store: RunStore, settings: Settings, source: RunSource | None = None
    ) -> None:
        self._store = store
        self._settings = settings
        self._source = source or _StoreQueue(store)
        self._dead_runs = DeadRuns(store, has_other_workers=bool(settings.store))
        self._sweeper = Sweeper(store)
        self._gave_turn = True
        self._runs_bytes = 0
        self._seen: dict[str, RunRecord | None] = {}  # as of this tick
        self._children: list[_Child] = []
        self._beat_s = self._swept_s = float("-inf")
        self._ticked_s = float("inf")  # as long as it starts
        self._context: Any = multiprocessing.get_context(START_METHOD)

    @property
    def is_responsive(self) -> bool:
        """True if it polled its runs lately, and the process that forks others works."""
        return time.monotonic() - self._ticked_s < SLOW_AFTER_S and not has_stopped_child()

    def serve(self, stop: StopSignal) -> None:
        """Execute queued runs until the stop signal; leave no child behind."""
        self._prepare_starts()
        with stopped_ones_killed(self._pids):
            self._take_over()
            try:
                while not stop.is_set():
                    self._wait(self._tick(), stop)
            finally:
                self._stop_children()

    def _pids(self) -> list[int]:
        return [child.pid for child in tuple(self._children)]

    def _tick(self) -> float:
        """Do what is due; return the number of seconds until the next tick."""
        self._ticked_s = time.monotonic()
        try:
            self._reap_exited()
            self._kill_overdue()
            self._run_periodic_tasks()
            self._seen = {child.run_id: self._store.get(child.run_id) for child in self._children}
            self._leave_lane()
            self._start_looked_at()
            self._make_way()
            self._source.free_except([c.run_id for c in self._children if self._is_working(c)])
            self._start_children()
        except (DiskFullError, StoreUnavailableError):
            logger.exception("waiting for the store")
            return STORE_RETRY_S
        return POLL_S

    def _run_periodic_tasks(self) -> None:
        now = time.monotonic()
        if now - self._beat_s >= BEAT_S:
            self._beat_s = now
            self._store.mark(Sign.SUPERVISOR, time.time())
            self._beat_for_children()
            self._share_workers()
            self._free_memory()
            self._dead_runs.end(except_for=[child.run_id for child in self._children])
        if now - self._swept_s >= SWEEP_S:
            self._swept_s = now
            self._sweeper.sweep()

    def _prepare_starts(self) -> None:
        # One thread from the import on: a fork of a process with threads may deadlock.
        os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
        if START_METHOD == "forkserver":
            self._context.set_forkserver_preload(
                [execute_in_child.__module__, store_module(self._settings)]
            )
            import_module("multiprocessing.forkserver").ensure_running()

    def _take_over(self) -> None:
        """Queue again the runs that an earlier supervisor claimed, and in a folder those it lost.

        A shared store has other workers, which execute runs.
        """
        for record in reversed(self._store.unfinished()):
            if record.state is RunState.QUEUED:
                self._store.release(record.run_id)
            elif not self._settings.store:
                end_attempt(self._store, record, LOST)

    def _start_children(self) -> None:
        while self._has_room() and self._start_next():
            pass

    def _leave_lane(self) -> None:
        """Let runs that had their seconds go on as any other, by turns."""
        now = time.monotonic()
        for child in self._in_lane():
            if now - child.began_s >= LANE_S or not _computes(self._seen.get(child.run_id)):
                self._take_out_of_lane(child)

    def _take_out_of_lane(self, child: _Child) -> None:
        child.is_in_lane = False
        child.began_s = time.monotonic()
        _set_niceness(child.pid, BACKGROUND_NICENESS)
        computing = self._computing()
        if child in computing and len(computing) > self._n_places():
            self._ask_to_give_way(child)

    def _start_looked_at(self) -> None:
        """Start runs in the lane, at once; where it is full, others leave it for them."""
        while self._store.n_looked_at() and self._memory_is_left():
            leaving = None
            if len(self._in_lane()) >= places_in_lane(self._settings.workers):
                leaving = who_leaves_for_another(self._in_lane(), time.monotonic())
                if leaving is None:
                    return
            record = self._store.claim_looked_at(self._lane_admits)
            if record is None:
                return
            if leaving is not None:
                self._take_out_of_lane(leaving)
            self._start_child(record, in_lane=True)

    def _lane_admits(self, record: RunRecord) -> bool:
        owners = [child.owner for child in self._children]
        address = self._store.address_of(record.owner)
        n_of_address = sum(self._store.address_of(owner) == address for owner in owners)
        workers = self._settings.workers
        return may_enter_lane(n_of_address, len(owners), workers, is_search=record.is_search)

    def _memory_is_left(self) -> bool:
        """Return whether memory allows more processes than workers."""
        is_large = self._runs_bytes > self._settings.max_runs_mb * BYTES_PER_MB / 2
        return not is_large or len(self._children) < self._settings.workers

    def _make_way(self) -> None:
        """Ask runs to give way to those in the lane, the longest turn first."""
        if not self._in_lane():
            return
        turns = sorted(self._computing(), key=lambda child: child.began_s)
        for child in turns[: max(len(turns) - self._n_places(), 0)]:
            self._ask_to_give_way(child)

    def _ask_to_give_way(self, child: _Child) -> None:
        child.gave_way_s = time.monotonic()
        self._store.update_request(child.run_id, lambda request: request.giving_way(True))

    def _in_lane(self) -> list[_Child]:
        return [child for child in self._children if child.is_in_lane]

    def _computing(self) -> list[_Child]:
        """Return the processes beside the lane that were not asked to give way."""
        return [
            child
            for child in self._children
            if not child.is_in_lane
            and child.gave_way_s is None
            and _computes(self._seen.get(child.run_id))
        ]

    def _n_places(self) -> int:
        return places_beside_lane(self._settings.workers, len(self._in_lane()))

    def _has_room(self) -> bool:
        beside = [child for child in self._children if not child.is_in_lane]
        return sum(self._is_working(child) for child in beside) < self._n_places()

    def _start_next(self) -> bool:
        """Start a run, or let one go on that gave way, each after the other; return false if none.

        Neither keeps the other waiting, however many there are.
        """
        sources = [self._start_from_queue, self._give_turn]
        for source in sources if self._gave_turn else reversed(sources):
            if source():
                self._gave_turn = source == self._give_turn
                return True
        return False

    def _start_from_queue(self) -> bool:
        record = self._source.claim() if self._has_process() else None
        if record is not None:
            self._start_child(record)
        return record is not None

    def _has_process(self) -> bool:
        """Return whether an address lacks its share of processes, where most of them wait."""
        workers = self._settings.workers
        if len(self._children) < workers:
            return True
        addresses = map(self._store.address_of, (child.owner for child in self._children))
        queued = [run for run in self._store.unfinished() if _waits_for_turn(run)]
        waiting = {self._store.address_of(run.owner) for run in queued}
        return has_process_for(waiting, Counter(addresses), workers)

    def _is_working(self, child: _Child) -> bool:
        record = self._seen.get(child.run_id)
        if record is None or child.gave_way_s is None:
            return _computes(record)
        # Until it has come to a point where it can wait, it computes.
        return record.gave_way_s is None and record.state is not RunState.PAUSED

    def _start_child(self, record: RunRecord, *, in_lane: bool = False) -> None:
        # What does not begin for some seconds is queued again, and may come back here.
        if any(_is_attempt(child, record) for child in self._children):
            return
        process = self._context.Process(
            target=execute_in_child, args=(self._settings, record.run_id), daemon=True
        )
        process.start()
        now = time.monotonic()
        pid = cast(int, process.pid)  # it was started
        child = _Child(record.run_id, record.owner, record.attempt, process, pid, now, now)
        child.is_in_lane = in_lane
        _set_niceness(pid, NICENESS if in_lane else BACKGROUND_NICENESS)
        self._children.append(child)
        logger.info("assigned to process %d", pid, extra={"run": record.run_id})

    def _reap_exited(self) -> None:
        for child in [child for child in self._children if not child.is_alive]:
            if child.process.exitcode == FORKSERVER_DIED and sys.platform != "win32":
                with suppress(ProcessLookupError):
                    os.kill(child.pid, signal.SIGKILL)
            self._reap(child, DIED.format(reason=child.cause_of_exit))

    def _reap(self, child: _Child, cause: str, *, is_loss: bool = True) -> None:
        record = self._store.get(child.run_id)
        is_own = record is not None and record.pid in (None, child.pid)
        if record is not None and is_own and record.attempt == child.attempt:
            end_attempt(self._store, record, cause, is_loss=is_loss)
        self._children.remove(child)
        child.process.close()

    def _beat_for_children(self) -> None:
        """Send heartbeats for children, whose long computations may delay their own."""
        for child in self._children:
            if child.is_alive:
                self._store.beat(child.run_id, time.time())

    def _share_workers(self) -> None:
        """End the longest turn where others wait, and runs that take too long."""
        unfinished = {run.run_id: run for run in self._store.unfinished()}
        waiting = [run.owner for run in unfinished.values() if _waits_for_turn(run)]
        waiting += [child.owner for child in self._children if child.gave_way_s is not None]
        computing = self._computing()
        turns = [Turn(child.run_id, child.owner, child.began_s) for child in computing]
        turn = who_gives_way(turns, waiting, time.monotonic())
        if len(turns) >= self._n_places() and turn is not None:
            self._ask_to_give_way(computing[turns.index(turn)])
        self._end_overtime(unfinished)

    def _give_turn(self) -> bool:
        """Let a run that gave way go on: the oldest of the address with the fewest at work."""
        waiting = [child for child in self._children if child.gave_way_s is not None]
        if not waiting:
            return False
        at_work = Counter(
            self._store.address_of(child.owner)
            for child in self._children
            if child.gave_way_s is None
        )
        child = min(
            waiting,
            key=lambda child: (
                at_work[self._store.address_of(child.owner)],
                child.gave_way_s or 0.0,
            ),
        )
        child.gave_way_s, child.began_s = None, time.monotonic()
        self._store.update_request(child.run_id, lambda request: request.giving_way(False))
        return True

    def _end_overtime(self, unfinished: Mapping[str, RunRecord]) -> None:
        hours = self._store.limits.run_hours
        for child in self._children:
            is_overtime = time.monotonic() - child.started_s > hours * SECONDS_PER_HOUR
            if is_overtime and child.run_id in unfinished:
                reason = OVERTIME.format(hours=count(hours, "hour"))
                self._end_at_work(child.run_id, reason)

    def _free_memory(self) -> None:
        if any(child.overdue_since_s is not None for child in self._children):
            return  # a run that is ending frees memory, so that no other may have to
        children = {child.run_id: child for child in self._children}
        bytes_of = {run_id: memory_of(child.pid) for run_id, child in children.items()}
        self._runs_bytes = sum(bytes_of.values())
        idle = [run_id for run_id, child in children.items() if not self._is_working(child)]
        most_mb = self._settings.max_runs_mb
        run_id = who_frees_memory(bytes_of, idle, most_mb * BYTES_PER_MB)
        if run_id is not None:
            logger.warning("all runs take too much memory, ending it", extra={"run": run_id})
            self._end_at_work(run_id, MEMORY_SHORT.format(megabytes=f"{most_mb:,}"))

    def _end_at_work(self, run_id: str, reason: str) -> None:
        self._store.update_request(run_id, lambda request: request.cancelled(reason))

    def _kill_overdue(self) -> None:
        now = time.monotonic()
        for child in self._children:
            if child.overdue_since_s is None and self._should_end(child.run_id):
                child.overdue_since_s = now
            elif now - (child.overdue_since_s or now) > END_GRACE_S:
                child.process.kill()

    def _should_end(self, run_id: str) -> bool:
        record = self._store.get(run_id)
        return record is None or record.state.is_final or self._store.request(run_id).is_cancelled

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
            # The run goes on after the next start. Where the store cannot be reached, the next
            # supervisor finds that it is lost.
            with suppress(DiskFullError, StoreUnavailableError):
                self._reap(child, STUDIO_STOPPED, is_loss=False)

    def _wait(self, timeout_s: float, *others: Any) -> None:
        sentinels = [child.process.sentinel for child in self._children if child.is_alive]
        connection.wait([*sentinels, *others], timeout_s)


def _computes(record: RunRecord | None) -> bool:
    return record is None or record.state is not RunState.PAUSED


def _is_attempt(child: _Child, record: RunRecord) -> bool:
    return (child.run_id, child.attempt) == (record.run_id, record.attempt)


def _waits_for_turn(record: RunRecord) -> bool:
    """Return whether it waits for a worker; those that a page shows begin in the lane."""
    return record.state is RunState.QUEUED and not record.is_looked_at


def _set_niceness(pid: int, niceness: int) -> None:
    """Set how far the priority of a process is below that of the pool."""
    if sys.platform == "win32":
        return
    with suppress(ProcessLookupError):  # it has ended
        os.setpriority(os.PRIO_PROCESS, pid, os.nice(0) + niceness)


class _StoreQueue:
    """The queue of a store, which has no slots to free."""

    def __init__(self, store: RunStore) -> None:
        self.claim = store.claim

    def free_except(self, working: Collection[str]) -> None:
        """Do nothing."""


class _Stop:
    """The stop signal of a thread."""

    def __init__(self) -> None:
        self._reader, self._writer = Pipe(duplex=False)

    def fileno(self) -> int:
        """Return what becomes readable once it is set."""
        return self._reader.fileno()

    def is_set(self) -> bool:
        """Return whether to stop."""
        return self._reader.poll()

    def set(self) -> None:
        """Stop the pool."""
        self._writer.send_bytes(b"stop")

    def close(self) -> None:
        """Close both ends."""
        self._reader.close()
        self._writer.close()


@contextmanager
def pool_in_this_process(settings: Settings) -> Generator[None]:
    """Work the queue in child processes for the block."""
    with closing(_Stop()) as stop:
        thread = threading.Thread(target=_serve, args=(settings, stop), name="worker pool")
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def _serve(settings: Settings, stop: _Stop) -> None:
    with closing(open_store(settings)) as store, tables_kept(settings):
        WorkerPool(store, settings).serve(stop)

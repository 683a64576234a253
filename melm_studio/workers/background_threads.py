"""Threads beside a run or the pool: its heartbeat, the end of stopped processes, the tables."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from melm_studio.configuration.clock import Clock
from melm_studio.configuration.limits import DiskFullError
from melm_studio.configuration.settings import Settings
from melm_studio.installation import APPLICATION_FOLDER
from melm_studio.runs.store.protocol import RunStore, StoreUnavailableError
from melm_studio.workers.supervisor import process_status

BEAT_S = 1.0
POLL_S = 0.5
RESTART_DELAY_S = 5.0
# Of proc_pid_stat(5): stopped by a signal, or by a debugger.
_STOPPED = {"T", "t"}

logger = logging.getLogger(__name__)


@contextmanager
def _working_beside(work: Callable[[threading.Event], None], *, name: str) -> Generator[None]:
    """Let a thread work during the block; it returns once the event that it gets is set."""
    finished = threading.Event()
    thread = threading.Thread(target=work, args=(finished,), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


@contextmanager
def heartbeat(
    store: RunStore, run_id: str, *, clock: Clock = time, period_s: float = BEAT_S
) -> Generator[None]:
    """Send heartbeats of the run every `period_s` seconds from a thread during the block."""

    def beat(finished: threading.Event) -> None:
        try:
            while not finished.wait(period_s):
                with suppress(DiskFullError, StoreUnavailableError):  # the next beat may succeed
                    store.beat(run_id, clock.time())
        finally:
            store.close()

    with _working_beside(beat, name=f"heartbeat {run_id}"):
        yield


@contextmanager
def stopped_ones_killed(pids: Callable[[], Collection[int]]) -> Generator[None]:
    """Kill those of the processes that are found stopped twice in a row, during the block.

    It never touches the store, whose lock a stopped process may hold.
    """

    def watch(finished: threading.Event) -> None:
        suspects: set[int] = set()
        while not finished.wait(POLL_S):
            stopped = {pid for pid in pids() if is_stopped(pid)}
            for pid in stopped & suspects:
                logger.warning("process %d is stopped, killing it", pid)
                if sys.platform != "win32":  # which stops none
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            suspects = stopped

    with _working_beside(watch, name="stopped children"):
        yield


def has_stopped_child() -> bool:
    """Return whether a process that this one started is stopped; False where nobody says."""
    lists = Path("/proc/self/task").glob("*/children")
    with suppress(OSError):  # a thread that ended meanwhile
        return any(is_stopped(int(pid)) for each in lists for pid in each.read_text().split())
    return False


def is_stopped(pid: int) -> bool:
    """Return whether a process is stopped; where the system does not say, that it is not."""
    return process_status(pid)[0] in _STOPPED


@contextmanager
def tables_kept(settings: Settings) -> Generator[None]:
    """Read the registered tables in another process during the block, if there are any."""
    if not settings.tables:
        yield
        return
    with _working_beside(partial(_keep, settings), name="registered tables"):
        yield


def _keep(settings: Settings, stopping: threading.Event) -> None:
    while not stopping.is_set():
        process = subprocess.Popen(
            [sys.executable, "-m", "melm_studio.operator_tables.keeper"],
            cwd=APPLICATION_FOLDER,
            env={**os.environ, **settings.as_environment()},
            stdin=subprocess.PIPE,  # it ends with this process
            stdout=subprocess.DEVNULL,  # which may be read as the heartbeats of this process
        )
        while process.poll() is None and not stopping.wait(0.2):
            pass
        process.kill()
        code = process.wait()
        if stopping.wait(RESTART_DELAY_S):
            return
        logger.warning("the reader of tables exited with %d, restarting it", code)

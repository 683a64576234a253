"""Supervisors in their own processes, and runs that they execute."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from melm_studio.configuration.messages import STOPPED
from melm_studio.configuration.settings import Settings
from melm_studio.runs.records.run import AT_WORK, RunRecord, RunRequest, RunState
from melm_studio.runs.store.protocol import RunStore
from melm_studio.workers.supervisor import SupervisorHandle, start_supervisor
from tests.melm_studio.runs.helpers import (
    DEADLINE_S,
    assert_same_plane,
    blobs,
    queue_run,
    wait_until,
)

PROJECT_ROOT = Path(__file__).parents[3]
DATA = blobs(300)
ENDLESS = {"n_init": 5_000}
REPORTED_WITHIN_S = 5.0
# A process that starts a supervisor and lives until it is killed.
_PARENT = """
import os
import sys
from pathlib import Path
from melm_studio.configuration.settings import Settings
from melm_studio.workers.supervisor import start_supervisor
handle = start_supervisor(
    Settings(data_dir=Path(sys.argv[1]), workers=1, store=os.environ.get("MELM_STORE", ""))
)
print(handle.pid, flush=True)
sys.stdin.read()
"""


def supervising(folder: Path, **settings: Any) -> SupervisorHandle:
    return start_supervisor(Settings(data_dir=folder, **settings))


@contextmanager
def supervised(folder: Path, **settings: Any) -> Iterator[SupervisorHandle]:
    """A supervisor for the block."""
    handle = supervising(folder, **settings)
    try:
        yield handle
    finally:
        handle.stop()


@contextmanager
def left_idle(store: RunStore) -> Iterator[RunStore]:
    """A store whose supervisor is shared by several tests; each leaves it idle."""
    yield store
    for record in store.unfinished():
        store.cancel(record.run_id)
    wait_until(lambda: not store.unfinished())
    store.close()


# Between imports, which take longer than any race, and what each rival does.
_FORKS = """
for _ in range({n_rivals} - 1):
    if os.fork() == 0:
        break
"""
# A line is written at once, since the rivals share one output.
_LET_GO = """
os.write(1, b"ready\\n")
os.read(0, 1)
"""
_SAY = """
os.write(1, f"{os.getpid()} {answer}\\n".encode())
"""


def raced(imports: str, prepare: str, race: str, *arguments: str, n_rivals: int) -> dict[int, str]:
    """Answers by process id of processes that say that they are ready and are let go at once.

    `race` sets its `answer`.
    """
    program = imports + _FORKS.format(n_rivals=n_rivals) + prepare + _LET_GO + race + _SAY
    command = [sys.executable, "-c", program, *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    rivals = subprocess.Popen(command, cwd=PROJECT_ROOT, **pipes)
    for _ in range(n_rivals):
        assert rivals.stdout.readline() == "ready\n"
    answers, _ = rivals.communicate("!" * n_rivals, timeout=DEADLINE_S)
    return {int(pid): said for pid, said in (line.split(" ", 1) for line in answers.splitlines())}


def working(store: RunStore, **parameters: Any) -> RunRecord:
    """An endless run that has stored planes."""
    record = queue_run(store, DATA, **ENDLESS | parameters)
    wait_until(lambda: store.n_events(record.run_id) > 3)
    return store.get(record.run_id)


def paused(store: RunStore) -> RunRecord:
    """A run that is paused after some planes."""
    record = working(store)
    store.update_request(record.run_id, RunRequest.paused)
    wait_until(lambda: store.get(record.run_id).state is RunState.PAUSED)
    return record


def freeze(pid: int, folder: Path) -> None:
    """Stop the process while it does not hold the lock of the store, which would block the test."""
    database = sqlite3.connect(folder / "store" / "cache.db", timeout=0, isolation_level=None)

    def frozen_without_lock():
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: psutil.Process(pid).status() == psutil.STATUS_STOPPED)
        try:
            database.execute("BEGIN IMMEDIATE").execute("ROLLBACK")
        except sqlite3.OperationalError:
            os.kill(pid, signal.SIGCONT)
            return False
        return True

    with closing(database):
        wait_until(frozen_without_lock)


def ended(store: RunStore, run_id: str, **deadline: float) -> RunRecord:
    return wait_until(lambda: (record := store.get(run_id)).state.is_final and record, **deadline)


def family(pid: int) -> list[psutil.Process]:
    """The supervisor and all that descends from it."""
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def assert_gone(processes: Iterable[psutil.Process]) -> None:
    wait_until(lambda: not any(alive(process) for process in processes))


def alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:  # it ended between the two
        return False


def assert_best_plane_kept(store: RunStore, run_id: str) -> None:
    *events, final = store.events(run_id)
    best = max(events, key=lambda event: event.objective)
    assert final.is_final
    # The steps of some stages are in single precision.
    assert final.objective == pytest.approx(best.objective, rel=1e-6)
    assert_same_plane(final.components, best.components)


def assert_cancelled(store: RunStore, record: RunRecord) -> None:
    """Assert that the run stops where that is asked for, and keeps its best plane."""
    store.cancel(record.run_id)
    cancelled = ended(store, record.run_id)
    assert (cancelled.state, cancelled.message) == (RunState.CANCELLED, STOPPED)
    assert_best_plane_kept(store, record.run_id)


def assert_goes_on(store: RunStore, before: RunRecord, **deadline: float) -> RunRecord:
    """Assert that the run of a worker that is gone is executed again, from its best plane."""
    best = max(event.objective for event in store.events(before.run_id))
    again = wait_until(lambda: _next_attempt(store, before), **deadline)
    assert again.pid != before.pid
    assert max(event.objective for event in store.events(before.run_id)) >= best
    return again


def _next_attempt(store: RunStore, before: RunRecord) -> RunRecord | None:
    record = store.get(before.run_id)
    assert not record.state.is_final, record.message
    is_executed = record.attempt > before.attempt and record.state in AT_WORK
    return record if is_executed else None


def assert_goes_on_when_killed(store: RunStore, record: RunRecord) -> None:
    """Assert that the run is soon executed again where its process is killed."""
    os.kill(record.pid, signal.SIGKILL)
    again = assert_goes_on(store, record, deadline_s=REPORTED_WITHIN_S)
    assert again.n_losses == 1


def assert_stops_with_its_run(store: RunStore, supervisor: SupervisorHandle) -> None:
    """Assert that a stopped supervisor leaves no process, and puts its run back in the queue."""
    record = working(store)
    processes = family(supervisor.pid)
    assert record.pid in [process.pid for process in processes]
    supervisor.stop()
    assert not any(alive(process) for process in processes)
    assert_waits(store, record)


def assert_stops_with_its_parent(store: RunStore, folder: Path, address: str = "") -> None:
    """Assert that no process outlives the one that started the supervisor of a folder or store."""
    command = [sys.executable, "-c", _PARENT, str(folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    environment = {**os.environ, "MELM_STORE": address}
    with subprocess.Popen(command, cwd=PROJECT_ROOT, env=environment, **pipes) as parent:
        record = working(store)
        processes = family(int(parent.stdout.readline()))
        assert record.pid in [process.pid for process in processes]
        parent.kill()
        assert_gone(processes)
    assert_waits(store, record)


def assert_waits(store: RunStore, record: RunRecord) -> None:
    """Assert that a run that was cut short waits for a worker, which is not its fault."""
    waiting = store.get(record.run_id)
    assert (waiting.state, waiting.n_losses) == (RunState.QUEUED, 0)
    assert_best_plane_kept(store, record.run_id)

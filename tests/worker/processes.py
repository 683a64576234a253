"""Supervisors in processes of their own, and runs that they work."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil

from tests.worker.helpers import assert_same_plane, blobs, queue_run, wait_until
from worker.records import RunRecord, RunState
from worker.settings import Settings
from worker.store import RunStore
from worker.supervisor import SupervisorHandle, start_supervisor

DATA = blobs(300)
ENDLESS = {"n_init": 5_000}


def supervising(folder: Path, **settings: Any) -> SupervisorHandle:
    return start_supervisor(Settings(data_dir=folder, **settings))


def working(store: RunStore, **parameters: Any) -> RunRecord:
    """A run that works without end and has shown planes."""
    record = queue_run(store, DATA, **ENDLESS | parameters)
    wait_until(lambda: store.n_events(record.run_id) > 3)
    return store.get(record.run_id)


def paused(store: RunStore) -> RunRecord:
    """A run that holds still after some planes."""
    record = working(store)
    store.request_pause(record.run_id)
    wait_until(lambda: store.get(record.run_id).state is RunState.PAUSED)
    return record


def freeze(pid: int, folder: Path) -> None:
    """Stop the process while it does not hold the lock of the store, which would stop us too."""
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
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def assert_best_plane_kept(store: RunStore, run_id: str) -> None:
    *events, final = store.events(run_id)
    best = max(events, key=lambda event: event.objective)
    assert final.is_final
    assert final.objective == best.objective
    assert_same_plane(final.components, best.components)

"""A pool whose processes do nothing but what a test needs."""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager

import pytest

from melm_studio.configuration.messages import STOPPED
from melm_studio.configuration.settings import Settings
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.runs.store.open_store import open_store
from melm_studio.workers import pool as pool_module
from melm_studio.workers import scheduling
from melm_studio.workers.pool import WorkerPool
from tests.melm_studio.runs.helpers import created, wait_until
from tests.melm_studio.runs.processes import ended


def deaf(settings, run_id):
    """Begin a run, and then neither compute nor listen."""
    with closing(open_store(settings)) as store:
        store.transition(
            run_id,
            {RunState.QUEUED},
            state=RunState.RUNNING,
            pid=os.getpid(),
            heartbeat_s=time.time(),
        )
    threading.Event().wait()


def stopped_in_a_transaction(settings, run_id):
    """Begin a run the first time, and be stopped while no one else can write to the store."""
    with closing(open_store(settings)) as store:
        record = store.get(run_id)
        store.transition(run_id, {RunState.QUEUED}, state=RunState.RUNNING, pid=os.getpid())
        if record.attempt == 0:
            with closing(sqlite3.connect(settings.data_dir / "store" / "cache.db")) as database:
                database.execute("BEGIN IMMEDIATE")
                os.kill(os.getpid(), signal.SIGSTOP)
        store.transition(run_id, {RunState.RUNNING}, state=RunState.DONE)


def slow_to_begin(settings, run_id):
    """Import for ever."""
    threading.Event().wait()


class Stop:
    """A stop signal that the test gives."""

    def __init__(self):
        self._reader, self._writer = os.pipe()
        self._is_set = False

    def fileno(self):
        return self._reader

    def is_set(self):
        return self._is_set

    def set(self):
        self._is_set = True
        os.write(self._writer, b"stop")


@pytest.fixture(autouse=True)
def deaf_processes(monkeypatch):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setattr(pool_module, "execute_in_child", deaf)
    hurried(monkeypatch)


def hurried(monkeypatch):
    """Let a pool wait for less time than where processes compute, and are slow to end."""
    for module, name in (
        (pool_module, "BEAT_S"),
        (pool_module, "END_GRACE_S"),
        (pool_module, "LANE_S"),
        (scheduling, "CONTESTED_LANE_S"),
        (scheduling, "TURN_S"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name) / 10)


@contextmanager
def serving(folder, workers=1, **limits):
    """A pool in a thread, with a store of its own."""
    settings, stop = Settings(data_dir=folder, workers=workers, **limits), Stop()
    store = DiskRunStore(folder)
    thread = threading.Thread(target=WorkerPool(store, settings).serve, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        store.close()


@pytest.mark.fault
def test_a_process_that_neither_works_nor_listens_is_killed_where_its_run_should_stop(
    disk_store, tmp_path
):
    with serving(tmp_path):
        record = started(disk_store)
        disk_store.cancel(record.run_id)
        stopped = ended(disk_store, record.run_id)
    assert (stopped.state, stopped.message) == (RunState.CANCELLED, STOPPED)


@pytest.mark.fault
def test_a_process_that_is_stopped_with_the_lock_of_the_store_is_killed(
    disk_store, tmp_path, monkeypatch
):
    monkeypatch.setattr(pool_module, "execute_in_child", stopped_in_a_transaction)
    record = created(disk_store)
    with serving(tmp_path):
        # As others must, it waits until the process is gone that holds the lock.
        done = ended(disk_store, record.run_id)
    assert (done.state, done.n_losses) == (RunState.DONE, 1)


@pytest.mark.fault
def test_a_run_that_is_queued_again_before_it_begins_keeps_its_process(
    disk_store, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(pool_module, "execute_in_child", slow_to_begin)
    caplog.set_level(logging.INFO)
    with serving(tmp_path, workers=2):
        record = created(disk_store)
        wait_until(lambda: caplog.records)
        disk_store.release(record.run_id)
        wait_until(lambda: not disk_store.n_queued())
    assert sum("assigned" in one.message for one in caplog.records) == 1


@pytest.mark.fault
def test_a_run_ends_where_all_take_too_much_memory(disk_store, tmp_path, monkeypatch):
    megabytes = {}
    monkeypatch.setattr(pool_module, "memory_of", lambda pid: megabytes.get(pid, 0) * 2**20)
    with serving(tmp_path, workers=2, max_runs_mb=512):
        small, large = started(disk_store), started(disk_store)
        megabytes.update({small.pid: 256, large.pid: 257})
        stopped = ended(disk_store, large.run_id)
        assert disk_store.get(small.run_id).state is RunState.RUNNING
    assert "512 MB" in stopped.message


@pytest.mark.slow
def test_one_run_ends_at_a_time_to_free_memory(disk_store, tmp_path, monkeypatch):
    megabytes = {}
    monkeypatch.setattr(pool_module, "memory_of", lambda pid: megabytes.get(pid, 0) * 2**20)
    with serving(tmp_path, workers=3, max_runs_mb=512):
        small, medium, large = (started(disk_store) for _ in range(3))
        megabytes.update({small.pid: 100, medium.pid: 200, large.pid: 300})
        wait_until(lambda: disk_store.request(large.run_id).is_cancelled)
        megabytes[large.pid] = 299  # it frees some, but not yet enough
        megabytes[medium.pid] = 300
        ended(disk_store, large.run_id)
        assert not disk_store.request(medium.run_id).is_cancelled
        assert not disk_store.request(small.run_id).is_cancelled


@pytest.mark.fault
def test_a_pool_whose_child_is_stopped_does_not_say_that_it_works(disk_store, tmp_path):
    pool = WorkerPool(disk_store, Settings(data_dir=tmp_path))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert pool.is_responsive
        child.send_signal(signal.SIGSTOP)
        wait_until(lambda: not pool.is_responsive)
        child.send_signal(signal.SIGCONT)
        wait_until(lambda: pool.is_responsive)
        child.kill()


def started(store):
    record = created(store)
    wait_until(lambda: store.get(record.run_id).state is RunState.RUNNING)
    return store.get(record.run_id)

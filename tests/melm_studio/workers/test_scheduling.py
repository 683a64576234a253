"""What somebody looks at begins while others hold every worker, on both back ends."""

from __future__ import annotations

import dataclasses
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psutil
import pytest
from msgspec.structs import replace

from melm_studio.analyses.check import CHECK
from melm_studio.configuration.settings import Settings
from melm_studio.runs.records.run import RunRequest, RunState, new_analysis
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.workers import pool as pool_module
from melm_studio.workers import scheduling
from melm_studio.workers.celery_worker import BrokerSlots
from melm_studio.workers.execute import execute_in_child, execute_queued, execute_run
from melm_studio.workers.pool import WorkerPool
from melm_studio.workers.scheduling import NICENESS, PROCESSES_PER_WORKER, TURN_S
from tests.melm_studio.runs.helpers import blobs, queue_run, run_of, wait_until
from tests.melm_studio.runs.processes import DATA, ENDLESS, ended, working
from tests.melm_studio.workers.test_pool import Stop, deaf, hurried

HOUR_S = 3_600.0


class Served:
    """A store, and a pool in a thread that executes its runs."""

    def __init__(self, store, settings, source=None):
        self.store = store
        self.asked = []  # the runs that were to give way
        self._stop = Stop()
        pool = WorkerPool(_Noting(store, self.asked), settings, source)
        self._thread = threading.Thread(target=pool.serve, args=(self._stop,))
        self._thread.start()

    def stop(self):
        self._stop.set()
        self._thread.join()

    def state(self, record):
        return self.store.get(record.run_id).state

    def queued(self, owner="ada", *, looked_at=False, method="melm"):
        record = replace(run_of(owner, method=method), from_page=looked_at)
        self.store.create(record)
        return record

    def begun(self, owner="ada", **how):
        record = self.queued(owner, **how)
        wait_until(lambda: self.state(record) is RunState.RUNNING)
        return self.store.get(record.run_id)


class _Noting:
    """A store that notes who is asked to give way."""

    def __init__(self, store, asked):
        self._store, self._asked = store, asked

    def __getattr__(self, name):
        return getattr(self._store, name)

    def update_request(self, run_id, change):
        if change(RunRequest()).gives_way:
            self._asked.append(run_id)
        self._store.update_request(run_id, change)


@contextmanager
def serving(store, settings, source=None):
    served = Served(store, settings, source)
    try:
        yield served
    finally:
        served.stop()


@pytest.fixture(autouse=True)
def deaf_processes(monkeypatch):
    """Runs that neither compute nor listen, and whose turns never end."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setattr(pool_module, "execute_in_child", deaf)
    hurried(monkeypatch)
    monkeypatch.setattr(scheduling, "TURN_S", HOUR_S)


@pytest.fixture
def settings(store, tmp_path, request):
    """Those with which a child opens the same store."""
    if isinstance(store, DiskRunStore):
        return Settings(data_dir=tmp_path, workers=2)
    server = request.getfixturevalue("redis_server")
    return Settings(data_dir=tmp_path, workers=2, store=server.text(str(tmp_path)))


@pytest.fixture
def disk_settings(tmp_path):
    return Settings(data_dir=tmp_path, workers=1)


@pytest.mark.fault
def test_what_somebody_looks_at_begins_while_others_hold_every_worker(store, settings):
    with serving(store, settings) as pool:
        held = [pool.begun("eve"), pool.begun("eve")]
        assert pool.begun("ada", looked_at=True)
        assert {pool.state(run) for run in held} == {RunState.RUNNING}


@pytest.mark.fault
def test_what_somebody_looks_at_needs_no_message_of_the_broker(store, settings):
    slots = BrokerSlots(store)
    with ThreadPoolExecutor() as tasks, serving(store, settings, slots) as pool:
        held = [pool.queued("eve"), pool.queued("eve")]
        waiting = [tasks.submit(slots.wait) for _ in held]
        try:
            wait_until(lambda: {pool.state(run) for run in held} == {RunState.RUNNING})
            assert pool.begun("ada", looked_at=True)
            assert not any(task.done() for task in waiting)
        finally:
            slots.close()


def test_runs_are_asked_at_once_to_give_way_to_the_lane_and_one_is_left(
    disk_store, tmp_path, monkeypatch
):
    monkeypatch.setattr(pool_module, "LANE_S", HOUR_S)
    with serving(disk_store, Settings(data_dir=tmp_path, workers=3)) as pool:
        held = [pool.begun("ada") for _ in range(3)]
        pool.begun("ada", looked_at=True)
        wait_until(lambda: pool.asked == [held[0].run_id])
        pool.begun("ada", looked_at=True)
        wait_until(lambda: pool.asked == [run.run_id for run in held[:2]])


@pytest.mark.fault
def test_what_nobody_looks_at_begins_however_busy_the_lane_is(
    disk_store, disk_settings, monkeypatch
):
    monkeypatch.setattr(pool_module, "LANE_S", HOUR_S)
    with serving(disk_store, disk_settings) as pool:
        pool.begun("eve", looked_at=True)
        assert pool.begun("ada")


@pytest.mark.fault
@pytest.mark.skipif(os.nice(0) > 0, reason="there is no room for two lower priorities")
def test_a_run_in_the_lane_has_a_higher_priority_until_it_had_its_seconds(
    disk_store, disk_settings
):
    with serving(disk_store, disk_settings) as pool:
        background = psutil.Process(pool.begun().pid)
        looked_at = psutil.Process(pool.begun(looked_at=True).pid)
        of_lane = os.nice(0) + NICENESS
        wait_until(lambda: background.nice() > of_lane)
        wait_until(lambda: looked_at.nice() > of_lane)


@pytest.mark.fault
def test_a_run_that_had_its_seconds_gives_way_where_no_worker_is_free(disk_store, disk_settings):
    with serving(disk_store, disk_settings) as pool:
        held, looked_at = pool.begun(), pool.begun(looked_at=True)
        wait_until(lambda: pool.asked == [looked_at.run_id])
        assert pool.state(held) is RunState.RUNNING


@pytest.mark.fault
def test_a_full_lane_is_left_to_who_waits_for_it(disk_store, disk_settings, monkeypatch):
    monkeypatch.setattr(pool_module, "LANE_S", HOUR_S)
    with serving(disk_store, disk_settings) as pool:
        first = pool.begun("eve", looked_at=True)
        assert pool.begun("ada", looked_at=True)
        assert pool.state(first) is RunState.RUNNING


@pytest.mark.attack
@pytest.mark.fault
def test_one_address_leaves_processes_to_others_however_much_it_looks_at(disk_store, disk_settings):
    most, n_more = (PROCESSES_PER_WORKER + 1) // 2, 3
    for n in range(most + n_more):
        disk_store.set_address(f"cookie {n}", "crowd")
    with serving(disk_store, disk_settings) as pool:
        crowd = [pool.queued(f"cookie {n}", looked_at=True) for n in range(most + n_more)]
        wait_until(lambda: disk_store.n_looked_at() == n_more)
        assert pool.begun("newcomer", looked_at=True)
        assert pool.begun("cookie 0", looked_at=True, method="pca")  # which is done in a moment
        states = [pool.state(run) for run in crowd]
        assert (states.count(RunState.RUNNING), states.count(RunState.QUEUED)) == (most, n_more)


@pytest.mark.fault
def test_no_more_processes_than_workers_begin_where_runs_take_half_of_the_memory(
    disk_store, tmp_path, monkeypatch
):
    megabytes, measured = {}, []

    def memory_of(pid):
        measured.append(pid)
        return megabytes.get(pid, 0) * 2**20

    monkeypatch.setattr(pool_module, "memory_of", memory_of)
    settings = Settings(data_dir=tmp_path, workers=1, max_runs_mb=512)
    with serving(disk_store, settings) as pool:
        large = pool.begun("eve")
        megabytes[large.pid] = 300
        known = len(measured) + 1
        wait_until(lambda: len(measured) > known)
        waiting = pool.queued("ada", looked_at=True)
        known = len(measured) + 1
        wait_until(lambda: len(measured) > known)
        assert pool.state(waiting) is RunState.QUEUED
        megabytes.clear()
        wait_until(lambda: pool.state(waiting) is RunState.RUNNING)


@pytest.mark.fault
def test_endless_runs_give_way_to_those_of_others_and_go_on(disk_store, tmp_path, monkeypatch):
    monkeypatch.setattr(pool_module, "execute_in_child", execute_in_child)
    monkeypatch.setattr(scheduling, "TURN_S", TURN_S / 10)
    with serving(disk_store, Settings(data_dir=tmp_path, workers=2)):
        endless = working(disk_store), working(disk_store)
        done = ended(disk_store, queue_run(disk_store, DATA, "pca", owner="eve").run_id)
        assert done.state is RunState.DONE
        for record in endless:
            n_events = disk_store.n_events(record.run_id)
            wait_until(lambda run_id=record.run_id, n=n_events: disk_store.n_events(run_id) > n)
            assert disk_store.get(record.run_id).pid == record.pid
            assert disk_store.get(record.run_id).gave_way_s is None


@pytest.mark.attack
@pytest.mark.fault
@pytest.mark.slow
def test_a_plane_is_found_while_others_search_without_an_end_and_they_go_on(
    store, settings, monkeypatch
):
    monkeypatch.setattr(pool_module, "execute_in_child", execute_in_child)
    with serving(store, settings) as pool:
        endless = [queue_run(store, DATA, owner="eve", **ENDLESS) for _ in range(2)]
        wait_until(lambda: all(store.n_events(run.run_id) > 3 for run in endless))
        for method in ("pca", "lda"):
            assert looked_at(store, method).state is RunState.DONE
        assert pool.asked  # though no turn has ended
        for run in endless:
            n_events = store.n_events(run.run_id)
            wait_until(lambda run=run, n=n_events: store.n_events(run.run_id) > n)


@pytest.mark.fault
@pytest.mark.slow
def test_a_check_ends_with_the_same_results_while_another_visitor_presses_again_and_again(
    store, settings, monkeypatch
):
    monkeypatch.setattr(pool_module, "execute_in_child", execute_in_child)
    data = blobs(90)
    fit = queue_run(store, data, "lda", owner="eve")
    execute_queued(store)
    expected, check = (new_analysis(store.get(fit.run_id), "check") for _ in range(2))
    store.create(expected)
    execute_run(store, expected.run_id)
    with serving(store, dataclasses.replace(settings, workers=1)):
        store.create(check)
        n_presses = 0
        while not store.get(check.run_id).state.is_final:
            assert looked_at(store, "pca").state is RunState.DONE
            n_presses += 1
    assert n_presses > 1
    assert store.get(check.run_id).state is RunState.DONE
    assert CHECK.stored(store, check.run_id) == CHECK.stored(store, expected.run_id)


def looked_at(store, method):
    """A run that somebody looks at, to its end."""
    store.put_file("ada", FileKind.DATA, DATA.content_hash, DATA.to_bytes())
    record = replace(run_of("ada", DATA.content_hash, method), from_page=True)
    store.create(record)
    done = ended(store, record.run_id)
    store.delete(record.run_id)
    return done

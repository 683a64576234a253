"""Runs in real processes: they end as they should, and no process is ever left."""

from __future__ import annotations

import os
import signal
import time

import psutil
import pytest
from msgspec.structs import replace

from melm_core.methods import METHODS
from melm_studio.configuration.messages import DIED, GIVEN_UP
from melm_studio.runs.records.run import RunRequest, RunState
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.attempts import MOST_LOSSES
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.workers.scheduling import BACKGROUND_NICENESS
from tests.melm_studio.runs.helpers import (
    PARAMETERS,
    assert_same_plane,
    queue_run,
    run_of,
    wait_until,
)
from tests.melm_studio.runs.processes import (
    DATA,
    REPORTED_WITHIN_S,
    alive,
    assert_best_plane_kept,
    assert_cancelled,
    assert_goes_on,
    assert_goes_on_when_killed,
    assert_gone,
    assert_stops_with_its_parent,
    assert_stops_with_its_run,
    assert_waits,
    ended,
    family,
    freeze,
    left_idle,
    paused,
    supervised,
    working,
)


@pytest.fixture
def store(disk_store):
    return disk_store


@pytest.fixture
def supervisor(tmp_path):
    with supervised(tmp_path, workers=2) as handle:
        yield handle


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory):
    """A folder whose supervisor is shared by several tests."""
    folder = tmp_path_factory.mktemp("shared")
    with supervised(folder, workers=2):
        yield folder


@pytest.fixture
def shared(shared_folder):
    with left_idle(DiskRunStore(shared_folder)) as store:
        yield store


@pytest.mark.slow
def test_a_run_yields_to_the_pages(supervisor, store):
    run = working(store)
    assert psutil.Process(run.pid).nice() == os.nice(0) + BACKGROUND_NICENESS


# ------------------------------------------------------------------------------------- ends


@pytest.mark.parametrize("method", ["melm", "pca"])
def test_the_final_plane_is_that_of_the_estimator_fitted_in_process(shared, method):
    record = ended(shared, queue_run(shared, DATA, method).run_id)
    estimator = METHODS[method].estimator(PARAMETERS).fit(DATA.X, DATA.y)
    final = shared.last_event(record.run_id)
    assert (record.state, record.message) == (RunState.DONE, "")
    assert final.is_final
    assert_same_plane(final.components, estimator.components_)


def test_a_rule_that_the_run_breaks_is_told_in_its_own_words(shared):
    record = ended(shared, queue_run(shared, DATA, n_components=99).run_id)
    assert record.state is RunState.FAILED
    assert "99" in record.message


def test_a_running_run_is_cancelled_and_keeps_its_best_plane(shared):
    assert_cancelled(shared, working(shared))


@pytest.mark.slow
def test_a_run_that_does_not_heed_the_request_is_killed_and_cancelled(shared, shared_folder):
    record = working(shared)
    freeze(record.pid, shared_folder)
    assert_cancelled(shared, record)
    assert not psutil.pid_exists(record.pid)


@pytest.mark.fault
def test_the_run_of_a_killed_worker_goes_on_within_five_seconds(shared):
    assert_goes_on_when_killed(shared, working(shared))


@pytest.mark.fault
@pytest.mark.parametrize("at_work", [working, paused])
def test_the_run_of_a_worker_that_hangs_goes_on_within_five_seconds(shared, shared_folder, at_work):
    record = at_work(shared)
    freeze(record.pid, shared_folder)
    assert_goes_on(shared, record, deadline_s=REPORTED_WITHIN_S)


@pytest.mark.fault
def test_a_run_that_kills_its_workers_is_given_up(shared):
    record = working(shared)
    for _ in range(MOST_LOSSES - 1):
        os.kill(record.pid, signal.SIGKILL)
        record = assert_goes_on(shared, record)
    os.kill(record.pid, signal.SIGKILL)
    lost = ended(shared, record.run_id)
    cause = DIED.format(reason="signal 9")
    assert (lost.state, lost.message) == (
        RunState.LOST,
        GIVEN_UP.format(cause=cause, n=MOST_LOSSES),
    )
    assert_best_plane_kept(shared, record.run_id)


@pytest.mark.fault
def test_a_paused_run_whose_worker_is_killed_is_paused_again_within_five_seconds(shared):
    record = paused(shared)
    assert_goes_on_when_killed(shared, record)
    wait_until(lambda: shared.get(record.run_id).state is RunState.PAUSED)


@pytest.mark.slow
def test_a_paused_run_gives_a_sign_of_life_and_no_plane_until_it_goes_on(shared):
    record = paused(shared)
    n_events = shared.n_events(record.run_id)
    beat_s = shared.get(record.run_id).heartbeat_s
    wait_until(lambda: shared.get(record.run_id).heartbeat_s > beat_s)
    assert shared.n_events(record.run_id) == n_events
    shared.update_request(record.run_id, RunRequest.resumed)
    wait_until(lambda: shared.n_events(record.run_id) > n_events)
    wait_until(lambda: shared.get(record.run_id).state is RunState.RUNNING)


@pytest.mark.fault
def test_a_paused_run_leaves_its_worker_to_the_next(shared):
    runs = [paused(shared), paused(shared)]
    assert ended(shared, queue_run(shared, DATA, "pca").run_id).state is RunState.DONE
    assert {shared.get(run.run_id).state for run in runs} == {RunState.PAUSED}


@pytest.mark.fault
def test_a_paused_run_is_cancelled_and_keeps_its_best_plane(shared):
    assert_cancelled(shared, paused(shared))


def test_a_deleted_run_frees_its_worker(shared):
    record = working(shared)
    shared.delete(record.run_id)
    wait_until(lambda: not psutil.pid_exists(record.pid))
    assert shared.n_events(record.run_id) == 0


@pytest.mark.slow
def test_as_many_runs_work_at_a_time_as_there_are_workers(shared):
    first, second = working(shared), working(shared)
    third = queue_run(shared, DATA, "pca")
    assert first.pid != second.pid
    assert shared.get(first.run_id).state is shared.get(second.run_id).state is RunState.RUNNING
    assert shared.get(third.run_id).state is RunState.QUEUED
    shared.cancel(first.run_id)
    assert ended(shared, third.run_id).state is RunState.DONE


@pytest.mark.fault
def test_a_run_that_takes_too_long_is_stopped_and_says_so(shared):
    record = working(shared)
    shared.update_request(record.run_id, lambda request: request.cancelled("Too long."))
    stopped = ended(shared, record.run_id)
    assert (stopped.state, stopped.message) == (RunState.CANCELLED, "Too long.")
    assert_best_plane_kept(shared, record.run_id)


@pytest.mark.slow
def test_a_queued_run_is_cancelled_and_never_starts(shared):
    working(shared)
    working(shared)
    waiting = queue_run(shared, DATA)
    shared.cancel(waiting.run_id)
    assert ended(shared, waiting.run_id).state is RunState.CANCELLED
    assert shared.get(waiting.run_id).started_s is None


@pytest.mark.fault
def test_a_run_that_another_process_left_behind_goes_on(shared):
    shared.put_file("ada", FileKind.DATA, DATA.content_hash, DATA.to_bytes())
    record = run_of(data_id=DATA.content_hash, method="pca")
    stale = {"heartbeat_s": time.time() - 60, "pid": 1, "state": RunState.RUNNING}
    shared.create(replace(record, **stale))
    assert ended(shared, record.run_id).state is RunState.DONE


# ------------------------------------------------------------------------------------- stop, start


@pytest.mark.slow
def test_stopping_leaves_no_process_and_tells_the_runs(store, supervisor):
    assert_stops_with_its_run(store, supervisor)


@pytest.mark.slow
def test_stopping_twice_is_no_mistake(supervisor):
    supervisor.stop()
    supervisor.stop()
    assert not psutil.pid_exists(supervisor.pid)


@pytest.mark.fault
@pytest.mark.slow
def test_queued_runs_stay_queued_when_the_studio_stops_and_go_on_when_it_starts(store, tmp_path):
    with supervised(tmp_path, workers=1):
        endless = working(store)
        claimed, waiting = queue_run(store, DATA, "pca"), queue_run(store, DATA, "pca")
    store.cancel(endless.run_id)
    assert store.claim() == claimed  # as by a supervisor that ended before it could start the run
    with supervised(tmp_path, workers=1):
        assert ended(store, claimed.run_id).state is RunState.DONE
        assert ended(store, waiting.run_id).state is RunState.DONE


@pytest.mark.fault
@pytest.mark.slow
def test_a_killed_supervisor_leaves_no_child_and_is_started_again(store, supervisor):
    cut_off = working(store)
    processes = family(supervisor.pid)
    os.kill(supervisor.pid, signal.SIGKILL)
    assert_gone(processes)
    record = queue_run(store, DATA, "pca")
    assert ended(store, record.run_id).state is RunState.DONE
    assert supervisor.pid not in [process.pid for process in processes]
    assert_goes_on(store, cut_off)


@pytest.mark.fault
@pytest.mark.slow
def test_a_supervisor_that_hangs_is_started_again(store, supervisor, tmp_path):
    cut_off = working(store)
    processes = family(supervisor.pid)
    freeze(supervisor.pid, tmp_path)
    assert_gone(processes)
    assert_goes_on(store, cut_off)


@pytest.mark.slow
def test_a_killed_parent_leaves_no_process(store, tmp_path):
    assert_stops_with_its_parent(store, tmp_path)


@pytest.mark.slow
def test_sigterm_stops_the_supervisor_and_its_children(store, supervisor):
    record = working(store)
    processes = family(supervisor.pid)
    os.kill(supervisor.pid, signal.SIGTERM)
    assert_gone(processes)
    assert_waits(store, record)


@pytest.mark.fault
@pytest.mark.slow
def test_ctrl_c_reaches_neither_the_supervisor_nor_its_children(store, supervisor):
    record = working(store)
    processes = family(supervisor.pid)
    for process in processes:
        process.send_signal(signal.SIGINT)
    n_events = store.n_events(record.run_id)
    wait_until(lambda: store.n_events(record.run_id) > n_events + 3)
    assert all(alive(process) for process in processes)
    assert store.get(record.run_id).state is RunState.RUNNING

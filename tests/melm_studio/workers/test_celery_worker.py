"""Runs on a shared store, executed by Celery workers."""

from __future__ import annotations

import os
import pickle
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import psutil
import pytest

from melm_core.methods import METHODS
from melm_studio.configuration.limits import Limits
from melm_studio.configuration.settings import RedisAddress
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.open_store import PATIENCE_S
from melm_studio.runs.store.protocol import Sign, StoreUnavailableError
from melm_studio.runs.store.shared_queue import QUEUE, TASK, NotifyingRunStore, Watchdog, celery_on
from melm_studio.workers.celery_worker import BrokerSlots
from tests.melm_studio.runs.helpers import (
    PARAMETERS,
    Trap,
    assert_same_plane,
    created,
    queue_run,
    wait_until,
)
from tests.melm_studio.runs.processes import (
    DATA,
    ENDLESS,
    REPORTED_WITHIN_S,
    assert_cancelled,
    assert_goes_on,
    assert_goes_on_when_killed,
    assert_gone,
    assert_stops_with_its_parent,
    assert_stops_with_its_run,
    ended,
    family,
    left_idle,
    paused,
    supervised,
    supervising,
    working,
)
from tests.melm_studio.runs.redis_server import running_redis


def state_of(store, record):
    return store.get(record.run_id).state


def calling_store(server, prefix):
    return NotifyingRunStore(RedisAddress(server.url, prefix), Limits(), PATIENCE_S)


@pytest.fixture
def prefix(tmp_path):
    return tmp_path.name


@pytest.fixture
def store(redis_server, prefix):
    store = calling_store(redis_server, prefix)
    yield store
    store.close()


@pytest.fixture
def start_worker(redis_server, prefix, tmp_path):
    with ExitStack() as workers:
        yield lambda: workers.enter_context(
            supervised(tmp_path, store=redis_server.text(prefix), workers=2)
        )


@pytest.fixture(scope="module")
def shared_prefix(redis_server, tmp_path_factory):
    """A store whose Celery worker is shared by several tests."""
    folder = tmp_path_factory.mktemp("celery")
    with supervised(folder, store=redis_server.text("celery"), workers=2):
        yield "celery"


@pytest.fixture
def shared(redis_server, shared_prefix):
    with left_idle(calling_store(redis_server, shared_prefix)) as store:
        yield store


# ------------------------------------------------------------------------------------- ends


@pytest.mark.slow
def test_a_run_is_worked_and_its_plane_is_that_of_the_estimator(shared):
    record = ended(shared, queue_run(shared, DATA).run_id)
    estimator = METHODS["melm"].estimator(PARAMETERS).fit(DATA.X, DATA.y)
    assert (record.state, record.message) == (RunState.DONE, "")
    assert_same_plane(shared.last_event(record.run_id).components, estimator.components_)


@pytest.mark.fault
def test_the_run_of_a_killed_process_goes_on_within_five_seconds(shared):
    assert_goes_on_when_killed(shared, working(shared))


@pytest.mark.slow
def test_a_running_run_is_cancelled_and_keeps_its_best_plane(shared):
    assert_cancelled(shared, working(shared))


@pytest.mark.slow
def test_paused_runs_leave_their_workers_to_others(shared):
    held = [paused(shared), paused(shared)]
    assert ended(shared, queue_run(shared, DATA, "pca").run_id).state is RunState.DONE
    assert {shared.get(record.run_id).state for record in held} == {RunState.PAUSED}


@pytest.mark.slow
def test_endless_runs_give_way_to_those_of_others_and_go_on(shared):
    endless = [working(shared), working(shared)]
    assert ended(shared, queue_run(shared, DATA, "pca", owner="eve").run_id).state is RunState.DONE
    for record in endless:
        n_events = shared.n_events(record.run_id)
        wait_until(lambda run_id=record.run_id, n=n_events: shared.n_events(run_id) > n)


@pytest.mark.slow
def test_the_run_of_a_process_that_hangs_goes_on_within_five_seconds(shared):
    record = working(shared)
    os.kill(record.pid, signal.SIGSTOP)
    assert_goes_on(shared, record, deadline_s=REPORTED_WITHIN_S)


@pytest.mark.slow
def test_a_process_has_one_thread_for_linear_algebra(shared):
    variables = psutil.Process(working(shared).pid).parent().environ()
    assert variables["OMP_NUM_THREADS"] == variables["OPENBLAS_NUM_THREADS"] == "1"


def test_somebody_works_the_queue_as_long_as_a_worker_lives(shared):
    before_s = wait_until(lambda: shared.marked_s(Sign.SUPERVISOR))
    wait_until(lambda: shared.marked_s(Sign.SUPERVISOR) > before_s)


@pytest.mark.fault
def test_a_message_that_is_pickled_is_refused_and_never_read(
    shared, redis_server, shared_prefix, tmp_path
):
    sprung = tmp_path / "sprung"
    app = celery_on(RedisAddress(redis_server.url, shared_prefix))
    with app.connection_for_write() as connection:
        producer = app.amqp.Producer(connection)
        message = pickle.dumps(([], {"trap": Trap(sprung)}, {}))
        headers = {"task": TASK, "id": "evil"}
        kinds = {"content_type": "application/x-python-serialize", "content_encoding": "binary"}
        producer.publish(message, routing_key=QUEUE, headers=headers, **kinds)
    assert ended(shared, queue_run(shared, DATA, "pca").run_id).state is RunState.DONE
    assert not sprung.exists()


# ------------------------------------------------------------------------------------- stop, start


@pytest.fixture
def watchdog(store):
    """As beside every page."""
    watchdog = Watchdog(store, store.broker)
    watchdog.start()
    yield watchdog
    watchdog.stop()


@pytest.mark.fault
@pytest.mark.slow
def test_stopping_leaves_no_process_and_tells_the_runs(store, start_worker):
    assert_stops_with_its_run(store, start_worker())


@pytest.mark.fault
@pytest.mark.slow
def test_a_killed_worker_leaves_no_child_and_another_goes_on_with_its_runs(
    store, start_worker, watchdog
):
    worker = start_worker()
    record = working(store)
    processes = family(worker.pid)
    os.kill(worker.pid, signal.SIGKILL)
    assert_gone(processes)
    assert_goes_on(store, record)


@pytest.mark.fault
@pytest.mark.slow
def test_a_killed_parent_leaves_no_process(store, redis_server, prefix, tmp_path):
    assert_stops_with_its_parent(store, tmp_path, redis_server.text(prefix))


@pytest.mark.slow
def test_of_two_workers_one_is_for_whoever_called_last(store, start_worker):
    ada = [queue_run(store, DATA, **ENDLESS) for _ in range(3)]
    bob = queue_run(store, DATA, owner="bob", **ENDLESS)
    start_worker()
    wait_until(lambda: state_of(store, ada[0]) is state_of(store, bob) is RunState.RUNNING)
    assert [state_of(store, run) for run in ada[1:]] == [RunState.QUEUED, RunState.QUEUED]


@pytest.mark.fault
@pytest.mark.slow
def test_a_run_for_which_no_call_came_through_is_worked_all_the_same(
    store, redis_server, prefix, start_worker, watchdog
):
    silent = redis_server.store(prefix)
    record = queue_run(silent, DATA, "pca")
    start_worker()
    assert ended(store, record.run_id).state is RunState.DONE
    silent.close()


def killed(server, store):
    server.kill()
    server.start()


def silent(server, store):
    """For longer than a page waits for an answer."""
    server.process.send_signal(signal.SIGSTOP)
    with pytest.raises(StoreUnavailableError):
        store.n_queued()
    server.process.send_signal(signal.SIGCONT)


@pytest.mark.fault
@pytest.mark.slow
@pytest.mark.parametrize("fault", [killed, silent])
def test_runs_go_on_when_the_server_is_away_and_comes_back(tmp_path, fault):
    with running_redis(tmp_path) as server:
        store = calling_store(server, "melm")
        watchdog = Watchdog(store, store.broker)
        watchdog.start()
        worker = supervising(tmp_path, store=server.text(), workers=1)
        record, waiting = working(store), queue_run(store, DATA, "pca")
        fault(server, store)
        n_events = store.n_events(record.run_id)
        wait_until(lambda: store.n_events(record.run_id) > n_events + 10)
        assert store.get(record.run_id).state is RunState.RUNNING
        assert store.get(record.run_id).attempt == 0
        store.cancel(record.run_id)
        assert ended(store, record.run_id).state is RunState.CANCELLED
        assert ended(store, waiting.run_id).state is RunState.DONE
        worker.stop()
        watchdog.stop()
        store.close()


@pytest.mark.fault
@pytest.mark.slow
def test_a_server_that_is_emptied_during_a_run_ends_it_and_the_next_is_worked(tmp_path):
    with (
        running_redis(tmp_path) as server,
        supervised(tmp_path, store=server.text("melm"), workers=1),
        closing(calling_store(server, "melm")) as store,
    ):
        process = psutil.Process(working(store).pid)
        with server.client() as client:
            client.flushall()
        assert_gone([process])
        assert store.unfinished() == []
        assert ended(store, queue_run(store, DATA, "pca").run_id).state is RunState.DONE


@pytest.fixture
def slots(store):
    slots = BrokerSlots(store)
    yield slots
    slots.close()


@pytest.fixture
def wait_in_thread(slots):
    with ThreadPoolExecutor() as pool:
        yield lambda: pool.submit(slots.wait)
        slots.close()


def test_no_run_is_claimed_before_a_task_waits(store, slots):
    created(store)
    assert slots.claim() is None
    assert store.n_queued() == 1


def test_a_slot_claims_the_run_that_the_store_decides(store, slots, wait_in_thread):
    first, _, other = created(store, "ada"), created(store, "ada"), created(store, "bob")
    waiting = [wait_in_thread() for _ in range(2)]
    assert wait_until(slots.claim) == first
    assert wait_until(slots.claim) == other
    assert slots.claim() is None
    assert not any(slot.done() for slot in waiting)


def test_a_slot_is_freed_when_its_run_no_longer_uses_a_worker(store, slots, wait_in_thread):
    first, second = created(store), created(store)
    waiting = [wait_in_thread()]
    wait_until(slots.claim)
    waiting.append(wait_in_thread())
    wait_until(slots.claim)
    slots.free_except([first.run_id, second.run_id])
    slots.free_except([second.run_id])
    assert slots.claim() is None
    waiting[0].result(timeout=30)
    assert not waiting[1].done()
    slots.free_except([])
    assert slots.claim() is None
    waiting[1].result(timeout=30)


def test_the_slot_of_a_run_that_gave_way_takes_the_next_run(store, slots, wait_in_thread):
    created(store)
    waiting = wait_in_thread()
    wait_until(slots.claim)
    following = created(store)
    slots.free_except([])
    assert slots.claim() == following
    assert not waiting.done()


def test_a_slot_without_a_run_is_freed_at_once(slots, wait_in_thread):
    waiting = wait_in_thread()
    wait_until(lambda: slots.claim() is None and waiting.done())


@pytest.mark.slow
def test_a_store_that_does_not_answer_costs_no_slot(store, slots, wait_in_thread, monkeypatch):
    record = created(store)
    waiting = wait_in_thread()
    with monkeypatch.context() as patch:
        patch.setattr(store, "claim", lambda: 1 / 0)
        wait_until(lambda: fails(slots.claim))
    assert slots.claim() == record
    assert not waiting.done()


@pytest.mark.slow
def test_no_task_waits_once_the_slots_are_closed(store, slots, wait_in_thread):
    created(store)
    worked = wait_in_thread()
    wait_until(slots.claim)
    slots.close()
    worked.result(timeout=30)
    wait_in_thread().result(timeout=30)


def fails(do):
    try:
        do()
    except ZeroDivisionError:
        return True
    return False

"""A watchdog looks after the queue of a shared store."""

from __future__ import annotations

import pytest

from melm_studio.configuration.limits import Limits
from melm_studio.configuration.settings import RedisAddress
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.attempts import DEAD_AFTER_S
from melm_studio.runs.store.open_store import PATIENCE_S
from melm_studio.runs.store.shared_queue import Broker, NotifyingRunStore, Watchdog
from tests.melm_studio.runs.helpers import ManualClock, created, run_of


@pytest.fixture
def address(redis_server, tmp_path):
    return RedisAddress(redis_server.url, tmp_path.name)


@pytest.fixture
def store(redis_server, address):
    store = redis_server.store(address.prefix)
    yield store
    store.close()


@pytest.fixture
def broker(address):
    return Broker(address)


@pytest.fixture
def watchdog(store, broker):
    return Watchdog(store, broker)


def test_a_new_run_notifies_a_worker(address, broker):
    page = NotifyingRunStore(address, Limits(), PATIENCE_S)
    page.create(run_of())
    assert broker.n_messages() == 1
    page.close()


@pytest.mark.slow
def test_a_run_is_kept_if_no_worker_can_be_notified(address):
    page = NotifyingRunStore(address, Limits(), PATIENCE_S)
    page.broker = Broker(RedisAddress("redis://127.0.0.1:1/0"))
    record = run_of()
    page.create(record)
    assert page.get(record.run_id) == record
    page.close()


def test_queued_runs_without_a_message_get_one_each_and_no_more(store, broker, watchdog):
    for _ in range(3):
        created(store)
    broker.notify()
    for _ in range(2):
        watchdog.poll()
        assert broker.n_messages() == 3


def test_an_empty_queue_sends_no_message(broker, watchdog):
    watchdog.poll()
    assert broker.n_messages() == 0


@pytest.mark.fault
def test_a_run_that_was_claimed_and_never_started_is_queued_again(store, broker):
    clock = ManualClock()
    watchdog = Watchdog(store, broker, clock)
    record = created(store)
    store.claim()
    for clock.now_s in range(int(DEAD_AFTER_S) + 1):
        watchdog.poll()
        assert store.n_queued() == 0
    clock.now_s += 1
    watchdog.poll()
    assert store.claim() == record


def test_a_run_that_was_claimed_just_now_is_not_queued_again_with_an_older_one(store, broker):
    clock = ManualClock()
    watchdog = Watchdog(store, broker, clock)
    older = created(store)
    store.claim()
    for clock.now_s in range(int(DEAD_AFTER_S) + 1):
        watchdog.poll()
    created(store)
    store.claim()
    clock.now_s += 1
    watchdog.poll()
    assert store.claim() == older
    assert store.claim() is None


def test_a_run_that_started_is_not_queued_again(store, broker):
    clock = ManualClock()
    watchdog = Watchdog(store, broker, clock)
    began, _ = created(store), created(store)
    store.claim()
    store.transition(began.run_id, {RunState.QUEUED}, state=RunState.RUNNING, heartbeat_s=2e9)
    clock.now_s += DEAD_AFTER_S + 1
    watchdog.poll()
    assert store.n_queued() == 1

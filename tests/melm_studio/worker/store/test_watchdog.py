"""Whoever keeps a page sees to the queue of a shared store."""

from __future__ import annotations

import pytest

from melm_studio.worker.config.redis_address import RedisAddress
from melm_studio.worker.records.limits import Limits
from melm_studio.worker.records.run import RunState
from melm_studio.worker.store import watchdog as module
from melm_studio.worker.store.broker import Broker
from melm_studio.worker.store.lost_runs import LOST_AFTER_S
from melm_studio.worker.store.notifying import CallingRunStore
from melm_studio.worker.store.open_store import PATIENCE_S
from melm_studio.worker.store.watchdog import Caretaker
from tests.melm_studio.worker.helpers import Watch, created, run_of


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
def caretaker(store, broker):
    return Caretaker(store, broker)


def test_a_new_run_calls_a_worker(address, broker):
    page = CallingRunStore(address, Limits(), PATIENCE_S)
    page.create(run_of())
    assert broker.n_calls() == 1
    page.close()


def test_a_run_is_kept_though_no_worker_can_be_called(address):
    page = CallingRunStore(address, Limits(), PATIENCE_S)
    page.broker = Broker(RedisAddress("redis://127.0.0.1:1/0"))
    record = run_of()
    page.create(record)
    assert page.get(record.run_id) == record
    page.close()


def test_runs_that_wait_without_a_call_get_one_each_and_no_more(store, broker, caretaker):
    for _ in range(3):
        created(store)
    broker.call()
    for _ in range(2):
        caretaker.look()
        assert broker.n_calls() == 3


def test_an_empty_queue_calls_nobody(broker, caretaker):
    caretaker.look()
    assert broker.n_calls() == 0


def test_a_run_that_was_claimed_and_never_began_waits_again_after_a_while(
    store, broker, monkeypatch
):
    clock = Watch()
    monkeypatch.setattr(module, "time", clock)
    caretaker = Caretaker(store, broker)
    record = created(store)
    store.claim()
    for clock.now_s in range(int(LOST_AFTER_S) + 1):
        caretaker.look()
        assert store.n_queued() == 0
    clock.now_s += 1
    caretaker.look()
    assert store.claim() == record


def test_a_run_that_began_is_not_put_back(store, broker, monkeypatch):
    clock = Watch()
    monkeypatch.setattr(module, "time", clock)
    caretaker = Caretaker(store, broker)
    began, _ = created(store), created(store)
    store.claim()
    store.transition(began.run_id, {RunState.QUEUED}, state=RunState.RUNNING, heartbeat_s=2e9)
    clock.now_s += LOST_AFTER_S + 1
    caretaker.look()
    assert store.n_queued() == 1

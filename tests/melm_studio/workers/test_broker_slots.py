"""A slot goes from run to run, and is freed when there is none."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from melm_studio.workers.broker_slots import BrokerSlots
from tests.melm_studio.runs.helpers import created, wait_until


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


def test_a_store_that_does_not_answer_costs_no_slot(store, slots, wait_in_thread, monkeypatch):
    record = created(store)
    waiting = wait_in_thread()
    with monkeypatch.context() as patch:
        patch.setattr(store, "claim", lambda: 1 / 0)
        wait_until(lambda: fails(slots.claim))
    assert slots.claim() == record
    assert not waiting.done()


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

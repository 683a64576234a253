"""Who waits for a turn is let go when a run was worked, holds still, or is not there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from melm_studio.worker.pool.broker_slots import Turns
from tests.melm_studio.worker.helpers import created, wait_until


@pytest.fixture
def turns(store):
    turns = Turns(store)
    yield turns
    turns.end_all()


@pytest.fixture
def wait_in_thread(turns):
    with ThreadPoolExecutor() as pool:
        yield lambda: pool.submit(turns.wait_for_one)
        turns.end_all()


def test_no_run_is_taken_before_somebody_waits(store, turns):
    created(store)
    assert turns.take() is None
    assert store.n_queued() == 1


def test_a_turn_takes_the_run_of_the_owner_whose_turn_it_is(store, turns, wait_in_thread):
    first, _, other = created(store, "ada"), created(store, "ada"), created(store, "bob")
    waiting = [wait_in_thread() for _ in range(2)]
    assert wait_until(turns.take) == first
    assert wait_until(turns.take) == other
    assert turns.take() is None
    assert not any(turn.done() for turn in waiting)


def test_a_turn_ends_when_its_run_no_longer_takes_a_worker(store, turns, wait_in_thread):
    first, second = created(store), created(store)
    waiting = [wait_in_thread()]
    wait_until(turns.take)
    waiting.append(wait_in_thread())
    wait_until(turns.take)
    turns.note([first.run_id, second.run_id])
    turns.note([second.run_id])
    waiting[0].result(timeout=30)
    assert not waiting[1].done()
    turns.note([])
    waiting[1].result(timeout=30)


def test_a_turn_without_a_run_ends_at_once(turns, wait_in_thread):
    waiting = wait_in_thread()
    wait_until(lambda: turns.take() is None and waiting.done())


def test_a_store_that_does_not_answer_costs_nobody_a_turn(
    store, turns, wait_in_thread, monkeypatch
):
    record = created(store)
    waiting = wait_in_thread()
    with monkeypatch.context() as patch:
        patch.setattr(store, "claim", lambda: 1 / 0)
        wait_until(lambda: fails(turns.take))
    assert turns.take() == record
    assert not waiting.done()


def test_nobody_waits_once_turns_are_over(store, turns, wait_in_thread):
    created(store)
    worked = wait_in_thread()
    wait_until(turns.take)
    turns.end_all()
    worked.result(timeout=30)
    wait_in_thread().result(timeout=30)


def fails(do):
    try:
        do()
    except ZeroDivisionError:
        return True
    return False

"""A run whose heartbeat stopped is queued again, unless this process was cut off from the store."""

from __future__ import annotations

import time

import pytest

from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.dead_runs import CUT_OFF_AFTER_S, DEAD_AFTER_S, DeadRuns
from melm_studio.workers.heartbeat import BEAT_S
from tests.melm_studio.runs.helpers import ManualClock, plane, run_of


@pytest.fixture
def clock():
    return ManualClock(time.time())


def beating(store, now_s, state=RunState.RUNNING):
    record = run_of()
    store.create(record)
    store.transition(record.run_id, {RunState.QUEUED}, state=state, heartbeat_s=now_s)
    return record


def state_of(store, record):
    return store.get(record.run_id).state


def poll_each_second(runs, clock, n_seconds):
    for _ in range(int(n_seconds)):
        clock.now_s += 1
        runs.end()


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.PAUSED])
def test_a_run_whose_heartbeat_stopped_is_queued_again_with_its_best_plane(store, clock, state):
    record = beating(store, clock.now_s, state)
    store.append(record.run_id, plane())
    runs = DeadRuns(store, has_other_workers=False, clock=clock)
    poll_each_second(runs, clock, DEAD_AFTER_S)
    assert state_of(store, record) is state
    poll_each_second(runs, clock, 1)
    assert state_of(store, record) is RunState.QUEUED
    assert store.get(record.run_id).n_losses == 1
    assert store.last_event(record.run_id).is_final


@pytest.mark.fault
@pytest.mark.parametrize("jump_s", [-3_600, 3_600])
def test_a_jump_of_the_clock_loses_no_run(store, clock, jump_s):
    record = beating(store, clock.now_s)
    runs = DeadRuns(store, has_other_workers=True, clock=clock)
    poll_each_second(runs, clock, 2)
    clock.ahead_s = jump_s
    poll_each_second(runs, clock, 1)  # before the next heartbeat
    for _ in range(10):
        store.beat(record.run_id, clock.time())
        poll_each_second(runs, clock, 1)
    assert state_of(store, record) is RunState.RUNNING


def test_a_dead_worker_is_noticed_within_five_seconds(store, clock):
    record = beating(store, clock.now_s)
    runs = DeadRuns(store, has_other_workers=True, clock=clock)
    for _ in range(10):
        store.beat(record.run_id, clock.now_s)
        poll_each_second(runs, clock, BEAT_S)
    assert state_of(store, record) is RunState.RUNNING
    poll_each_second(runs, clock, 5 - BEAT_S)  # since the last heartbeat
    assert state_of(store, record) is RunState.QUEUED


def test_a_queued_run_is_not_lost(store, clock):
    record = run_of()
    store.create(record)
    clock.now_s += 10 * DEAD_AFTER_S
    DeadRuns(store, has_other_workers=False, clock=clock).end()
    assert state_of(store, record) is RunState.QUEUED


def test_a_run_that_the_caller_executes_is_not_lost_however_slow_it_is(store, clock):
    record = beating(store, clock.now_s - 10 * DEAD_AFTER_S)
    runs = DeadRuns(store, has_other_workers=False, clock=clock)
    runs.end(except_for=[record.run_id])
    assert state_of(store, record) is RunState.RUNNING
    runs.end()
    assert state_of(store, record) is RunState.QUEUED


def test_a_process_new_to_a_shared_store_waits_for_heartbeats(store, clock):
    alive, dead = (beating(store, clock.now_s - 10 * DEAD_AFTER_S) for _ in range(2))
    runs = DeadRuns(store, has_other_workers=True, clock=clock)
    runs.end()
    poll_each_second(runs, clock, DEAD_AFTER_S - 1)
    store.beat(alive.run_id, clock.now_s)
    assert state_of(store, dead) is RunState.RUNNING
    poll_each_second(runs, clock, 1)
    assert state_of(store, dead) is RunState.QUEUED
    assert state_of(store, alive) is RunState.RUNNING


def test_a_process_cut_off_from_a_shared_store_waits_for_heartbeats(store, clock):
    runs = DeadRuns(store, has_other_workers=True, clock=clock)
    poll_each_second(runs, clock, DEAD_AFTER_S + 2)
    record = beating(store, clock.now_s)
    clock.now_s += CUT_OFF_AFTER_S + DEAD_AFTER_S
    runs.end()
    poll_each_second(runs, clock, DEAD_AFTER_S - 1)
    assert state_of(store, record) is RunState.RUNNING
    poll_each_second(runs, clock, 1)
    assert state_of(store, record) is RunState.QUEUED

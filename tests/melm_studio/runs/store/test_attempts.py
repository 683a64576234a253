"""A run whose worker died goes on from its best plane, in a bounded number of attempts."""

from __future__ import annotations

import time

import pytest

from melm_studio.configuration.messages import STOPPED
from melm_studio.runs.records.run import RunRequest, RunState
from melm_studio.runs.store.attempts import (
    CUT_OFF_AFTER_S,
    DEAD_AFTER_S,
    DeadRuns,
    end_attempt,
    reopen,
)
from melm_studio.workers.background_threads import BEAT_S
from tests.melm_studio.runs.helpers import ManualClock, assert_same_plane, plane, run_of, started

# As the documentation promises.
TRIES = 3


def lose(store, run_id, **kinds):
    """Let a worker take the run, if it is queued, and die."""
    claimed = store.claim()
    assert claimed is None or claimed.run_id == run_id
    store.transition(run_id, {RunState.QUEUED}, state=RunState.RUNNING, pid=1, heartbeat_s=1.0)
    end_attempt(store, store.get(run_id), "It is gone", **kinds)
    return store.get(run_id)


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.PAUSED])
def test_it_is_queued_again_and_keeps_its_best_plane(store, run_id, state):
    for seed, objective in enumerate([1.0, 3.0, 2.0]):
        store.append(run_id, plane(objective, seed))
    store.transition(run_id, {RunState.RUNNING}, state=state)
    record, final = lose(store, run_id), store.last_event(run_id)
    assert (record.state, record.message, record.pid) == (RunState.QUEUED, "", None)
    assert (record.attempt, record.n_losses) == (1, 1)
    assert (final.is_final, final.objective) == (True, 3.0)
    assert_same_plane(final.components, plane(seed=1).components)
    assert store.claim() == record


def test_a_run_that_takes_its_workers_down_is_given_up_and_says_so(store, run_id):
    states = [lose(store, run_id).state for _ in range(TRIES)]
    assert states == [RunState.QUEUED] * (TRIES - 1) + [RunState.LOST]
    record = store.get(run_id)
    assert record.message.startswith(f"It is gone, and the run was tried {TRIES} times.")
    assert record.finished_s is not None
    assert store.claim() is None
    assert reopen(store, run_id)
    assert store.get(run_id).n_losses == 0


def test_a_run_is_not_to_blame_where_the_studio_is_stopped(store, run_id):
    for _ in range(2 * TRIES):
        assert lose(store, run_id, is_loss=False).state is RunState.QUEUED


def test_it_is_cancelled_if_that_was_asked_for(store, run_id):
    store.cancel(run_id)
    record = lose(store, run_id)
    assert (record.state, record.message) == (RunState.CANCELLED, STOPPED)


def test_a_history_that_is_complete_gets_no_second_end(store, run_id):
    store.append(run_id, plane(is_final=True))
    lose(store, run_id)
    assert store.n_events(run_id) == 1


def test_a_history_without_a_plane_stays_empty(store, run_id):
    assert lose(store, run_id).state is RunState.QUEUED
    assert store.n_events(run_id) == 0


def test_of_two_who_find_it_lost_the_second_leaves_the_next_attempt_alone(store, run_id):
    seen = store.get(run_id)
    lose(store, run_id)
    store.claim()
    store.transition(run_id, {RunState.QUEUED}, state=RunState.RUNNING, pid=2)
    before = store.get(run_id)
    end_attempt(store, seen, "It is gone")
    assert store.get(run_id) == before


def test_a_run_that_ended_meanwhile_is_left_alone(store, run_id):
    seen = store.get(run_id)
    store.transition(run_id, {RunState.RUNNING}, state=RunState.DONE)
    before = store.get(run_id)
    end_attempt(store, seen, "It is gone")
    assert store.get(run_id) == before


def test_a_run_that_is_queued_again_by_its_user_forgets_that_it_should_pause(store):
    record = started(store)
    store.update_request(record.run_id, RunRequest.stepped)
    store.transition(record.run_id, {RunState.RUNNING}, state=RunState.FAILED)
    assert reopen(store, record.run_id)
    assert store.request(record.run_id) == RunRequest(attempt=1)


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

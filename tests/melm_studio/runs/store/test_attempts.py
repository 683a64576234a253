"""A run whose worker died goes on from its best plane, in a bounded number of attempts."""

from __future__ import annotations

import pytest

from melm_studio.configuration.messages import STOPPED
from melm_studio.runs.records.request import RunRequest
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.attempts import end_attempt, reopen
from tests.melm_studio.runs.helpers import assert_same_plane, plane, started

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

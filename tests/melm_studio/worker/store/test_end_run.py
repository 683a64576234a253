"""A run whose worker died ends with a message and its best plane."""

from __future__ import annotations

from melm_studio.worker.config.messages import STOPPED
from melm_studio.worker.records.run import AT_WORK, RunState
from melm_studio.worker.store.end_run import end_run
from tests.melm_studio.worker.helpers import assert_same_plane, plane


def test_it_is_lost_with_the_sentence_and_keeps_its_best_plane(store, run_id):
    for seed, objective in enumerate([1.0, 3.0, 2.0]):
        store.append(run_id, plane(objective, seed))
    end_run(store, run_id, "Gone.", expected={RunState.RUNNING})
    record, final = store.get(run_id), store.last_event(run_id)
    assert (record.state, record.message) == (RunState.LOST, "Gone.")
    assert record.finished_s is not None
    assert final.is_final
    assert final.objective == 3.0
    assert_same_plane(final.components, plane(seed=1).components)


def test_it_is_cancelled_if_that_was_asked_for(store, run_id):
    store.request_cancel(run_id)
    end_run(store, run_id, "Gone.", expected={RunState.RUNNING})
    record = store.get(run_id)
    assert (record.state, record.message) == (RunState.CANCELLED, STOPPED)


def test_a_history_that_is_complete_gets_no_second_end(store, run_id):
    store.append(run_id, plane(is_final=True))
    end_run(store, run_id, "Gone.", expected={RunState.RUNNING})
    assert store.n_events(run_id) == 1


def test_a_history_without_a_plane_stays_empty(store, run_id):
    end_run(store, run_id, "Gone.", expected={RunState.RUNNING})
    assert store.n_events(run_id) == 0
    assert store.get(run_id).state is RunState.LOST


def test_a_run_that_is_gone_while_paused_is_lost(store, run_id):
    store.transition(run_id, {RunState.RUNNING}, state=RunState.PAUSED)
    end_run(store, run_id, "Gone.", expected=AT_WORK)
    assert store.get(run_id).state is RunState.LOST


def test_a_run_in_another_state_is_left_alone(store, run_id):
    before = store.get(run_id)
    end_run(store, run_id, "Gone.", expected={RunState.QUEUED})
    assert store.get(run_id) == before

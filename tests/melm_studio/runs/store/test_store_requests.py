"""The contract of a store about what is asked of a run, the same on every back end."""

from __future__ import annotations

import pytest

from melm_studio.runs.records.run import Command, RunRequest, RunState
from melm_studio.runs.store.protocol import RunStore
from tests.melm_studio.runs.helpers import created, plane, run_of, started

QUEUED, RUNNING, PAUSED = RunState.QUEUED, RunState.RUNNING, RunState.PAUSED
FINAL = [state for state in RunState if state.is_final]

# ------------------------------------------------------------------------------------- cancel


def test_a_queued_run_is_cancelled_at_once(store):
    record = created(store)
    store.cancel(record.run_id)
    cancelled = store.get(record.run_id)
    assert cancelled.state is RunState.CANCELLED
    assert cancelled.finished_s is not None
    assert cancelled.message == "Stopped before it started."
    assert store.claim() is None


def test_a_running_run_is_asked_to_stop(store):
    record = started(store)
    assert not store.request(record.run_id).is_cancelled
    store.cancel(record.run_id)
    assert store.request(record.run_id).is_cancelled
    assert store.get(record.run_id).state is RUNNING


def test_a_run_that_is_no_longer_kept_should_stop(store):
    record = started(store)
    store.delete(record.run_id)
    assert store.request(record.run_id).is_cancelled


def _requesting(change):
    return lambda store, run_id: store.update_request(run_id, change)


REQUESTS = {
    "cancel": RunStore.cancel,
    "pause": _requesting(RunRequest.paused),
    "step": _requesting(RunRequest.stepped),
    "resume": _requesting(RunRequest.resumed),
}


@pytest.mark.parametrize("request_it", REQUESTS.values(), ids=REQUESTS)
def test_a_request_to_an_unknown_run_creates_nothing(store, request_it):
    later = run_of()
    request_it(store, later.run_id)
    assert store.get(later.run_id) is None
    store.create(later)
    assert store.request(later.run_id) == RunRequest()


@pytest.mark.parametrize("request_it", REQUESTS.values(), ids=REQUESTS)
@pytest.mark.parametrize("state", FINAL)
def test_a_request_to_a_run_that_has_ended_changes_nothing(store, state, request_it):
    record = started(store)
    store.transition(record.run_id, {RUNNING}, state=state)
    request_it(store, record.run_id)
    assert store.request(record.run_id) == RunRequest()


# ------------------------------------------------------------------------------------- pause


def test_nothing_is_asked_of_a_new_run(store):
    assert store.request(created(store).run_id) == RunRequest()


def test_a_run_is_asked_to_pause_and_to_go_on(store):
    record = started(store)
    store.update_request(record.run_id, RunRequest.paused)
    assert store.request(record.run_id).is_paused
    store.update_request(record.run_id, RunRequest.resumed)
    assert store.request(record.run_id) == RunRequest()
    assert store.get(record.run_id).state is RUNNING


def test_every_request_for_a_step_counts_and_pauses(store):
    record = started(store)
    store.update_request(record.run_id, RunRequest.stepped)
    store.update_request(record.run_id, RunRequest.stepped)
    assert store.request(record.run_id) == RunRequest(Command.PAUSE, n_steps=2)


def test_a_queued_run_remembers_that_it_should_pause(store):
    record = created(store)
    store.update_request(record.run_id, RunRequest.paused)
    assert store.claim() == record
    assert store.request(record.run_id).is_paused


@pytest.mark.parametrize("request_it", REQUESTS.values(), ids=REQUESTS)
def test_a_run_that_was_asked_to_stop_stays_so(store, request_it):
    record = started(store)
    store.cancel(record.run_id)
    request_it(store, record.run_id)
    assert store.request(record.run_id).is_cancelled


def test_a_paused_run_is_unfinished_and_takes_beats_and_planes(store):
    record = started(store)
    assert store.transition(record.run_id, {RUNNING}, state=PAUSED)
    store.beat(record.run_id, 12.5)
    store.append(record.run_id, plane())
    assert [run.state for run in store.unfinished()] == [PAUSED]
    assert store.get(record.run_id).heartbeat_s == 12.5
    assert store.n_events(record.run_id) == 1

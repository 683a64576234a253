"""The contract of the store, the same on every back end."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, product

import numpy as np
import pytest
from msgspec.structs import replace

from melm_studio.configuration.limits import LimitReachedError
from melm_studio.runs.records.run import RunRequest, RunState
from melm_studio.runs.store.attempts import reopen
from melm_studio.runs.store.protocol import Ended, RunEndedError, Sign
from tests.melm_studio.runs.helpers import created, plane, run_of, started

QUEUED, RUNNING = RunState.QUEUED, RunState.RUNNING
FINAL = [state for state in RunState if state.is_final]
PAUSED = RunState.PAUSED


# ------------------------------------------------------------------------------------- runs


def test_a_created_run_is_kept_as_it_was_given(store):
    record = created(store)
    assert store.get(record.run_id) == record


def test_an_unknown_run_is_none(store):
    assert store.get("nobody") is None


def test_an_owner_sees_own_runs_only_oldest_first(store):
    first, _, second = created(store, "ada"), created(store, "bob"), created(store, "ada")
    assert [run.run_id for run in store.runs_of("ada")] == [first.run_id, second.run_id]
    assert store.runs_of("eve") == []


def test_owners_whose_names_hold_separators_do_not_mix(store):
    created(store, "a/b")
    assert store.runs_of("a") == []
    assert len(store.runs_of("a/b")) == 1


def test_runs_events_and_queue_are_there_after_reopening(open_store):
    first = open_store()
    record = created(first)
    first.append(record.run_id, plane())
    first.close()
    second = open_store()
    assert second.get(record.run_id) == record
    assert second.n_events(record.run_id) == 1
    assert second.claim() == record


# ------------------------------------------------------------------------------------- transitions


@pytest.mark.parametrize("state", [RUNNING, PAUSED, *FINAL])
def test_a_queued_run_moves_on_and_leaves_the_queue(store, state):
    record = created(store)
    assert store.transition(record.run_id, {QUEUED}, state=state, message="so")
    moved = store.get(record.run_id)
    assert (moved.state, moved.message) == (state, "so")
    assert store.claim() is None


@pytest.mark.parametrize("state", FINAL)
def test_a_running_run_ends_and_is_unfinished_no_more(store, state):
    record = started(store)
    assert [run.run_id for run in store.unfinished()] == [record.run_id]
    assert store.transition(record.run_id, {RUNNING}, state=state)
    assert store.get(record.run_id).state is state
    assert store.unfinished() == []


@pytest.mark.parametrize("state", FINAL)
@pytest.mark.parametrize("wanted", list(RunState))
def test_a_final_run_never_changes(store, state, wanted):
    record = started(store)
    store.transition(record.run_id, {RUNNING}, state=state)
    ended = store.get(record.run_id)
    assert not store.transition(record.run_id, set(RunState), state=wanted, message="again")
    assert store.get(record.run_id) == ended


@pytest.mark.parametrize("state", [state for state in FINAL if state.is_cut_short])
def test_a_run_that_was_cut_short_is_queued_again_with_its_history(store, state):
    record = started(store)
    store.append(record.run_id, plane())
    store.cancel(record.run_id)
    store.transition(record.run_id, {RUNNING}, state=state, message="why", finished_s=9.0)
    assert reopen(store, record.run_id)
    again = store.get(record.run_id)
    assert (again.state, again.message, again.finished_s) == (QUEUED, "", None)
    assert not store.request(record.run_id).is_cancelled
    assert [run.run_id for run in store.unfinished()] == [record.run_id]
    assert store.claim().run_id == record.run_id
    assert store.append(record.run_id, plane()) == 1


@pytest.mark.parametrize("state", [QUEUED, RUNNING, PAUSED, RunState.DONE])
def test_no_other_run_is_queued_again(store, state):
    record = started(store) if state is not QUEUED else created(store)
    store.transition(record.run_id, {RUNNING}, state=state)
    before = store.get(record.run_id)
    assert not reopen(store, record.run_id)
    assert not reopen(store, "nobody")
    assert store.get(record.run_id) == before


def test_what_a_user_says_of_a_run_changes_after_its_end_too(store):
    record = started(store)
    store.transition(record.run_id, {RUNNING}, state=RunState.DONE)
    store.annotate(record.run_id, name="mine", removed_s=1.0)
    changed = store.get(record.run_id)
    assert (changed.name, changed.removed_s, changed.state) == ("mine", 1.0, RunState.DONE)
    store.annotate("nobody", name="mine")
    assert store.get("nobody") is None


def test_a_transition_from_another_state_than_expected_changes_nothing(store):
    record = created(store)
    assert not store.transition(record.run_id, {RUNNING}, state=RunState.DONE)
    assert store.get(record.run_id) == record


def test_a_transition_of_an_unknown_run_is_refused(store):
    assert not store.transition("nobody", set(RunState), state=RunState.DONE)


def test_of_many_threads_one_wins_the_transition(open_store):
    record = created(open_store())
    barrier = threading.Barrier(8)

    def compete(pid):
        mine = open_store()
        barrier.wait()
        try:
            return mine.transition(record.run_id, {QUEUED}, state=RUNNING, pid=pid)
        finally:
            mine.close()

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(compete, range(8)))
    assert won.count(True) == 1
    assert open_store().get(record.run_id).pid == won.index(True)


def test_a_heartbeat_is_kept(store):
    record = started(store)
    store.beat(record.run_id, 12.5)
    assert store.get(record.run_id).heartbeat_s == 12.5


@pytest.mark.parametrize("state", FINAL)
def test_a_heartbeat_does_not_bring_a_final_run_back(store, state):
    record = started(store)
    store.transition(record.run_id, {RUNNING}, state=state)
    ended = store.get(record.run_id)
    store.beat(record.run_id, 12.5)
    assert store.get(record.run_id) == ended


def test_a_heartbeat_of_an_unknown_run_creates_nothing(store):
    store.beat("nobody", 1.0)
    assert store.get("nobody") is None


# ------------------------------------------------------------------------------------- events


def test_events_are_numbered_in_the_order_they_come(store):
    record = started(store)
    numbers = [store.append(record.run_id, plane(value, sequence=99)) for value in range(3)]
    assert numbers == [0, 1, 2]
    assert [event.sequence for event in store.events(record.run_id)] == numbers
    assert [event.objective for event in store.events(record.run_id)] == [0, 1, 2]


def test_components_come_back_bit_for_bit(store):
    record = started(store)
    event = plane(seed=3, components=np.array([[0.1, -0.0, 5e-324], [1e308, np.pi, np.inf]]))
    store.append(record.run_id, event)
    assert store.last_event(record.run_id).components.tobytes() == event.components.tobytes()


def test_events_are_sliced_as_a_list(store):
    record = started(store)
    for value in range(5):
        store.append(record.run_id, plane(value))

    ends = [None, 0, 1, 3, 5, 99, -1, -2, -99]
    for start, stop in product(ends[1:], ends):
        found = [event.sequence for event in store.events(record.run_id, start, stop)]
        assert found == list(range(5))[start:stop], (start, stop)


def test_the_last_event_is_the_newest(store):
    record = started(store)
    assert store.last_event(record.run_id) is None
    store.append(record.run_id, plane(1.0))
    store.append(record.run_id, plane(2.0))
    assert store.last_event(record.run_id).objective == 2.0
    assert store.n_events(record.run_id) == 2


def test_the_bytes_of_a_history_are_counted_and_gone_with_it(store):
    record = started(store)
    assert store.history_size(record.run_id).n_bytes == 0
    for value in range(3):
        store.append(record.run_id, plane(float(value)))
    expected = sum(len(event.to_bytes()) for event in store.events(record.run_id))
    assert store.history_size(record.run_id).n_bytes == expected
    store.delete(record.run_id)
    assert store.history_size(record.run_id).n_bytes == 0


def test_an_event_that_is_not_there_is_none(store):
    assert store.event("nobody", 0) is None
    assert store.events("nobody") == []


@pytest.mark.parametrize("state", FINAL)
def test_a_run_that_ended_takes_no_more_events(store, state):
    record = started(store)
    store.transition(record.run_id, {RUNNING}, state=state)
    with pytest.raises(RunEndedError, match="has ended"):
        store.append(record.run_id, plane())
    assert store.n_events(record.run_id) == 0


def test_events_appended_by_several_threads_are_all_kept_under_different_numbers(open_store):
    record = started(open_store())

    def append_ten(_):
        mine = open_store()
        try:
            return [mine.append(record.run_id, plane()) for _ in range(10)]
        finally:
            mine.close()

    with ThreadPoolExecutor(4) as pool:
        numbers = list(chain.from_iterable(pool.map(append_ten, range(4))))
    assert sorted(numbers) == list(range(40))
    assert open_store().n_events(record.run_id) == 40


# ------------------------------------------------------------------------------------- deletion


def test_a_deleted_run_leaves_nothing(store):
    record, other = started(store), created(store)
    store.append(record.run_id, plane())
    store.cancel(record.run_id)
    store.delete(record.run_id)
    assert store.get(record.run_id) is None
    assert store.n_events(record.run_id) == 0
    assert store.event(record.run_id, 0) is None
    assert store.runs_of("ada") == store.unfinished() == [other]


def test_deleting_an_unknown_run_does_nothing(store):
    record = created(store)
    store.delete("nobody")
    assert store.runs_of("ada") == [record]


# ------------------------------------------------------------------------------------- tallies


def test_runs_that_ended_are_counted_with_the_seconds_they_worked(store):
    for seconds in (2.0, 3.0):
        record = created(store)
        store.transition(record.run_id, {QUEUED}, state=RUNNING, started_s=10.0)
        ending = {"state": RunState.DONE, "finished_s": 10.0 + seconds}
        store.transition(record.run_id, {RUNNING}, **ending)
        store.transition(record.run_id, set(RunState), **ending)
        store.delete(record.run_id)
    store.cancel(created(store).run_id)
    ended = store.ended()
    assert ended[RunState.DONE] == Ended(2, 5.0)
    assert ended[RunState.CANCELLED] == Ended(1, 0.0)
    assert ended[RunState.LOST] == Ended()


def test_the_supervisor_s_last_beat_is_known(store):
    assert store.marked_s(Sign.SUPERVISOR) is None
    store.mark(Sign.SUPERVISOR, 1.5)
    store.mark(Sign.SUPERVISOR, 2.5)
    assert store.marked_s(Sign.SUPERVISOR) == 2.5


# ------------------------------------------------------------------------------------- secret


def test_all_who_open_the_store_share_one_secret(open_store):
    secret = open_store().secret()
    assert len(secret) == 32
    assert open_store().secret() == secret


# ------------------------------------------------------------------------------------- changes


def test_no_change_of_a_run_or_of_what_is_requested_is_lost_meanwhile(open_store):
    first = open_store()
    run_id = started(first).run_id

    def count_up(_):
        mine = open_store()
        try:
            for _ in range(20):
                mine.change(
                    run_id,
                    lambda run, request: (
                        replace(run, n_features=run.n_features + 1),
                        request.stepped(),
                    ),
                )
        finally:
            mine.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count_up, range(4)))
    assert (first.get(run_id).n_features, first.request(run_id).n_steps) == (80, 80)


def test_a_change_that_is_refused_changes_nothing(store):
    record = store.get(started(store).run_id)

    def refuse(run, request):
        raise LimitReachedError("no")

    with pytest.raises(LimitReachedError):
        store.change(record.run_id, refuse)
    assert not store.change(record.run_id, lambda run, request: None)
    assert (store.get(record.run_id), store.request(record.run_id)) == (record, RunRequest())
    assert not store.change("unknown", refuse)


def test_the_best_plane_is_the_one_with_the_largest_objective(store):
    record = run_of()
    store.create(record)
    assert store.best_event(record.run_id) is None
    for value in (1.0, 3.0, 2.0):
        store.append(record.run_id, plane(value))
    assert store.best_event(record.run_id).sequence == 1


def test_the_plane_of_all_rows_is_better_than_those_of_a_sample(store):
    record = run_of()
    store.create(record)
    for value, n_sampled in ((1.1, 2_000), (1.2, 2_000), (0.9, 0), (0.95, 0), (1.3, 2_000)):
        store.append(record.run_id, plane(value, n_sampled=n_sampled))
    assert store.best_event(record.run_id).sequence == 3

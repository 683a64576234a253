"""The history of a run keeps what the eye can follow."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from melm_core.base.progress import Progress
from melm_studio.configuration.limits import Limits
from melm_studio.runs.records.run import RunRequest
from melm_studio.workers.recorder import LATER_EVENTS_PER_S, LATER_GAP, Recorder
from tests.melm_studio.runs.helpers import (
    ManualClock,
    assert_same_plane,
    plane,
    started,
)


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def recorder(store, run_id, clock):
    return Recorder(store, run_id, clock, n_kept_all=3)


def step(objective=1.0, seed=0, elapsed_s=0.1):
    components = plane(seed=seed).components
    return Progress(components, objective, objective, 1, 1, 1, 1, "start 1 of 1", 0.5, elapsed_s)


def test_early_planes_are_all_kept_however_fast_they_come(store, run_id, recorder):
    for _ in range(3):
        recorder(step())
    assert store.n_events(run_id) == 3


def test_later_planes_are_kept_as_often_as_the_eye_follows(store, run_id, recorder, clock):
    for _ in range(100):
        recorder(step())
        clock.now_s += 0.1 / LATER_EVENTS_PER_S
    assert store.n_events(run_id) == pytest.approx(3 + 10, abs=1)


def test_the_longer_a_run_the_rarer_its_planes(store, run_id, recorder, clock):
    for _ in range(3):
        recorder(step())
    clock.now_s = 1_000.0
    recorder(step())
    n_events, gap_s = store.n_events(run_id), LATER_GAP * 1_000.0
    clock.now_s += 0.9 * gap_s
    recorder(step())
    assert store.n_events(run_id) == n_events
    clock.now_s += 0.2 * gap_s
    recorder(step())
    assert store.n_events(run_id) == n_events + 1


def recorded(open_store, n_steps, **limits):
    """The events of a run of so many steps, far apart, and of its end."""
    store = open_store(**limits)
    record = started(store)
    clock = ManualClock()
    recorder = Recorder(store, record.run_id, clock)
    for seed in range(n_steps):
        clock.now_s += 3_600.0
        recorder(step(seed=seed % 7))
    recorder.conclude(plane(seed=1).components, 9.0, is_complete=True)
    return store, record.run_id


@pytest.mark.parametrize("n_steps", [6, 7, 8, 30])
def test_no_more_planes_are_kept_than_the_limit_and_the_last_one_always_is(open_store, n_steps):
    store, run_id = recorded(open_store, n_steps, run_planes=8)
    assert store.n_events(run_id) == min(n_steps + 1, 8)
    assert store.last_event(run_id).is_final
    assert store.last_event(run_id).objective == 9.0


def test_planes_stop_where_the_owner_has_no_room_left_but_the_last_one_is_kept(
    open_store, monkeypatch
):
    monkeypatch.setattr(Limits, "session_bytes", 4_000)
    store, run_id = recorded(open_store, 30)
    assert 3 < store.n_events(run_id) < 30
    assert store.history_size(run_id).n_bytes <= 4_000
    assert store.last_event(run_id).is_final


def test_the_last_plane_is_kept_however_fast_it_comes(store, run_id, recorder):
    for _ in range(10):
        recorder(step())
    recorder.conclude(plane(seed=1).components, 2.0, is_complete=True)
    assert store.n_events(run_id) == 4
    assert store.last_event(run_id).is_final
    assert store.last_event(run_id).objective == 2.0


def test_a_continued_run_keeps_no_plane_twice(store, run_id, recorder, clock):
    def passed(recorder, n_steps):
        for number in range(1, n_steps + 1):
            recorder(replace(step(number), n_evaluations=number))

    passed(recorder, 2)
    recorder.conclude(plane().components, 2.0, is_complete=False)
    continued = Recorder(store, run_id, clock, n_kept_all=10)
    passed(continued, 4)
    assert [event.objective for event in store.events(run_id)] == [1.0, 2.0, 2.0, 3.0, 4.0]


@pytest.mark.fault
def test_a_run_whose_worker_was_gone_at_its_end_has_one_last_plane(store, run_id, recorder, clock):
    recorder.conclude(plane().components, 2.0, is_complete=True)
    Recorder(store, run_id, clock).conclude(plane().components, 2.0, is_complete=True)
    assert [event.is_final for event in store.events(run_id)] == [True]


@pytest.mark.fault
def test_a_continued_run_that_is_stopped_early_keeps_the_better_plane_of_before(
    store, run_id, recorder, clock
):
    recorder(step(5.0, seed=3))
    continued = Recorder(store, run_id, clock)
    continued(step(1.0, seed=1))
    continued.conclude(plane(seed=1).components, 1.0, is_complete=False)
    last = store.last_event(run_id)
    assert (last.is_final, last.objective) == (True, 5.0)
    assert_same_plane(last.components, plane(seed=3).components)


def test_the_best_step_is_remembered_even_if_it_is_not_kept(recorder):
    for objective in (1.0, 2.0, 1.0, 5.0, 4.0):
        recorder(step(objective))
    assert recorder.best.objective == 5.0


def test_a_plane_over_more_rows_is_better_than_any_of_a_sample(recorder):
    for objective, n_sampled in ((1.2, 2_000), (0.9, 10_000), (0.8, 10_000), (0.7, 0), (0.6, 0)):
        recorder(replace(step(objective), n_sampled=n_sampled))
    assert (recorder.best.objective, recorder.best.n_sampled) == (0.7, 0)


@pytest.mark.parametrize(
    ("attempts", "expected"),
    [
        (((1.2, 2_000), (0.9, 10_000)), 0.9),  # the earlier one was of a smaller sample
        (((0.9, 10_000), (1.2, 2_000)), 0.9),
        (((0.9, 10_000), (0.8, 10_000)), 0.9),
        (((0.9, 10_000), (1.0, 10_000)), 1.0),
        (((0.9, 0), (1.2, 2_000)), 0.9),
        (((0.9, 2_000), (0.8, 0)), 0.8),
    ],
)
def test_a_continued_run_that_fails_keeps_the_plane_of_the_most_rows(
    store, run_id, clock, attempts, expected
):
    for objective, n_sampled in attempts:
        recorder = Recorder(store, run_id, clock)
        recorder(replace(step(objective, seed=int(10 * objective)), n_sampled=n_sampled))
        best = recorder.best
    recorder.conclude(best.components, best.objective, is_complete=False, n_sampled=best.n_sampled)
    last = store.last_event(run_id)
    assert last.objective == last.best_objective == expected
    assert_same_plane(last.components, plane(seed=int(10 * expected)).components)


def test_a_request_to_cancel_reaches_the_fit_at_the_next_step(store, run_id, recorder):
    assert recorder(step()) is False
    store.cancel(run_id)
    assert recorder(step()) is True
    assert recorder.stopped


def test_the_time_of_a_pause_is_not_counted(store, run_id, recorder, clock):
    def resume_after(seconds):
        clock.now_s += 60
        store.update_request(run_id, RunRequest.resumed)

    clock.sleep = resume_after
    store.update_request(run_id, RunRequest.paused)
    recorder(step())
    recorder(step(elapsed_s=61.0))
    assert store.last_event(run_id).elapsed_s == pytest.approx(1.0)
    recorder.conclude(plane().components, 2.0, is_complete=True)
    assert store.last_event(run_id).elapsed_s == pytest.approx(0.0)


def test_every_single_step_of_a_paused_run_is_kept(store, run_id, recorder, clock):
    store.update_request(run_id, RunRequest.paused)
    for _ in range(5):
        store.update_request(run_id, RunRequest.stepped)
    for _ in range(5):
        recorder(step())
    assert store.n_events(run_id) == 5

"""The history of a run keeps what the eye can follow."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from melm_core.progress import Progress
from tests.worker.helpers import plane, run_of
from worker import recorder as recorder_module
from worker.recorder import LATER_EVENTS_PER_S, Recorder
from worker.records import RunState


@dataclass
class Watch:
    """A clock that stands until it is moved."""

    now_s: float = 0.0

    def time(self):
        return self.now_s

    def monotonic(self):
        return self.now_s


@pytest.fixture
def watch():
    return Watch()


@pytest.fixture
def run_id(store):
    record = run_of()
    store.create(record)
    store.transition(record.run_id, {RunState.QUEUED}, state=RunState.RUNNING)
    return record.run_id


@pytest.fixture
def recorder(store, run_id, watch, monkeypatch):
    monkeypatch.setattr(recorder_module, "N_KEPT_ALL", 3)
    return Recorder(store, run_id, watch)


def step(objective=1.0, seed=0):
    components = plane(seed=seed).components
    return Progress(components, objective, objective, 1, 1, 1, 1, "start 1 of 1", 0.5, 0.1)


def test_early_planes_are_all_kept_however_fast_they_come(store, run_id, recorder):
    for _ in range(3):
        recorder(step())
    assert store.n_events(run_id) == 3


def test_later_planes_are_kept_as_often_as_the_eye_follows(store, run_id, recorder, watch):
    for _ in range(100):
        recorder(step())
        watch.now_s += 0.1 / LATER_EVENTS_PER_S
    assert store.n_events(run_id) == pytest.approx(3 + 10, abs=1)


def test_the_last_plane_is_kept_however_fast_it_comes(store, run_id, recorder):
    for _ in range(10):
        recorder(step())
    recorder.conclude(plane(seed=1).components, 2.0, is_complete=True)
    assert store.n_events(run_id) == 4
    assert store.last_event(run_id).is_final
    assert store.last_event(run_id).objective == 2.0


def test_the_best_step_is_remembered_even_if_it_is_not_kept(recorder):
    for objective in (1.0, 2.0, 1.0, 5.0, 4.0):
        recorder(step(objective))
    assert recorder.best.objective == 5.0


def test_a_request_to_cancel_reaches_the_fit_at_the_next_step(store, run_id, recorder):
    assert recorder(step()) is False
    store.request_cancel(run_id)
    assert recorder(step()) is True
    assert recorder.stopped

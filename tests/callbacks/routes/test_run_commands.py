"""A run holds still, goes on and runs again, for its owner alone."""

from __future__ import annotations

import numpy as np
import pytest

from callbacks.guards.error_answers import sentence
from melm_core.linalg.planes import principal_angles
from melm_studio.views.workspace import MAX_PANELS, PANELS_FULL
from melm_studio.worker.config.messages import HAS_ENDED, PAUSES_LATER
from melm_studio.worker.records.request import Command, RunRequest
from melm_studio.worker.records.run import RunState, new_check
from tests.melm_studio.worker.helpers import plane
from tools.driver.visitor import opened_studio

VERBS = ["pause", "step", "resume", "again"]


@pytest.fixture
def studio(tmp_path):
    """One a test: a run that another test left paused would be waited for."""
    with opened_studio(tmp_path) as studio:
        yield studio


@pytest.fixture
def ready(visitor):
    visitor.choose_sample("iris")
    return visitor


def ask(visitor, run, verb):
    answer = visitor.http.post(f"/runs/{run}/{verb}")
    return answer.status_code, answer.json


def running(studio, visitor, method="melm"):
    run = visitor.start(method=method)
    studio.store.transition(run, {RunState.QUEUED}, state=RunState.RUNNING)
    return run


def cut_short(studio, visitor, state, method="melm"):
    """A run that ended after three planes, the second of them the best."""
    run = running(studio, visitor, method)
    for seed, objective in enumerate([1.0, 3.0, 2.0]):
        components = plane(seed=seed).components[:, :4]
        studio.store.append(run, plane(objective, components=np.linalg.qr(components.T)[0].T))
    studio.store.transition(run, {RunState.RUNNING}, state=state)
    return run


def newest(studio, visitor):
    return studio.store.runs_of(visitor.owner)[-1]


def test_a_running_run_is_asked_to_pause_to_step_and_to_go_on(studio, ready):
    run = running(studio, ready)
    assert ask(ready, run, "pause") == (200, {"words": ""})
    assert studio.store.request(run) == RunRequest(Command.PAUSE)
    assert ask(ready, run, "step") == (200, {"words": ""})
    assert studio.store.request(run) == RunRequest(Command.PAUSE, n_steps=1)
    assert ask(ready, run, "resume") == (200, {"words": ""})
    assert studio.store.request(run) == RunRequest(Command.GO, n_steps=1)


def test_a_queued_run_will_pause_and_says_when(studio, ready):
    run = ready.start()
    assert ask(ready, run, "pause") == (200, {"words": PAUSES_LATER})
    assert studio.store.request(run).is_paused


@pytest.mark.parametrize("verb", ["pause", "step", "resume"])
def test_a_run_that_has_ended_says_so(studio, ready, verb):
    run = cut_short(studio, ready, RunState.FAILED)
    assert ask(ready, run, verb) == (409, sentence(HAS_ENDED))


@pytest.mark.parametrize("state", [state for state in RunState if state.is_cut_short])
def test_a_run_that_was_cut_short_runs_again_from_its_best_plane(studio, ready, state):
    run = cut_short(studio, ready, state)
    status, body = ask(ready, run, "again")
    assert (status, list(body)) == (201, ["revision"])
    before, after = studio.store.get(run), newest(studio, ready)
    (init,) = after.parameters["init"]
    best = studio.store.event(run, 1).components
    assert principal_angles(np.array(init), best).max() < 1e-12
    assert after.parameters == {**before.parameters, "n_init": 1, "init": [init]}
    assert (after.method, after.data_id, after.source) == ("melm", before.data_id, before.source)
    studio.work()
    assert newest(studio, ready).state is RunState.DONE


def test_a_run_that_was_stopped_before_its_first_plane_runs_again_from_the_start(studio, ready):
    run = ready.start(n_init=3)
    studio.store.request_cancel(run)
    ask(ready, run, "again")
    assert newest(studio, ready).parameters == studio.store.get(run).parameters


def test_a_method_that_cannot_begin_from_a_plane_runs_again_from_the_start(studio, ready):
    run = cut_short(studio, ready, RunState.LOST, method="rotations")
    ask(ready, run, "again")
    assert newest(studio, ready).parameters == studio.store.get(run).parameters


def test_a_finished_run_runs_again_with_the_same_seed_and_ends_in_the_same_plane(studio, ready):
    run = ready.start()
    studio.work()
    ask(ready, run, "again")
    studio.work()
    again = newest(studio, ready)
    assert again.run_id != run
    assert again.parameters == studio.store.get(run).parameters
    planes = [studio.store.last_event(each).components for each in (run, again.run_id)]
    np.testing.assert_array_equal(*planes)


def test_a_page_full_of_panels_runs_nothing_again(studio, ready):
    runs = [ready.start(method="pca") for _ in range(MAX_PANELS)]
    assert ask(ready, runs[0], "again") == (409, sentence(PANELS_FULL))
    assert len(studio.store.runs_of(ready.owner)) == MAX_PANELS


@pytest.mark.parametrize("verb", VERBS)
def test_nobody_controls_a_foreign_run_or_one_that_is_not_there(studio, ready, verb):
    run = running(studio, ready)
    stranger = studio.visitor()
    for name in (run, "nobody"):
        assert stranger.http.post(f"/runs/{name}/{verb}").status_code == 404
    assert studio.store.request(run) == RunRequest()
    assert studio.store.runs_of(stranger.owner) == []


@pytest.mark.parametrize("verb", VERBS)
def test_a_check_is_no_run_that_pauses(studio, ready, verb):
    check = new_check(studio.store.get(ready.start(method="pca")))
    studio.store.create(check)
    assert ready.http.post(f"/runs/{check.run_id}/{verb}").status_code == 404

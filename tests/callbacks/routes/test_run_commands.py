"""A run holds still, goes on, continues and is renamed, for its owner alone."""

from __future__ import annotations

import numpy as np
import pytest

from callbacks.guards.error_answers import sentence
from lab.driver.visitor import opened_studio
from melm_studio.configuration.messages import HAS_ENDED, NOT_CUT_SHORT, PAUSES_LATER
from melm_studio.planes import captions
from melm_studio.runs.records.run import Command, RunRequest, RunState, new_analysis
from tests.melm_studio.runs.helpers import plane

VERBS = ["pause", "step", "resume", "continue", "rename"]


@pytest.fixture
def studio(tmp_path):
    """One a test: a run that another test left paused would be waited for."""
    with opened_studio(tmp_path) as studio:
        yield studio


def ask(visitor, run, verb):
    answer = visitor.http.post(f"/runs/{run}/{verb}")
    return answer.status_code, answer.json


def running(studio, visitor, method="melm", **controls):
    run = visitor.start(method=method, **controls)
    studio.store.transition(run, {RunState.QUEUED}, state=RunState.RUNNING)
    return run


def cut_short(studio, visitor, state, method="melm", **controls):
    """A run that ended after three planes, the second of them the best."""
    run = running(studio, visitor, method, **controls)
    for seed, objective in enumerate([1.0, 3.0, 2.0]):
        components = plane(seed=seed).components[:, :4]
        studio.store.append(run, plane(objective, components=np.linalg.qr(components.T)[0].T))
    studio.store.transition(run, {RunState.RUNNING}, state=state)
    return run


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("state", [state for state in RunState if state.is_cut_short])
def test_a_run_that_was_cut_short_continues_in_its_place_with_all_its_starts(studio, ready, state):
    whole = ready.start(n_init=2)
    studio.work()
    run = cut_short(studio, ready, state, n_init=2)
    assert ask(ready, run, "continue") == (200, {})
    assert studio.store.get(run).state is RunState.QUEUED
    assert not studio.store.request(run).is_cancelled
    studio.work()
    after = studio.store.get(run)
    assert (after.state, after.message) == (RunState.DONE, "")
    assert after.outcome.n_starts == 2
    assert [each.run_id for each in ready_runs(studio, ready)] == [whole, run]
    ends = [studio.store.last_event(each) for each in (whole, run)]
    assert ends[0].objective == ends[1].objective


@pytest.mark.slow
def test_a_run_that_is_stopped_in_the_queue_continues_from_the_start(studio, ready):
    run = ready.start(n_init=1)
    studio.store.cancel(run)
    assert ask(ready, run, "continue") == (200, {})
    studio.work()
    assert studio.store.get(run).state is RunState.DONE


@pytest.mark.slow
def test_a_run_that_is_done_cannot_be_continued(studio, ready):
    run = ready.start(method="pca")
    studio.work()
    assert ask(ready, run, "continue") == (409, sentence(NOT_CUT_SHORT))


@pytest.mark.slow
def test_a_run_is_renamed_by_a_title_of_its_own(studio, ready):
    one, other = ready.start(method="pca"), ready.start(method="lda")
    for run, name, title in (
        (one, "  First   look ", "First look"),
        (other, "First look", "First look (2)"),
        (one, "", "PCA"),
        (other, "<b>&", "<b>&"),
    ):
        status, body = rename(ready, run, name)
        assert status == 200
        assert body["revision"]
        assert captions.title(studio.store.get(run)) == title


@pytest.mark.slow
def test_a_title_that_does_not_fit_is_refused(studio, ready):
    run = ready.start(method="pca")
    status, body = rename(ready, run, "x" * 81)
    assert status == 400
    assert "81 characters" in str(body)
    assert studio.store.get(run).name == ""


def rename(visitor, run, name):
    answer = visitor.http.post(f"/runs/{run}/rename", data=name)
    return answer.status_code, answer.json


def ready_runs(studio, visitor):
    return studio.store.runs_of(visitor.owner)


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_nobody_controls_a_foreign_run_or_one_that_is_not_there(studio, ready, verb):
    run = running(studio, ready)
    stranger = studio.visitor()
    for name in (run, "nobody"):
        assert stranger.http.post(f"/runs/{name}/{verb}").status_code == 404
    assert studio.store.request(run) == RunRequest()
    assert studio.store.runs_of(stranger.owner) == []


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_a_check_is_no_run_that_pauses(studio, ready, verb):
    check = new_analysis(studio.store.get(ready.start(method="pca")), "check")
    studio.store.create(check)
    assert ready.http.post(f"/runs/{check.run_id}/{verb}").status_code == 404

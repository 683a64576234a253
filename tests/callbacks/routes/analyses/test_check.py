"""Is it real? A check of what a run found."""

from __future__ import annotations

import pytest

from lab.driver.visitor import shared_reader
from melm_studio.configuration.settings import Settings
from melm_studio.runs.records.run import RunState
from melm_studio.workspace.workspace import Workspace
from tests.callbacks.routes.analyses.helpers import shown

NAME = "check"
SAMPLE = "iris"
STARTED = {"method": "lda"}


@pytest.fixture(scope="module", autouse=True)
def few_shuffles():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 9)
        yield


def begun(visitor, run) -> str:
    """The run of the check."""
    return visitor.http.post(f"/runs/{run}/analyses/check").json["run"]


@pytest.fixture
def other(studio, owner):
    """A run that nothing was asked of."""
    run = owner.start(method="pca")
    studio.work()
    return run


def test_a_check_waits_for_a_worker_and_then_says_what_it_knows(studio, owner, other):
    begun(owner, other)
    waiting = shown(owner, other, NAME)
    assert (waiting["stage"], waiting["is_final"]) == ("Waiting for a free worker", False)
    assert waiting["words"] == "No results yet."
    studio.work()
    known = shown(owner, other, NAME)
    assert "of held-out rows are told apart" in known["words"]
    assert known["is_final"]


@pytest.mark.slow
def test_scores_confusion_and_p_are_below_the_sentence(found):
    for words in ("Class densities", "Permutation test: p", "show only setosa and virginica"):
        assert words in found["markup"]
    assert f"runs/{found['run']}/overlap.csv" in found["markup"]


def test_a_run_is_checked_once_however_often_it_is_asked(studio, owner, run, found):
    assert begun(owner, run) == begun(owner, run) == found["run"]
    checks = [r for r in studio.store.runs_of(owner.owner) if r.kind == "check"]
    assert [r.run_id for r in checks if r.of_run == run] == [found["run"]]


def test_a_stopped_check_can_be_asked_for_again(studio, owner, other):
    first = begun(owner, other)
    assert owner.http.post(f"/runs/{other}/analyses/check/stop").status_code == 200
    assert studio.store.get(first).state is RunState.CANCELLED
    stopped = shown(owner, other, NAME)
    assert (stopped["stage"], stopped["can_begin"]) == ("Stopped before it started.", True)
    assert begun(owner, other) != first


@pytest.mark.slow
def test_a_check_has_no_panel_and_goes_with_its_run(studio, owner, other, tmp_path):
    known = begun(owner, other)
    assert known not in owner.panels()
    assert set(owner.frames(other, known)["runs"]) == {other}
    owner.command(other, "remove")
    assert studio.store.get(known).state is RunState.CANCELLED
    own = Workspace(studio.store, owner.owner, Settings(data_dir=tmp_path), shared_reader())
    own.purge(older_than_s=0.0)
    assert studio.store.get(known) is None


def test_nobody_follows_a_foreign_check(studio, run, found):
    stranger = studio.visitor()
    for ask in (stranger.http.get, stranger.http.post):
        assert ask(f"/runs/{run}/analyses/check").status_code == 404
    assert stranger.http.post(f"/runs/{run}/analyses/check/stop").status_code == 404


def test_what_every_analysis_of_a_run_says_so_far_is_one_answer(owner, other, run, found):
    assert owner.http.get(f"/runs/{run}/analyses").json == {NAME: found["words"]}
    assert owner.http.get(f"/runs/{other}/analyses").json == {}

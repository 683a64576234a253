"""Is it real? A check of what a run found."""

from __future__ import annotations

import pytest

from melm_studio.configuration.settings import Settings
from melm_studio.layout import ids
from melm_studio.runs.records.run import RunState
from melm_studio.workspace.workspace import Workspace
from tools.driver.visitor import shared_reader

BODY, RUN = f"{ids.CHECK_BODY}.children", f"{ids.CHECK_RUN}.data"


@pytest.fixture(autouse=True)
def few_shuffles(monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 9)


@pytest.fixture
def finished(studio, visitor):
    """A visitor and their finished LDA run on iris, with its panel."""
    visitor.choose_sample("iris")
    run = visitor.start(method="lda")
    studio.work()
    visitor.panels()
    return visitor, run


def opened(visitor, run):
    return visitor.fire(ids.CHECK_REQUESTED, "data", {"run": run})


def followed(visitor):
    return visitor.fire(ids.CHECK_CLOCK, "n_intervals", 1)


def test_a_check_waits_for_a_worker_and_then_says_what_it_knows(studio, finished):
    visitor, run = finished
    changes = opened(visitor, run)
    assert changes[f"{ids.CHECK}.opened"] is True
    assert "LDA" in changes[f"{ids.CHECK}.title"]
    assert "Waiting for a free worker" in str(changes[BODY])
    assert followed(visitor)[f"{ids.CHECK_CLOCK}.disabled"] is False
    studio.work()
    changes = followed(visitor)
    assert "of held-out rows are told apart" in str(changes[BODY])
    assert changes[f"{ids.CHECK_CLOCK}.disabled"] is True


def test_a_run_is_checked_once_however_often_it_is_asked(studio, finished):
    visitor, run = finished
    first = opened(visitor, run)[RUN]
    studio.work()
    assert opened(visitor, run)[RUN] == first
    checks = [r for r in studio.store.runs_of(visitor.owner) if r.kind == "check"]
    assert [r.run_id for r in checks] == [first]


def test_a_stopped_check_can_be_asked_for_again(studio, finished):
    visitor, run = finished
    first = opened(visitor, run)[RUN]
    visitor.fire(ids.CHECK_STOP, "n_clicks", 1)
    assert studio.store.get(first).state is RunState.CANCELLED
    assert "Stopped before it started." in str(followed(visitor)[BODY])
    assert opened(visitor, run)[RUN] != first


def test_a_check_has_no_panel_and_goes_with_its_run(studio, finished, tmp_path):
    visitor, run = finished
    known = opened(visitor, run)[RUN]
    assert visitor.panels() == [run]
    assert set(visitor.frames(run, known)["runs"]) == {run}
    visitor.command(run, "remove")
    assert studio.store.get(known).state is RunState.CANCELLED
    own = Workspace(studio.store, visitor.owner, Settings(data_dir=tmp_path), shared_reader())
    own.purge(older_than_s=0.0)
    assert studio.store.get(known) is None


def test_nobody_follows_a_foreign_check(studio, finished):
    visitor, run = finished
    known = opened(visitor, run)[RUN]
    stranger = studio.visitor()
    stranger.choose_sample("iris")
    stranger.values |= {RUN: known, f"{ids.CHECK}.opened": True}
    assert stranger.post(ids.CHECK_CLOCK, "n_intervals", 1).status_code == 404
    assert stranger.post(ids.CHECK_STOP, "n_clicks", 1).status_code == 404
    assert stranger.post(ids.CHECK_REQUESTED, "data", {"run": run}).status_code == 404

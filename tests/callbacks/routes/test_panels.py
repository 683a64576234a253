"""Panels list the visitor's runs on the data that are shown; their buttons stop and remove."""

from __future__ import annotations

import pytest

from callbacks.routes.runs import RUN_GONE
from melm_studio.layout import ids
from melm_studio.runs.records.run import RunState
from melm_studio.workspace import workspace


def titles(visitor) -> list[str]:
    return [panel["title"] for panel in visitor.listed()]


def test_data_without_runs_have_no_panel(ready):
    assert ready.listed() == []


def test_the_list_comes_with_the_revision_that_news_tell(ready):
    data = ready.values[f"{ids.DATA}.data"]
    for _ in range(2):
        listed = ready.http.post("/panels", json=data).json
        assert listed["revision"] == ready.frames()["revision"]
        ready.start(method="pca")
    assert ready.http.post("/panels", json=data).json["revision"] != listed["revision"]


@pytest.mark.parametrize("body", [None, [], {"id": "x"}])
def test_what_is_no_data_has_no_list(ready, body):
    assert ready.http.post("/panels", json=body).status_code == 400


def test_panels_stand_in_the_order_of_their_runs_and_name_them(studio, ready):
    ready.start(method="melm", gamma=2)
    ready.start(method="lda", held_out=10)
    records = studio.store.runs_of(ready.owner)
    assert ready.panels() == [record.run_id for record in records]
    assert {"MELM, γ 2, 1 start", "LDA, 10 % held out"} <= set(titles(ready))


def test_panels_are_of_the_data_shown(ready):
    on_iris = ready.start(method="pca")
    ready.choose_sample("wine")
    on_wine = ready.start(method="pca")
    assert ready.panels() == [on_wine]
    ready.choose_sample("iris")
    assert ready.panels() == [on_iris]


def test_another_visitor_with_the_same_data_has_no_panel(studio, ready):
    ready.start(method="pca")
    other = studio.visitor()
    other.choose_sample("iris")
    assert other.panels() == []


def test_stop_cancels_a_queued_run(studio, ready):
    run = ready.start(method="pca")
    ready.command(run, "stop")
    studio.work()
    assert studio.store.get(run).state is RunState.CANCELLED
    assert ready.news(run)["words"] == "Stopped before it started."


def test_stop_of_a_finished_run_changes_nothing(studio, ready):
    run = ready.start(method="pca")
    studio.work()
    assert ready.http.post(f"/runs/{run}/stop", json={}).status_code == 409
    assert studio.store.get(run).state is RunState.DONE


def test_a_removed_run_can_be_put_back_with_its_history(studio, ready):
    run = ready.start(method="pca")
    studio.work()
    assert ready.command(run, "remove")["revision"]
    assert ready.panels() == []
    assert ready.frames(run)["runs"] == {}
    assert ready.command(run, "undo-removal")["revision"]
    assert ready.panels() == [run]
    assert studio.store.n_events(run) == 1
    assert studio.store.get(run).state is RunState.DONE


def test_a_removed_run_stops(studio, ready):
    run = ready.start(method="pca")
    ready.command(run, "remove")
    assert studio.store.get(run).state is RunState.CANCELLED


def test_a_run_and_its_history_are_deleted_once_their_removal_cannot_be_undone(
    studio, ready, monkeypatch
):
    run, later = ready.start(method="pca"), ready.start(method="lda")
    studio.work()
    ready.command(run, "remove")
    monkeypatch.setattr(workspace, "UNDO_S", -1.0)
    ready.command(later, "remove")
    assert studio.store.get(run) is None
    assert studio.store.n_events(run) == 0


def test_equal_runs_have_names_of_their_own(ready):
    for _ in range(2):
        ready.start(method="pca")
    assert titles(ready) == ["PCA", "PCA (2)"]


@pytest.mark.parametrize("order", ["stop", "remove", "undo-removal"])
def test_a_run_of_somebody_else_takes_no_orders(studio, ready, order):
    run = ready.start(method="pca")
    before = studio.store.get(run)
    assert studio.visitor().http.post(f"/runs/{run}/{order}", json={}).status_code == 404
    assert studio.store.get(run) == before
    assert not studio.store.request(run).is_cancelled


@pytest.mark.parametrize("order", ["stop", "remove"])
def test_a_run_that_is_gone_takes_no_orders(ready, order):
    assert ready.http.post(f"/runs/gone/{order}", json={}).status_code == 404


def test_a_run_tells_the_choice_of_its_table_to_whom_it_belongs_alone(studio, ready):
    run_id = ready.start(method="pca")
    choice = ready.http.get(f"/runs/{run_id}/source")
    assert ready.values[f"{ids.DATA}.data"]["source"]["key"] == choice.json["key"]
    assert studio.visitor().http.get(f"/runs/{run_id}/source").json["words"] == RUN_GONE

"""Panels list the visitor's runs on the data that are shown; their buttons stop and remove."""

from __future__ import annotations

import json
import re

import pytest

from melm_studio.layout import ids
from melm_studio.layout.page import FIRST_SAMPLE
from melm_studio.layout.shell.welcome import BEGIN
from melm_studio.runs.records.run import RunState
from melm_studio.workspace import workspace
from tools.driver.visitor import components

PANELS, REVISION = f"{ids.PANELS}.children", f"{ids.REVISION}.data"


def texts(tree) -> list[str]:
    parts = [part["props"].get("children") for part in components(tree)]
    return [part for part in parts if isinstance(part, str)]


def titles(tree) -> list[str]:
    return [part["props"].get("data-title") for part in components(tree)]


def test_data_without_runs_have_a_first_look_and_a_button_to_begin(ready):
    assert ready.panels() == []
    assert BEGIN in texts(ready.values[PANELS])


def begin_button(visitor):
    """The button of the first look that the page comes with, or None."""
    layout = visitor.http.get("/_dash-layout").json
    buttons = [part["props"] for part in components(layout) if part["type"] == "Button"]
    return next((props for props in buttons if props.get("children") == BEGIN), None)


def test_the_page_of_a_new_visitor_comes_with_a_first_look_that_cannot_begin_yet(visitor):
    assert visitor.panels() == []
    assert begin_button(visitor)["disabled"]


def test_the_page_of_a_visitor_with_runs_comes_without(ready):
    ready.start(method="lda")
    assert begin_button(ready) is None


def test_panels_stand_in_the_order_of_their_runs_and_name_them(studio, ready):
    ready.start(method="melm", gamma=2)
    ready.start(method="lda", held_out=0)
    records = studio.store.runs_of(ready.owner)
    assert ready.panels() == [record.run_id for record in records]
    assert {"MELM, γ 2, 1 start", "LDA, 0 % held out"} <= set(titles(ready.values[PANELS]))


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
    assert titles(ready.values[PANELS]) == ["PCA", "PCA (2)"]


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


QUESTION = "Can Barbera, Barolo and Grignolino be told apart?"


def first_look(page: str) -> str:
    """What the page asks for before Dash has rendered it."""
    (data,) = re.findall(r'data-preview="([^"]+)"', page)
    return data.replace("&quot;", '"')


def test_a_first_visit_begins_with_the_question_and_asks_for_its_picture(visitor):
    page = visitor.http.get("/").text
    before_dash, _ = page.split('id="react-entry-point"')
    assert QUESTION in before_dash
    asked = json.loads(first_look(page))
    assert asked["source"]["key"] == FIRST_SAMPLE
    assert visitor.http.post("/preview?scheme=light", json=asked).json["question"] == QUESTION


def test_the_page_of_dash_asks_the_same_word_for_word(visitor):
    """So that the answer is requested once."""
    page = visitor.http.get("/").text
    visitor.choose_sample(FIRST_SAMPLE)
    assert visitor.panels() == []
    shown = visitor.values[f"{ids.PANELS}.children"]
    looks = [part["props"].get("data-preview") for part in components(shown)]
    assert [look for look in looks if look] == [first_look(page)]


def test_the_first_page_of_a_link_shows_no_data_and_that_of_runs_no_look(visitor):
    page = visitor.http.get("/", query_string={"view": "{}"}).text
    assert "data-preview" not in page
    assert "First look at the data" in page
    visitor.choose_sample("iris")
    visitor.start(method="lda")
    assert "First look at the data" not in visitor.http.get("/").text


def test_the_script_of_the_first_page_knows_the_data_of_a_first_visit(visitor):
    page = visitor.http.get("/").text
    (known,) = re.findall(r"const first = (\{.*\});", page)
    assert json.loads(known) == json.loads(first_look(page))["source"]

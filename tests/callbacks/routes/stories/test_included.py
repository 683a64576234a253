"""A story that comes with the studio opens as the visitor's own copy, with nothing to run."""

from __future__ import annotations

from melm_studio.layout import ids
from melm_studio.workspace.stories import INCLUDED_STORIES
from tests.melm_studio.layout.trees import parts

KEY, KINDS = "kernel-width", ["fit", "check", "refits"]


def test_a_story_opens_with_its_runs_done_and_can_be_shown(studio):
    visitor = studio.visitor()
    answer = visitor.http.post(f"/stories/{KEY}", json={})
    assert answer.status_code == 200, answer.text
    view = answer.json["story"]["views"][0]["view"]
    visitor.choose(view["source"])
    changes = visitor.fire(ids.REQUESTED, "data", {"view": view})
    restored = changes[f"{ids.RESTORED}.data"]
    assert restored["run"] in visitor.panels()
    assert restored["options"]["gamma"] == view["options"]["gamma"]
    assert [run.kind for run in studio.store.runs_of(visitor.owner)] == KINDS  # none was started


def test_a_story_that_is_opened_again_stores_nothing_twice(studio):
    visitor = studio.visitor()
    answers = [visitor.http.post(f"/stories/{KEY}", json={}).json for _ in range(2)]
    assert answers[0] == answers[1]
    assert [run.kind for run in studio.store.runs_of(visitor.owner)] == KINDS


def test_an_unknown_story_is_not_found(visitor):
    assert visitor.http.post("/stories/magic", json={}).status_code == 404


def test_other_sites_cannot_open_a_story(visitor):
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert visitor.http.post(f"/stories/{KEY}", headers=headers).status_code == 403


def test_the_menu_of_samples_lists_every_story(visitor):
    shown = parts(visitor.http.get("/_dash-layout").json)
    listed = [props.get("data-included-story") for props in shown]
    assert [key for key in listed if key] == [*INCLUDED_STORIES]

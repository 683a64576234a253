"""What the browser stored for an earlier version of the page, and what users saved, still opens."""

from __future__ import annotations

import json

from melm_studio.layout import ids
from tests.melm_studio.views.test_saved_views import LINK, SMALL_LINK, STORY

SOURCE = {
    "name": "That table", "label": None, "standardise": False, "roles": {"proline": "ignored"},
    "key": "wine", "kind": "sample",
}  # fmt: skip


def test_a_stored_choice_of_data_is_shown(studio, visitor):
    changes = visitor.fire(ids.SOURCE, "data", SOURCE)
    assert changes[f"{ids.DATA_ERROR}.children"] is None
    assert changes["recipe-open.children"] == "not standardized"
    assert "proline" not in studio.data_of(visitor).feature_names


def test_a_page_that_is_open_while_the_studio_is_updated_goes_on(visitor):
    visitor.fire(ids.SOURCE, "data", SOURCE)
    shown = {**visitor.values[f"{ids.DATA}.data"], "source": SOURCE}
    visitor.values[f"{ids.DATA}.data"] = shown
    assert visitor.press_run(method="pca")["run-error.children"] is None
    assert len(visitor.panels()) == 1


def test_a_stored_story_is_listed_and_can_be_extended(visitor):
    stored = json.loads(STORY)
    visitor.values[f"{ids.STORY}.data"] = stored
    assert visitor.fire(ids.STORY_SHOWN, "data", 1)[f"{ids.STORY_SAVE}.disabled"] is False
    added = {"title": "again", "view": stored["views"][1]["view"]}
    changes = visitor.fire(ids.STORY_ADDED, "data", added)
    titles = [view["title"] for view in changes[f"{ids.STORY}.data"]["views"]]
    assert titles == ["MELM refined, γ 0.5, pots", "LDA, wine", "again"]


def test_a_saved_story_file_is_read(visitor):
    answer = visitor.http.post("/story", data=STORY.encode())
    assert answer.status_code == 200
    assert len(answer.json["story"]["views"]) == 2


def test_a_saved_link_requests_its_view(visitor):
    for link in (LINK, SMALL_LINK):
        changes = visitor.fire(ids.ADDRESS, "data", f"?{link}")
        assert changes[f"{ids.NOTICE}.children"] is None
        assert changes[f"{ids.REQUESTED}.data"]["view"]["method"] in ("melm", "lda")


def test_a_saved_view_of_a_sample_starts_its_run(visitor):
    view = json.loads(STORY)["views"][1]["view"]
    requested = {"view": view, "quiet": True}
    choice = visitor.fire(ids.REQUESTED, "data", requested)[f"{ids.RESTORED}.data"]["choice"]
    visitor.choose(choice)
    shown = visitor.values[f"{ids.DATA}.data"]
    restored = visitor.fire(ids.DATA, "data", shown, into=ids.RESTORED)[f"{ids.RESTORED}.data"]
    assert restored["run"] in visitor.panels()
    assert (restored["mode"], restored["quiet"]) == ("present", True)

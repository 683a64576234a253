"""The story on the page: views come and go, keep their captions, and survive their file."""

from __future__ import annotations

import json

import pytest

from callbacks.story import FILE_NAME
from lab.driver.visitor import components
from melm_studio.layout import ids
from melm_studio.runs.records.data_source import DataSource
from melm_studio.workspace.story import MAX_VIEWS, Story
from melm_studio.workspace.view_spec import ViewSpec

STORY, NOTICE = f"{ids.STORY}.data", f"{ids.NOTICE}.children"
LIST, SAVE = f"{ids.STORY_LIST}.children", f"{ids.STORY_SAVE}.disabled"
VIEW = ViewSpec(source=DataSource(kind="sample", key="wine"), method="pca").to_json()


@pytest.fixture
def teller(visitor):
    """A visitor with a story of three views."""
    for title in "abc":
        add(visitor, title)
    shown(visitor)
    return visitor


def add(visitor, title: str) -> dict:
    return visitor.fire(ids.STORY_ADDED, "data", {"title": title, "view": VIEW})


def order(visitor) -> str:
    return "".join(view["title"] for view in visitor.values[STORY]["views"])


def press(visitor, part: str, at: int) -> dict:
    changes = visitor.fire(ids.story(part, at), "n_clicks", 1)
    shown(visitor)
    return changes


def write(visitor, at: int, caption: str) -> dict:
    return visitor.fire(ids.story("caption", at), "value", caption)


def captions(visitor) -> list[str]:
    return [view["caption"] for view in visitor.values[STORY]["views"]]


def shown(visitor) -> list[str]:
    visitor.fire(ids.STORY_SHOWN, "data", 1)
    typed = ("story-title", "story-caption", "story-notes")
    for name in [name for name in visitor.values if any(text in name for text in typed)]:
        del visitor.values[name]  # what was typed into fields that are drawn anew
    parts = [part["props"] for part in components(visitor.values[LIST])]
    return [
        part["children"] for part in parts if "story-title" in part.get("className", "").split()
    ]


def test_a_view_that_is_added_is_the_last(visitor):
    for title in "ab":
        assert list(add(visitor, title)) == [STORY]
    assert shown(visitor) == ["1. a", "2. b"]


def test_views_can_be_moved_and_removed(teller):
    press(teller, "down", 0)
    assert order(teller) == "bac"
    press(teller, "up", 2)
    assert order(teller) == "bca"
    press(teller, "remove", 1)
    assert order(teller) == "ba"


def test_a_caption_is_kept(teller):
    write(teller, 1, "Here they part.")
    assert captions(teller) == ["", "Here they part.", ""]


def test_title_and_notes_are_kept(teller):
    teller.fire(ids.story("title", 0), "value", "Before")
    teller.fire(ids.story("notes", 0), "value", "Ask the room first.")
    assert shown(teller)[0] == "1. Before"
    assert teller.values[STORY]["views"][0]["notes"] == "Ask the room first."


def test_a_caption_that_stays_the_same_changes_nothing(teller):
    assert write(teller, 1, "") == {}


@pytest.mark.parametrize("part", ["up", "down", "remove"])
def test_what_was_typed_a_moment_ago_is_not_lost(teller, part):
    before = teller.values[STORY]
    write(teller, 1, "typed")
    teller.values[STORY] = before  # as while that is still on its way
    press(teller, part, 0)
    assert "typed" in captions(teller)


def test_what_was_typed_a_moment_ago_is_saved(teller):
    before = teller.values[STORY]
    write(teller, 0, "typed")
    teller.values[STORY] = before
    file = teller.fire(ids.STORY_SAVE, "n_clicks", 1)[f"{ids.STORY_FILE}.data"]
    assert json.loads(file["content"])["views"][0]["caption"] == "typed"


def test_a_button_of_a_view_that_is_gone_does_nothing(teller):
    assert press(teller, "remove", 7) == {}


def test_a_full_story_says_so(visitor):
    view = {"title": "x", "caption": "", "view": VIEW}
    full = {**Story().to_json(), "views": [view] * MAX_VIEWS}
    visitor.values[STORY] = full
    assert add(visitor, "y") == {
        NOTICE: f"A story holds {MAX_VIEWS} views. Remove one to add another."
    }


@pytest.mark.parametrize("kept", [None, 3, [], {}, {"format": "other"}, {"views": [1]}])
def test_whatever_a_browser_kept_the_page_shows_a_story(visitor, kept):
    visitor.values[STORY] = kept
    assert visitor.fire(ids.STORY_SHOWN, "data", 1)[SAVE] is True
    add(visitor, "a")
    assert order(visitor) == "a"


def test_a_story_survives_its_file(studio, teller):
    write(teller, 0, "Zuerst ☃")
    file = teller.fire(ids.STORY_SAVE, "n_clicks", 1)[f"{ids.STORY_FILE}.data"]
    assert file["filename"] == FILE_NAME
    other = studio.visitor()
    answer = other.http.post("/story", data=file["content"].encode())
    assert answer.status_code == 200
    assert answer.json["story"] == teller.values[STORY]


def test_names_in_a_story_are_text(visitor):
    add(visitor, "<b>bold</b>")
    assert shown(visitor) == ["1. <b>bold</b>"]
    assert isinstance(visitor.values[LIST], dict)


@pytest.mark.parametrize(
    ("raw", "status", "words"),
    [
        (b"", 400, "No file arrived."),
        (b"\x00\x01", 400, "This file is not a story."),
        (b"length,width\n1,2\n", 400, "This file is not a story."),
        (b"x" * (8 * 2**20 + 1), 413, "This file is larger than 8 MB"),
        (
            json.dumps({"format": "melm-studio story 1", "views": [{"view": 1}]}).encode(),
            400,
            "View 1 of the story cannot be read.",
        ),
    ],
    ids=["empty", "binary", "table", "large", "odd view"],
)
def test_a_file_that_is_no_story_gets_a_sentence(visitor, raw, status, words):
    answer = visitor.http.post("/story", data=raw)
    assert answer.status_code == status
    assert answer.json["words"].startswith(words)

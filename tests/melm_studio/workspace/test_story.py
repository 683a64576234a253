"""A story keeps its views in order, and survives its file."""

from __future__ import annotations

import json

import pytest

from melm_studio.runs.records.data_source import DataSource
from melm_studio.validation import InputError
from melm_studio.workspace.story import MAX_VIEWS, Story, StoryView
from melm_studio.workspace.view_spec import ViewSpec

SPEC = ViewSpec(source=DataSource(kind="sample", key="wine"), method="pca")


@pytest.fixture
def story() -> Story:
    return story_of("abc")


def story_of(titles) -> Story:
    return Story(tuple(StoryView(SPEC, title) for title in titles))


def titles(story: Story) -> str:
    return "".join(view.title for view in story.views)


def test_a_story_survives_its_file(story):
    worded = story.worded(1, caption="Look here", notes="Wait for questions.")
    again = Story.from_bytes(json.dumps(worded.to_json()).encode())
    assert again == worded
    assert [view.caption for view in again.views] == ["", "Look here", ""]
    assert [view.notes for view in again.views] == ["", "Wait for questions.", ""]


def test_a_story_that_was_saved_before_there_were_notes_is_read(story):
    values = story.to_json()
    for view in values["views"]:
        del view["notes"]
    assert Story.from_json(values) == story


def test_an_empty_story_survives_its_file():
    assert Story.from_bytes(json.dumps(Story().to_json()).encode()) == Story()


@pytest.mark.parametrize(
    ("at", "steps", "order"),
    [(0, 1, "bac"), (0, -1, "abc"), (2, 1, "abc"), (2, -1, "acb"), (0, 2, "bca"), (1, -9, "bac")],
)
def test_views_move_and_the_ends_hold_them(story, at, steps, order):
    assert titles(story.moved(at, steps)) == order


def test_a_view_can_be_removed_and_another_added(story):
    assert titles(story.without(1).with_view(StoryView(SPEC, "d"))) == "acd"


def test_a_full_story_takes_no_view_more():
    with pytest.raises(InputError, match=f"A story holds {MAX_VIEWS} views. Remove one"):
        story_of("x" * MAX_VIEWS).with_view(StoryView(SPEC, "y"))


@pytest.mark.parametrize(
    "raw",
    [b"", b"\xff\xfe", b"[]", b"{}", b"null", b"[" * 100_000, b'{"format": "other"}', b"a,b\n1,2"],
    ids=lambda raw: repr(raw[:9]),
)
def test_a_file_that_is_no_story_is_refused(raw):
    with pytest.raises(InputError, match="This file is not a story"):
        Story.from_bytes(raw)


def test_a_story_with_half_of_a_character_is_refused(story):
    raw = json.dumps(story.worded(1, caption="\ud800").to_json())
    with pytest.raises(InputError, match="This file is not a story"):
        Story.from_bytes(raw.encode())


def test_the_view_that_cannot_be_read_is_named(story):
    values = story.to_json()
    values["views"][1]["view"]["method"] = "magic"
    with pytest.raises(
        InputError, match=r"View 2 of the story cannot be read\. The method must be"
    ):
        Story.from_json(values)


def test_a_story_of_too_many_views_is_refused(story):
    values = story.to_json()
    values["views"] *= MAX_VIEWS
    with pytest.raises(InputError, match="The story must be a list of at most 200 views"):
        Story.from_json(values)

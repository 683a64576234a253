"""The story: views are added, worded, reordered, removed, and saved."""

from __future__ import annotations

import json
from typing import Any

from dash import ALL, Dash, Input, Output, State, ctx, no_update
from dash.development.base_component import Component

from callbacks.page_state import connect_script
from melm_studio.layout import ids
from melm_studio.layout.story import story_list
from melm_studio.validation import MAX_TEXT, InputError
from melm_studio.workspace.story import Story, StoryView

FILE_NAME = "story.json"
TEXTS = ("title", "caption", "notes")
_STEPS = {"story-up": -1, "story-down": 1}


def register(app: Dash) -> None:
    """Connect the story drawer; the browser stores the story itself."""
    app.callback(
        Output(ids.STORY, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.STORY_ADDED, "data"),
        *_texts(State),
        State(ids.STORY, "data"),
        prevent_initial_call=True,
    )(add_view)
    app.callback(
        Output(ids.STORY, "data", allow_duplicate=True),
        Input({"type": "story-up", "at": ALL}, "n_clicks"),
        Input({"type": "story-down", "at": ALL}, "n_clicks"),
        Input({"type": "story-remove", "at": ALL}, "n_clicks"),
        *_texts(Input),
        State(ids.STORY, "data"),
        prevent_initial_call=True,
    )(change_story)
    app.callback(
        Output(ids.STORY_LIST, "children"),
        Output(ids.STORY_SAVE, "disabled"),
        Input(ids.STORY_SHOWN, "data"),
        State(ids.STORY, "data"),
    )(show_story)
    app.callback(
        Output(ids.STORY_FILE, "data"),
        Input(ids.STORY_SAVE, "n_clicks"),
        *_texts(State),
        State(ids.STORY, "data"),
        prevent_initial_call=True,
    )(save_story)
    connect_script(
        app,
        "setStory",
        Output(ids.STORY_SHOWN, "data"),
        Input(ids.STORY, "data"),
    )


def _texts(argument: type[Input | State]) -> list[Input | State]:
    """Declare the text fields of all views, one argument for each of `TEXTS`."""
    return [argument({"type": f"story-{text}", "at": ALL}, "value") for text in TEXTS]


def add_view(
    added: Any, titles: list[Any], captions: list[Any], notes: list[Any], stored: Any
) -> tuple[Any, Any]:
    """Add a view at the end."""
    if added is None:
        return no_update, no_update
    try:
        story = _edited(stored, titles, captions, notes).with_view(StoryView.from_json(added))
    except InputError as error:
        return no_update, str(error)
    return story.to_json(), no_update


def change_story(
    ups: Any,
    downs: Any,
    removals: Any,
    titles: list[Any],
    captions: list[Any],
    notes: list[Any],
    stored: Any,
) -> Any:
    """Move or remove views, or change their texts."""
    story = _edited(stored, titles, captions, notes)
    for button in _clicked():
        if button["at"] < len(story.views):
            story = _changed(story, button["type"], button["at"])
    return no_update if story == _stored(stored) else story.to_json()


def show_story(order: int | None, stored: Any) -> tuple[Component, bool]:
    """List the views."""
    views = _stored(stored).views
    return story_list([(view.title, view.caption, view.notes) for view in views]), not views


def save_story(
    clicks: int | None, titles: list[Any], captions: list[Any], notes: list[Any], stored: Any
) -> dict[str, str]:
    """Download the story as a file."""
    story = _edited(stored, titles, captions, notes)
    text = json.dumps(story.to_json(), indent=1, ensure_ascii=False)
    return {"content": text, "filename": FILE_NAME, "type": "application/json"}


def _stored(stored: Any) -> Story:
    """Return the story that the browser stored; an unreadable one counts as empty."""
    try:
        return Story.from_json(stored)
    except InputError:
        return Story()


def _edited(stored: Any, *typed: list[Any]) -> Story:
    """Return the story with the texts of the fields, which may be newer than the stored ones."""
    story = _stored(stored)
    if any(len(texts) != len(story.views) for texts in typed):
        return story
    for position, texts in enumerate(zip(*typed, strict=True)):
        story = story.worded(
            position, **{name: _text(text) for name, text in zip(TEXTS, texts, strict=True)}
        )
    return story


def _text(typed: Any) -> str:
    return str(typed or "")[:MAX_TEXT]


def _clicked() -> list[dict[str, Any]]:
    """Return the clicked buttons; a field that loses the focus triggers the same callback."""
    clicks = [click for click in ctx.triggered if click["prop_id"].endswith(".n_clicks")]
    return [ctx.triggered_prop_ids[click["prop_id"]] for click in clicks if click["value"]]


def _changed(story: Story, button: str, position: int) -> Story:
    return (
        story.without(position)
        if button == "story-remove"
        else story.moved(position, _STEPS[button])
    )

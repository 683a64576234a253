"""The story: views are added, captioned, put in order, removed, saved and loaded."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, no_update
from dash.development.base_component import Component
from werkzeug.exceptions import RequestEntityTooLarge

from melm_studio.layout import ids
from melm_studio.layout.story import story_list
from melm_studio.views.story import Story, StoryView
from melm_studio.views.validation import LONGEST_TEXT, ReadingError

FILE_NAME = "story.json"
_MOST_BYTES = 8 * 2**20
_TOO_LARGE = "A story is a file of a few kilobytes; this one is larger than 8 MB."
_NOTHING_THERE = "No file arrived. Choose a story that was saved here."
_STEPS = {"story-up": -1, "story-down": 1}


def register(app: Dash) -> None:
    """Connect the list of the story and its file; the story itself is kept by the browser."""
    _connect_list(app)
    _connect_file(app)
    app.clientside_callback(
        ClientsideFunction("studio", "setStory"),
        Output(ids.STORY_SHOWN, "data"),
        Input(ids.STORY, "data"),
    )


def _connect_list(app: Dash) -> None:
    @app.callback(
        Output(ids.STORY, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.STORY_ADDED, "data"),
        State({"type": "story-caption", "at": ALL}, "value"),
        State(ids.STORY, "data"),
        prevent_initial_call=True,
    )
    def add(added: Any, captions: list[Any], kept: Any) -> tuple[Any, Any]:
        if added is None:
            return no_update, no_update
        try:
            story = _written(kept, captions).with_view(StoryView.from_json(added))
        except ReadingError as error:
            return no_update, str(error)
        return story.to_json(), no_update

    @app.callback(
        Output(ids.STORY, "data", allow_duplicate=True),
        Input({"type": "story-up", "at": ALL}, "n_clicks"),
        Input({"type": "story-down", "at": ALL}, "n_clicks"),
        Input({"type": "story-remove", "at": ALL}, "n_clicks"),
        Input({"type": "story-caption", "at": ALL}, "value"),
        State(ids.STORY, "data"),
        prevent_initial_call=True,
    )
    def change(ups: Any, downs: Any, removals: Any, captions: list[Any], kept: Any) -> Any:
        story = _written(kept, captions)
        for asked in _pressed():
            if asked["at"] < len(story.views):
                story = _changed(story, asked["type"], asked["at"])
        return no_update if story == _kept(kept) else story.to_json()

    @app.callback(
        Output(ids.STORY_LIST, "children"),
        Output(ids.STORY_SAVE, "disabled"),
        Input(ids.STORY_SHOWN, "data"),
        State(ids.STORY, "data"),
    )
    def show(order: int | None, kept: Any) -> tuple[Component, bool]:
        views = _kept(kept).views
        return story_list([(view.title, view.caption) for view in views]), not views


def _connect_file(app: Dash) -> None:
    @app.callback(
        Output(ids.STORY_FILE, "data"),
        Input(ids.STORY_SAVE, "n_clicks"),
        State({"type": "story-caption", "at": ALL}, "value"),
        State(ids.STORY, "data"),
        prevent_initial_call=True,
    )
    def save(clicks: int | None, captions: list[Any], kept: Any) -> dict[str, str]:
        text = json.dumps(_written(kept, captions).to_json(), indent=1, ensure_ascii=False)
        return {"content": text, "filename": FILE_NAME, "type": "application/json"}

    @app.server.post("/story")
    def load() -> tuple[dict[str, Any], int]:
        """Take the file of a story as the body of the request."""
        flask.request.max_content_length = _MOST_BYTES
        try:
            raw = flask.request.get_data()
        except RequestEntityTooLarge:
            return {"words": _TOO_LARGE}, 413
        if not raw:
            return {"words": _NOTHING_THERE}, 400
        try:
            return {"story": Story.from_bytes(raw).to_json()}, 200
        except ReadingError as error:
            return {"words": str(error)}, 400


def _kept(kept: Any) -> Story:
    """What the browser kept; anything that was not written here counts as nothing."""
    try:
        return Story.from_json(kept)
    except ReadingError:
        return Story()


def _written(kept: Any, captions: list[Any]) -> Story:
    """The story with what stands in the fields: it may be newer than what was kept."""
    story = _kept(kept)
    if len(captions) != len(story.views):
        return story
    for at, caption in enumerate(captions):
        story = story.captioned(at, str(caption or "")[:LONGEST_TEXT])
    return story


def _pressed() -> list[dict[str, Any]]:
    """The buttons that were pressed; leaving a field comes along with the press that did it."""
    presses = [press for press in ctx.triggered if press["prop_id"].endswith(".n_clicks")]
    return [ctx.triggered_prop_ids[press["prop_id"]] for press in presses if press["value"]]


def _changed(story: Story, what: str, at: int) -> Story:
    return story.without(at) if what == "story-remove" else story.moved(at, _STEPS[what])

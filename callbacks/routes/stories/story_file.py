"""Reads a story file."""

from __future__ import annotations

from typing import Any

import flask
from dash import Dash

from callbacks.guards.error_answers import sentence
from melm_studio.workspace.story import Story

_NO_FILE = "No file arrived. Choose a story that was saved here."


def register(app: Dash) -> None:
    """Connect the route, which takes the file as the body of the request."""
    app.server.post("/story")(read_story)


def read_story() -> tuple[dict[str, Any], int]:
    """Return the story of a file."""
    raw = flask.request.get_data()
    if not raw:
        return sentence(_NO_FILE), 400
    return {"story": Story.from_bytes(raw).to_json()}, 200

"""Opens a story that comes with the studio: the visitor gets a copy of its runs and its views."""

from __future__ import annotations

from typing import Any

import flask
from dash import Dash

from callbacks.session import workspace
from melm_studio.workspace.project import open_project
from melm_studio.workspace.stories import INCLUDED_STORIES


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.post("/stories/<key>")(open_story)


def open_story(key: str) -> dict[str, Any]:
    """Store the runs of a story, and return its views; answers 404 for an unknown one."""
    if key not in INCLUDED_STORIES:
        flask.abort(404)
    with INCLUDED_STORIES[key].file.open("rb") as file:
        opened = open_project(workspace(), file)
    return {"story": opened.story.to_json(), "revision": workspace().revision()}

"""Stories: those that come with the studio, files of them, and the presenter's window."""

from __future__ import annotations

import json
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

import flask
from dash import Dash
from msgspec.structs import replace

from callbacks.addresses import Body
from callbacks.guards.error_answers import sentence
from callbacks.routes.documents import document
from callbacks.services import services
from callbacks.session import workspace
from melm_studio.layout.scripts import ICON, PRESENTER_SCRIPT
from melm_studio.planes.encoding import compact
from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.planes.theme import Scheme
from melm_studio.planes.view_options import MorphTarget, ViewOptions
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.workspace.project import opened_project
from melm_studio.workspace.stories import INCLUDED_STORIES
from melm_studio.workspace.story import Story
from melm_studio.workspace.view_spec import SharedMorph, ViewSpec

_NO_FILE = "No file arrived. Choose a story that was saved here."
T = TypeVar("T")


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.post("/stories/<key>")(open_story)
    app.server.post("/story", body=Body.STORY)(read_story)
    app.server.add_url_rule("/presenter", "presenter", partial(presenter, app))
    app.server.post("/presenter/picture", body=Body.JSON)(picture)


def open_story(key: str) -> dict[str, Any]:
    """Store the runs of a story, and return its views; answers 404 for an unknown one."""
    if key not in INCLUDED_STORIES:
        flask.abort(404)
    opened = opened_project(workspace(), key, INCLUDED_STORIES[key].file.read_bytes)
    return {"story": opened.story.to_json(), "revision": workspace().revision()}


def read_story() -> tuple[dict[str, Any], int]:
    """Return the story of a file."""
    raw = flask.request.get_data()
    if not raw:
        return sentence(_NO_FILE), 400
    return {"story": Story.from_bytes(raw).to_json()}, 200


def presenter(app: Dash) -> str:
    """Return the page, which the tab that opened it controls."""
    return document(
        "presenter.html", script=app.get_asset_url(PRESENTER_SCRIPT), icon=app.get_asset_url(ICON)
    )


def picture() -> dict[str, Any] | tuple[str, int]:
    """Return the plane of a shared view; empty where the visitor has no run of it yet."""
    spec = ViewSpec.from_json(flask.request.get_json(silent=True))
    try:
        record = _fit(spec, spec.data_id)
        event, options = _event_of(record, spec), _options_of(spec)
    except _MissingError:
        return "", HTTPStatus.NO_CONTENT
    renderer = services().renderer
    view = renderer.view(record, event, options)
    viewer = renderer.viewer(record)
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    figure = empty_figure(
        viewer.class_names, viewer.n_drawn, scheme, n_components=viewer.n_components
    )
    return {
        "styles": json.loads(figure.to_json())["data"],
        "traces": plane_frame(view, compact),
        "limits": limits(view),
    }


def _fit(part: ViewSpec | SharedMorph, data_id: str) -> RunRecord:
    """Return the visitor's run of a view, or of what it is morphed to."""
    return _found(workspace().equal_fit(data_id, part.method, part.run_parameters))


def _event_of(record: RunRecord, spec: ViewSpec) -> PlaneEvent:
    store = services().store
    last = _found(store.last_event(record.run_id))
    if spec.plane is None:
        return last
    return _found(store.event(record.run_id, min(spec.plane, last.sequence)))


def _options_of(spec: ViewSpec) -> ViewOptions:
    """Return the view options with the run that the view is morphed to."""
    if spec.morph is None:
        return spec.options
    if spec.morph.plane is not None:  # of a tree or of resamples, which are computed when shown
        raise _MissingError
    target = _fit(spec.morph, spec.data_id)
    return replace(spec.options, morph=MorphTarget(target.run_id, spec.morph.share))


class _MissingError(Exception):
    """A view shows something that is not stored yet."""


def _found(value: T | None) -> T:
    if value is None:
        raise _MissingError
    return value

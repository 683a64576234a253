"""The figure of a decision surface in the plane of a run."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import Dash

from callbacks.guards.error_answers import sentence
from callbacks.services import services
from callbacks.session import own_run
from melm_studio.planes.captions import surface_caption
from melm_studio.planes.decision_surface import SurfaceRequest
from melm_studio.planes.surface_figure import surface_figure
from melm_studio.planes.theme import Scheme
from melm_studio.validation import read

_NO_PLANE = "This run has no plane yet. Wait for its first plane."


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.get("/runs/<run_id>/surface")(surface)


def surface(run_id: str) -> tuple[dict[str, Any], int]:
    """Fit a kernel machine in the newest plane, and draw its decision surface."""
    record, renderer = own_run(run_id), services().renderer
    event = services().store.last_event(run_id)
    if event is None:
        return sentence(_NO_PLANE), 409
    query = flask.request.args
    request = read(dict(query), SurfaceRequest, "The decision surface")
    rows, drawn = renderer.surface(record, event, request)
    scheme = query.get("scheme", Scheme.LIGHT, type=Scheme)
    figure = surface_figure(drawn, rows, request.code, scheme)
    n_train = renderer.viewer(record).n_train
    caption = surface_caption(drawn.summary, drawn.cautions, len(rows.train), n_train)
    return {"words": caption, "figure": json.loads(figure.to_json())}, 200

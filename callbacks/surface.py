"""The dialog with the decision surface of a kernel machine in the plane of a run."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import Dash, Input, Output

from callbacks.guards.error_answers import sentence
from callbacks.named_control import NamedRun
from callbacks.scripts import connect_script
from callbacks.services import services
from callbacks.session import own_run
from melm_studio.layout import ids
from melm_studio.planes.captions import surface_caption, title
from melm_studio.planes.decision_surface import SurfaceRequest
from melm_studio.planes.surface_figure import surface_figure
from melm_studio.planes.theme import Scheme
from melm_studio.validation import read

_NO_PLANE = "This run has no plane yet. Wait for its first plane."


def register(app: Dash) -> None:
    """Connect the dialog; its script draws the figure."""
    app.callback(
        Output(ids.SURFACE, "opened"),
        Output(ids.SURFACE, "title"),
        Output(ids.SURFACE_RUN, "data"),
        Output(ids.SURFACE_CLASS, "data"),
        Output(ids.SURFACE_CLASS, "value"),
        Input(ids.SURFACE_REQUESTED, "data"),
        prevent_initial_call=True,
    )(open_surface)
    connect_script(
        app,
        "showSurface",
        Output(ids.SURFACE_CAPTION, "children"),
        Input(ids.SURFACE_RUN, "data"),
        Input(ids.SURFACE_KIND, "value"),
        Input(ids.SURFACE_CLASS, "value"),
        Input(ids.SURFACE_METHOD, "value"),
        Input(ids.SURFACE, "opened"),
    )
    app.server.get("/runs/<run_id>/surface")(surface)


def open_surface(requested: NamedRun) -> tuple[Any, ...]:
    """Open the dialog for a run, with its classes to choose from."""
    record = own_run(requested["run"])
    names = services().renderer.data(record).class_names
    classes = [{"value": str(code), "label": name} for code, name in enumerate(names)]
    heading = f"Decision surface in the plane of {title(record)}"
    return True, heading, record.run_id, classes, classes[0]["value"]


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

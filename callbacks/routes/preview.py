"""The principal components of data without runs, with every row of a large table."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import Dash
from msgspec.structs import replace

from callbacks.addresses import Body
from callbacks.routes.rows import packed_points_of, packed_rows_of
from callbacks.services import services
from callbacks.session import workspace
from melm_core.methods import METHODS
from melm_studio.layout.first_page import first_method, question
from melm_studio.planes.captions import SHAPES
from melm_studio.planes.encoding import compact
from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.planes.theme import Scheme
from melm_studio.runs.execution.refusals import applicable, parameters_for
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import RunRecord
from melm_studio.workspace.data_source import ShownData

METHOD = "pca"


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.post("/preview", body=Body.JSON)(preview)
    app.server.post("/preview/every-row", body=Body.JSON)(rows_of_preview)
    app.server.post("/preview/every-point", body=Body.JSON)(points_of_preview)


def preview() -> dict[str, Any]:
    """Draw the plane that a run of PCA with the default parameters would find."""
    record, renderer = _run(), services().renderer
    view, viewer = renderer.preview(record), renderer.viewer(record)
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    n_components = viewer.n_components
    figure = empty_figure(viewer.class_names, viewer.n_drawn, scheme, n_components=n_components)
    return {
        "question": question(viewer.class_names),
        "begin": first_method(viewer.class_names),
        "caption": f"{METHODS[METHOD].label} {SHAPES[n_components]} of {record.data_name}",
        "figure": json.loads(figure.to_json()),
        "traces": plane_frame(view, compact),
        "limits": limits(view),
        # Of more rows, the traces draw a sample, and the page asks for the others.
        "is_sample": viewer.n_drawn < viewer.n_rows,
    }


def rows_of_preview() -> flask.Response:
    """Return number, class and held-out mark of every row, as of a run."""
    return packed_rows_of(services().renderer.viewer(_run()))


def points_of_preview() -> flask.Response:
    """Return the place of every row in the plane, as of a run."""
    record, renderer = _run(), services().renderer
    axes = renderer.preview(record).loadings.T
    return packed_points_of(renderer.viewer(record).parts, axes)


def _run() -> RunRecord:
    """Return the run that would find the plane; it is not stored."""
    shown = ShownData.from_json(flask.request.get_json(silent=True))
    run = workspace().new_fit(shown, METHOD, RunParameters())
    data = services().renderer.data(run)
    return replace(run, parameters=applicable(parameters_for(data, METHOD, {}), data))

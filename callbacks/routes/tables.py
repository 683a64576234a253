"""Tables on their way to the page: stored unchanged, or drawn; and the first look at their rows.

Reading a file is the next step. The first look is the principal components, with every row of a
large table.
"""

from __future__ import annotations

import json
from typing import Any

import flask
from flask import Blueprint
from msgspec.structs import replace

from callbacks.addresses import Body
from callbacks.routes.requested_view import requested_body, requested_scheme, stored_upload
from callbacks.routes.rows import packed_points_of, packed_rows_of
from callbacks.services import services
from callbacks.session import workspace
from melm_core.methods import METHODS
from melm_studio.layout.first_page import first_method, question
from melm_studio.planes.captions import SHAPES
from melm_studio.planes.encoding import compact
from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.runs.execution.refusals import applicable, parameters_for
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import RunRecord
from melm_studio.workspace.data_source import Drawing, ShownData

METHOD = "pca"
routes = Blueprint("tables", __name__)


@routes.post("/upload", body=Body.FILE, is_heavy=True)
def upload() -> tuple[dict[str, Any], int]:
    """Store a file under the hash of its content."""
    key, name = stored_upload()
    return {"key": key, "name": name}, 200


@routes.post("/drawing", body=Body.SETTINGS)
def drawn_table() -> flask.Response:
    """Return the table that a drawing becomes, which the page then uploads."""
    drawing = requested_body(Drawing, "The drawing")
    return flask.Response(drawing.csv(), mimetype="text/csv")


@routes.post("/preview", body=Body.JSON)
def preview() -> dict[str, Any]:
    """Draw the plane that a run of PCA with the default parameters would find."""
    record, renderer = _run(), services().renderer
    view, viewer = renderer.preview(record), renderer.planes.viewer(record)
    scheme = requested_scheme()
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


@routes.post("/preview/every-row", body=Body.JSON)
def rows_of_preview() -> flask.Response:
    """Return number, class and held-out mark of every row, as of a run."""
    return packed_rows_of(services().planes.viewer(_run()))


@routes.post("/preview/every-point", body=Body.JSON)
def points_of_preview() -> flask.Response:
    """Return the place of every row in the plane, as of a run."""
    record, renderer = _run(), services().renderer
    axes = renderer.preview(record).loadings.T
    return packed_points_of(renderer.planes.viewer(record).parts, axes)


def _run() -> RunRecord:
    """Return the run that would find the plane; it is not stored."""
    shown = ShownData.from_json(flask.request.get_json(silent=True))
    run = workspace().new_fit(shown, METHOD, RunParameters())
    data = services().planes.data(run)
    return replace(run, parameters=applicable(parameters_for(data, METHOD, {}), data))

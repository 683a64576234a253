"""Every row of a run, for the layer that draws them all: who they are, and where they are."""

from __future__ import annotations

import flask
from dash import Dash

from callbacks.guards.compression import PACKED_ROWS
from callbacks.routes.requested_view import requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_run
from melm_core.base import FloatArray
from melm_studio.planes.encoding import packed_points, packed_rows
from melm_studio.planes.every_row import EveryRow, every_point
from melm_studio.planes.plane_view import PlaneViewer


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/runs/<run_id>/every-row")(rows_of_run)
    app.server.get("/runs/<run_id>/planes/<int:sequence>/every-point")(points_of_plane)


def rows_of_run(run_id: str) -> flask.Response:
    """Number, class and held-out mark of every row, those without a class included."""
    return packed_rows_of(services().renderer.viewer(own_run(run_id)))


def points_of_plane(run_id: str, sequence: int) -> flask.Response:
    """Where the plane has every row."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    renderer = services().renderer
    axes = renderer.axes(record, event, requested_options())
    return packed_points_of(renderer.viewer(record), axes)


def packed_rows_of(viewer: PlaneViewer) -> flask.Response:
    """Who every row of a data set is, see `packed_rows`."""
    known = EveryRow.of(viewer.parts)
    body = packed_rows(known.numbers, known.codes, known.is_held_out)
    return _tagged(flask.Response(body, mimetype=PACKED_ROWS))


def packed_points_of(viewer: PlaneViewer, axes: FloatArray) -> flask.Response:
    """Where axes have every row, see `packed_points`; noise, which does not compress."""
    body = packed_points(every_point(axes, viewer.parts, is_line=viewer.n_components == 1))
    return _tagged(flask.Response(body, mimetype="application/octet-stream"))


def _tagged(response: flask.Response) -> flask.Response:
    """The browser keeps the answer and asks whether it still holds."""
    response.add_etag()
    response.make_conditional(flask.request)
    return response

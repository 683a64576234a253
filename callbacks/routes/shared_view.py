"""Shares the view on screen, and compares a restored view with the shared one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import flask
from dash import Dash

from callbacks.routes.requested_view import morph_target, requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_run
from melm_studio.planes.captions import reproduced_sentence, title
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.validation import InputError
from melm_studio.workspace.view_query import to_query
from melm_studio.workspace.view_spec import ViewSpec, row_scales, spec_of


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/runs/<run_id>/planes/<int:sequence>/shared-view")(share)
    app.server.get("/runs/<run_id>/planes/<int:sequence>/reproduction")(reproduction)


def share(run_id: str, sequence: int) -> dict[str, Any]:
    """Return the shared view of a plane; ``mode``, ``hidden``, marks are those of the page."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    spec = _spec(record, event)
    name = f"{title(record)}, {record.data_name}"
    return {"view": spec.to_json(), "title": name, **_link(spec)}


def reproduction(run_id: str, sequence: int) -> dict[str, Any]:
    """Say whether the plane has the ``divergence`` of the shared view."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    expected = flask.request.args.get("divergence", type=float)
    if expected is None:
        flask.abort(400)
    divergence = services().renderer.divergence(record, event, requested_options())
    is_same, words = reproduced_sentence(expected, divergence)
    return {"is_same": is_same, "words": words}


def _spec(record: RunRecord, event: PlaneEvent) -> ViewSpec:
    query, options = flask.request.args, requested_options()
    return spec_of(
        record,
        event,
        options,
        other=morph_target(options),
        mode=query.get("mode", "explore"),
        hidden=query["hidden"].split(",") if query.get("hidden") else [],
        layers=query["layers"].split(",") if query.get("layers") else [],
        marks=_marks(query),
        divergence=services().renderer.divergence(record, event, options),
    )


def _marks(query: Mapping[str, str]) -> dict[str, Any]:
    """Return the marks of rows on the page, and the file of the new ones."""
    marks: dict[str, Any] = {
        name: query[name] for name in ("color_by", "shape_by") if query.get(name)
    }
    if query.get("new_rows"):
        marks["new_rows"] = {
            "key": query["new_rows"],
            "name": query.get("new_rows_name", ""),
            "scaled": row_scales(query.get("new_rows_scaled", "")),
        }
    return marks


def _link(spec: ViewSpec) -> dict[str, str]:
    """Return the query, or the reason why there is none."""
    try:
        return {"query": to_query(spec), "words": ""}
    except InputError as error:
        return {"query": "", "words": str(error)}

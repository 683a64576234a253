"""A view of a run on the few features that suffice."""

from __future__ import annotations

from typing import Any

import flask
from dash import Dash

from callbacks.services import services
from callbacks.session import own_fit, workspace
from melm_studio.analyses.sparse import SPARSE
from melm_studio.workspace.kept_features import view_of_features


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.get("/runs/<run_id>/analyses/sparse/<int:n_features>")(kept_features)


def kept_features(run_id: str, n_features: int) -> dict[str, Any]:
    """The view of the same method on the columns of this many features; 404 if off the path."""
    record = own_fit(run_id)
    current = workspace().about(record, SPARSE.name)
    report = SPARSE.blank() if current is None else SPARSE.stored(services().store, current.run_id)
    chosen = [size.selected for size in report.sizes if size.n_features == n_features]
    if not chosen:
        flask.abort(404)
    data = services().renderer.data(record)
    return {"view": view_of_features(record, data, chosen[0]).to_json()}

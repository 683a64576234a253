"""The densities of the classes along one feature of a run."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import Dash

from callbacks.services import services
from callbacks.session import own_fit
from melm_studio.planes.feature_densities import feature_densities
from melm_studio.planes.feature_densities_figure import feature_figure
from melm_studio.planes.theme import Scheme

_NOTE = (
    "Filled marks are training rows, open ones held-out rows; dashed lines are where another class "
    "becomes the most likely. A plane can separate what no single feature does."
)


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.get("/runs/<run_id>/features/<int:feature>")(densities)


def densities(run_id: str, feature: int) -> dict[str, Any]:
    """What a feature alone tells apart, in words and as a figure."""
    viewer = services().renderer.viewer(own_fit(run_id))
    if feature >= len(viewer.feature_names):
        flask.abort(404)
    found = feature_densities(viewer, feature)
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    figure = feature_figure(found.view, found.name, viewer.class_names, found.n_drawn, scheme)
    return {
        "title": found.name,
        "words": found.words,
        "note": _NOTE,
        "figure": json.loads(figure.to_json()),
    }

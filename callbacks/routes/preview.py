"""The principal components of data without runs."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import Dash

from callbacks.services import services
from callbacks.session import workspace
from melm_core.methods import METHODS
from melm_studio.figures.encoding import compact
from melm_studio.figures.plane import empty_figure, limits, plane_frame
from melm_studio.figures.theme import Scheme
from melm_studio.layout.shell.welcome import question
from melm_studio.views.data_source import ShownData
from melm_studio.views.view_spec import checked_parameters

METHOD = "pca"


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.post("/preview")(preview)


def preview() -> dict[str, Any]:
    """Draw the plane that a run of PCA with the default parameters would find."""
    shown = ShownData.from_json(flask.request.get_json(silent=True))
    record = workspace().new_fit(shown, METHOD, checked_parameters(METHOD, {}))
    renderer = services().renderer
    view, viewer = renderer.preview(record), renderer.viewer(record)
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    figure = empty_figure(viewer.class_names, viewer.n_drawn, scheme)
    return {
        "question": question(viewer.class_names),
        "caption": f"{METHODS[METHOD].label} plane of {shown.name}",
        "figure": json.loads(figure.to_json()),
        "traces": plane_frame(view, compact),
        "limits": limits(view),
    }

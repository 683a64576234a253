"""The picture of a plane in words, beside which it stands for those who do not see it."""

from __future__ import annotations

from typing import Any

import flask
from dash import Dash

from callbacks.routes.requested_view import requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_fit
from melm_studio.planes.picture_in_words import picture_in_words


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.get("/runs/<run_id>/description")(description)


def description(run_id: str) -> dict[str, Any]:
    """Describe a plane in words; `plane` names it."""
    record, renderer = own_fit(run_id), services().renderer
    event = requested_event(run_id, flask.request.args.get("plane", type=int))
    options = requested_options()
    viewer, overlap = renderer.viewer(record), renderer.overlap(record, event, options)
    view = renderer.view(record, event, options)
    return {"words": picture_in_words(view, viewer.class_names, overlap, viewer.n_components)}

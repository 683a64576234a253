"""The picture of a plane in words, beside which it stands for those who do not see it."""

from __future__ import annotations

from typing import Any

import flask
import numpy as np
from dash import Dash
from msgspec.structs import replace

from callbacks.routes.requested_view import requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_fit
from melm_studio.planes.picture_in_words import picture_in_words
from melm_studio.planes.plane_view import FROM_THE_FRONT

_FROM_THE_SIDE = (np.pi / 2, 0.0)  # where the third coordinate is across


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
    n_components, in_space = viewer.n_components, None
    if n_components > 2:
        front, side = (
            renderer.view(record, event, replace(options, view_angle=angle))
            for angle in (FROM_THE_FRONT, _FROM_THE_SIDE)
        )
        in_space = front, side
    return {"words": picture_in_words(view, viewer.class_names, overlap, n_components, in_space)}

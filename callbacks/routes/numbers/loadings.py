"""The loadings of a plane, beside its picture."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import Dash

from callbacks.routes.requested_view import requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_fit
from melm_core.methods import METHODS
from melm_studio.planes.axis_titles import axis_titles
from melm_studio.planes.loadings import MOST_POINTS, loadings_figure
from melm_studio.planes.theme import Scheme
from melm_studio.tables import number

_WORDS = "Where a row moves when a feature rises."
_STRONGEST = " The strongest {shown} of {all} features."


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.get("/runs/<run_id>/loadings")(loadings)


def loadings(run_id: str) -> dict[str, Any]:
    """The figure, as a dialog beside the picture shows it; `plane` names the plane."""
    record, renderer = own_fit(run_id), services().renderer
    if not METHODS[record.method].is_linear or record.parameters.n_components == 1:
        flask.abort(404)
    event = requested_event(run_id, flask.request.args.get("plane", type=int))
    options = requested_options()
    names = renderer.viewer(record).feature_names
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    figure = loadings_figure(
        renderer.view(record, event, options).loadings,
        names,
        axis_titles(renderer, record, event, options),
        scheme,
    )
    return {
        "loadings": json.loads(figure.to_json()),
        "words": _words(names),
        "stage": "",
        "fraction": 1.0,
        "is_final": True,
        "can_begin": False,
    }


def _words(names: tuple[str, ...]) -> str:
    is_sample = len(names) > MOST_POINTS
    shown, every = number(MOST_POINTS), number(len(names))
    return _WORDS + (_STRONGEST.format(shown=shown, all=every) if is_sample else "")

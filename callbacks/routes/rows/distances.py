"""The figures of T² and Q in the plane on screen."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import Dash

from callbacks.routes.requested_view import requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_run
from melm_studio.planes.theme import Scheme
from melm_studio.rows.distances import RowDistances, row_contributions, row_distances
from melm_studio.rows.distances_figure import contributions_figure, distances_figure
from melm_studio.rows.row_summaries import indices_of

_MOST_LISTED = 200
_ROW = "What moves {row} from the center, and off the plane."


def register(app: Dash) -> None:
    """Connect the routes."""
    plane = "/runs/<run_id>/planes/<int:sequence>"
    app.server.get(f"{plane}/distances")(distances)
    app.server.get(f"{plane}/distances/<int:row>")(contributions)


def distances(run_id: str, sequence: int) -> dict[str, Any]:
    """T² and Q of the rows, with their limits."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    placer = services().rows.placer(record, event, requested_options())
    data = services().rows.data(record)
    found = row_distances(data, placer)
    answer = _answer(found.words, distances_figure(found, data.class_names, _scheme()))
    return answer | {"rows": [_listed(found, int(at)) for at in found.farthest(_MOST_LISTED)]}


def _listed(found: RowDistances, at: int) -> dict[str, Any]:
    """A row as an option, and its place in the figure."""
    place = {"x": float(found.scores[at]), "y": float(found.residuals[at])}
    return {"row": int(found.row_numbers[at]), "label": found.label(at), **place}


def contributions(run_id: str, sequence: int, row: int) -> dict[str, Any]:
    """What the features contribute to T² and Q of a row of the file."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    placer = services().rows.placer(record, event, requested_options())
    data = services().rows.data(record)
    indices = indices_of(data, [row])
    if not len(indices):
        flask.abort(404)
    found = row_contributions(data, placer, int(indices[0]))
    return _answer(_ROW.format(row=found.row), contributions_figure(found, _scheme()))


def _scheme() -> Scheme:
    return flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)


def _answer(words: str, figure: Any) -> dict[str, Any]:
    return {"words": words, "figure": json.loads(figure.to_json())}

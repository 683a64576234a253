"""The decision surface of a kernel machine in the plane of a run."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import Dash

from callbacks.guards.error_answers import sentence
from callbacks.routes.markup import at_once
from callbacks.services import services
from callbacks.session import own_run
from melm_studio.analyses.content import notes, plot, selects
from melm_studio.planes.captions import surface_caption, title
from melm_studio.planes.decision_surface import KINDS, SurfaceRequest, surface_figure
from melm_studio.planes.theme import Scheme
from melm_studio.validation import read

_NO_PLANE = "This run has no plane yet. Wait for its first plane."
_MODES = {"exact": "Exact moments", "paper": "As in the paper"}
_OWN_KINDS = {"kfd": "kernel_fisher", "kpca": "kernel_pca"}  # of the methods that fit one
_NOTE = (
    "The kernel machine is approximated by a few modes, each a product of two densities along its "
    "own axes. + and − mark modes for and against the class; lines extend one standard deviation. "
    "In low dimensions, as many well-placed kernels are often more accurate; the modes show what "
    "the machine consists of."
)


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.get("/runs/<run_id>/surface", is_heavy=True)(surface)


def surface(run_id: str) -> tuple[dict[str, Any], int]:
    """Fit the kernel machine of the query in the newest plane, and draw its decision surface."""
    record, renderer = own_run(run_id), services().renderer
    event = services().store.last_event(run_id)
    if event is None:
        return sentence(_NO_PLANE), 409
    query = flask.request.args
    first = {"kind": _OWN_KINDS.get(record.method, next(iter(KINDS))), "method": "exact"}
    request = read(first | dict(query), SurfaceRequest, "The decision surface")
    rows, drawn = services().surfaces.of(record, event, request)
    figure = surface_figure(drawn, rows, request.code, query.get("scheme", Scheme.LIGHT, Scheme))
    n_train = renderer.viewer(record).n_train
    caption = surface_caption(drawn.summary, drawn.cautions, len(rows.train), n_train)
    kinds = {key: kind.label for key, kind in KINDS.items()}
    names = renderer.data(record).class_names
    classes = {str(code): name for code, name in enumerate(names)}
    blocks = [
        selects(
            [
                ("kind", "Kernel machine", kinds, request.kind),
                ("class", "Class, against the rest", classes, str(request.code)),
                ("method", "Modes", _MODES, request.method),
            ]
        ),
        # Three charts are higher than two.
        plot(
            json.loads(figure.to_json()), caption, name="surface" if drawn.machine_roc else "pair"
        ),
        notes([_NOTE]),
    ]
    heading = f"Decision surface in the plane of {title(record)}"
    return at_once(run_id, heading, caption, blocks), 200

"""Refine from here: a new run that starts from the plane on screen."""

from __future__ import annotations

from typing import Any

from dash import Dash
from msgspec.structs import replace

from callbacks.guards.error_answers import sentence
from callbacks.routes.requested_view import requested_event, requested_options, viewed_event
from callbacks.session import own_run, workspace
from melm_core.methods import BATCH_WEIGHT, METHODS, SHARED
from melm_studio.planes.view_options import ViewOptions
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import PlaneEvent, RunRecord

_NONLINEAR = "This projection is nonlinear, so it cannot be refined. Refine a linear one."
_REFINING = next(method for method in METHODS.values() if method.accepts_init)


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.post("/runs/<run_id>/planes/<int:sequence>/refine")(refine)


def refine(run_id: str, sequence: int) -> tuple[dict[str, Any], int]:
    """Queue a run that starts from the plane on screen, with the γ on screen."""
    record = own_run(run_id)
    event = viewed_event(record, requested_event(run_id, sequence))
    if not METHODS[record.method].is_linear:
        return sentence(_NONLINEAR), 400
    parameters = refining_parameters(record, event, requested_options())
    own = workspace()
    own.queue(own.rerun(record, _REFINING.key, parameters))
    return {"revision": own.revision()}, 201


def refining_parameters(
    record: RunRecord, event: PlaneEvent, options: ViewOptions
) -> RunParameters:
    """Return parameters for one start from the plane of an event, on the same training rows."""
    settings = {
        one.name: record.parameters.own.get(one.name, one.default)
        for one in _REFINING.parameters
        if one.name not in SHARED
    }
    weight = {} if options.batch_weight is None else {BATCH_WEIGHT.name: options.batch_weight}
    return replace(
        RunParameters.of(settings | weight),
        n_components=record.parameters.n_components,
        held_out=record.parameters.held_out,
        random_state=record.parameters.random_state,
        gamma=record.gamma if options.gamma is None else options.gamma,
        n_init=1,
        init=(tuple(map(tuple, event.components.tolist())),),
    )

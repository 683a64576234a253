"""Refine from here: a new run that starts from the plane on screen."""

from __future__ import annotations

from typing import Any

from dash import Dash

from callbacks.guards.error_answers import sentence
from callbacks.routes.requested_view import requested_event, requested_options, viewed_event
from callbacks.session import own_run, workspace
from melm_core.methods import BATCH_WEIGHT, GAMMA, METHODS, SEED, without_zero_weight
from melm_studio.planes.view_options import ViewOptions
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
) -> dict[str, Any]:
    """Return parameters for one start from the plane of an event, on the same training rows."""
    kept = ("n_components", "held_out", SEED.name)
    settings = {setting.name: setting.default for setting in _REFINING.parameters}
    own = {name: record.parameters.get(name, default) for name, default in settings.items()}
    found = {
        **own,
        **{name: record.parameters[name] for name in kept},
        GAMMA.name: record.gamma if options.gamma is None else options.gamma,
        **({} if options.batch_weight is None else {BATCH_WEIGHT.name: options.batch_weight}),
        "n_init": 1,
        "init": [event.components.tolist()],
    }
    return without_zero_weight(found)

"""Climbing on from a plane that somebody has before them."""

from __future__ import annotations

from typing import Any

from dash import Dash

from callbacks.panels import PANELS_FULL, is_full, newest_revision
from callbacks.routes.frames import known_event
from callbacks.routes.session import own_run, owner
from callbacks.routes.view_query import asked_look, looked_at
from callbacks.services import Studio
from melm_core.methods import GAMMA, METHODS, SEED
from melm_studio.worker.records.run import PlaneEvent, RunRecord, new_run

_CURVED = "This picture is no plane of the features, so there is nothing to climb on from."
_REFINING = next(method for method in METHODS.values() if method.accepts_init)


def register(app: Dash, studio: Studio) -> None:
    """Add the route that starts such a run, from the plane that is looked at and with its γ."""

    @app.server.post("/runs/<run_id>/planes/<int:sequence>/refine")
    def refine(run_id: str, sequence: int) -> tuple[dict[str, Any], int]:
        record = own_run(studio, run_id)
        event = looked_at(studio, record, known_event(studio, run_id, sequence))
        if not METHODS[record.method].is_linear:
            return {"words": _CURVED}, 400
        if is_full(studio, record.table):
            return {"words": PANELS_FULL}, 409
        parameters = refining_parameters(record, event, asked_look(studio).gamma)
        run = new_run(
            owner(),
            record.data_id,
            record.data_name,
            _REFINING.key,
            parameters,
            source=record.source,
        )
        studio.store.create(run)
        return {"revision": newest_revision(studio)}, 201


def refining_parameters(
    record: RunRecord, event: PlaneEvent, gamma: float | None
) -> dict[str, Any]:
    """One climb from the plane of an event, on the rows that its run saw."""
    kept = ("n_components", "held_out", SEED.name)
    settings = {setting.name: setting.default for setting in _REFINING.parameters}
    own = {name: record.parameters.get(name, default) for name, default in settings.items()}
    return {
        **own,
        **{name: record.parameters[name] for name in kept},
        GAMMA.name: record.parameters[GAMMA.name] if gamma is None else gamma,
        "n_init": 1,
        "init": [event.components.tolist()],
    }

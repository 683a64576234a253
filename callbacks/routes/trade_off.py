"""What it costs to keep batches out of a plane."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from dash import Dash

from callbacks.routes.requested_view import requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_run
from melm_studio.views.verdicts.batches import trade_off_points


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.get("/runs/<run_id>/planes/<int:sequence>/trade-off")(trade_off)


def trade_off(run_id: str, sequence: int) -> dict[str, Any]:
    """Accuracies of the classes and of the batches within them, by the weight of the batches."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    renderer = services().renderer
    points = trade_off_points(renderer, record, event, requested_options())
    chance = 1.0 / len(renderer.viewer(record).class_names)
    return {"points": [asdict(point) for point in points], "chance": chance}

"""The Run button: starts a run with the values of the method line, or offers the one there is."""

from __future__ import annotations

from typing import Any

import flask
from dash import Dash
from msgspec import Struct

from callbacks.addresses import Body
from callbacks.routes.panels import listed
from callbacks.run_form import FormValues, data_to_run_on
from callbacks.session import workspace
from melm_core.methods import AUTO
from melm_studio.planes.captions import title
from melm_studio.runs.execution.refusals import applicable, check_data
from melm_studio.validation import read
from melm_studio.workspace.data_source import ShownData


class NewRun(Struct, frozen=True, forbid_unknown_fields=True):
    """Request of the page to start a run.

    Attributes
    ----------
    data : ShownData or None
        The data that it shows.
    form : FormValues
        Without it, what the method line holds at first.
    again : bool
        Whether to run although an equal run is on the page.
    """

    data: ShownData | None
    form: FormValues = FormValues()
    again: bool = False


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.post("/runs", body=Body.JSON)(start_run)


def start_run() -> tuple[dict[str, Any], int]:
    """Queue a run and list it with the others.

    A run that is on the page already is offered instead, unless the user wants it again.
    """
    space, asked = workspace(), read(flask.request.get_json(silent=True), NewRun, "The run")
    shown, form = data_to_run_on(asked.data), asked.form
    prepared = space.data(shown)
    requested = form.parameters(form.method, AUTO if form.is_auto else form.gamma, prepared)
    parameters = applicable(requested, prepared)
    same = space.equal_fit(shown.id, form.method, parameters)
    if same is not None and not asked.again:
        return {"same": {"run": same.run_id, "title": title(same)}}, 200
    check_data(form.method, prepared, parameters)
    fit = space.new_fit(shown, form.method, parameters, prepared)
    space.queue(fit)
    # The panels come with this answer, so that the first plane waits for no further one.
    return {"runs": [fit.run_id], **listed(shown)}, 201

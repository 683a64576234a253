"""The Run button: starts a run with the values of the sidebar, or offers the one that there is."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, ctx, no_update

from callbacks.panels import show_panels
from callbacks.scripts import connect_script
from callbacks.session import workspace
from callbacks.sidebar import SIDEBAR, SidebarValues
from melm_core.base import UserError
from melm_core.methods import AUTO
from melm_studio.layout import ids
from melm_studio.planes.captions import title
from melm_studio.runs.execution.refusals import applicable, check_data
from melm_studio.workspace.data_source import ShownData


def register(app: Dash) -> None:
    """Connect the Run button."""
    app.callback(
        Output(ids.PANELS, "data-revision", allow_duplicate=True),
        Output(ids.RUN_ERROR, "children"),
        Output(ids.PANELS, "children", allow_duplicate=True),
        Output(ids.RUN_TABS, "children", allow_duplicate=True),
        Output(ids.SAME_RUN, "data"),
        Input(ids.RUN, "n_clicks"),
        Input(ids.RUN_AGAIN, "data"),
        State(ids.DATA, "data"),
        State(ids.GAMMA, "value"),
        State(ids.GAMMA_AUTO, "data"),
        *SIDEBAR,
        prevent_initial_call=True,
    )(start_run)
    connect_script(app, "offerSame", Input(ids.SAME_RUN, "data"), prevent_initial_call=True)


def start_run(
    clicks: int | None, repeated: Any, data: Any, gamma: Any, is_auto: Any, *sidebar: Any
) -> tuple[Any, ...]:
    """Queue a run of the shown data and list it with the others, or say why not.

    A run that is on the page already is offered instead, unless the user wants it again.
    """
    own = workspace()
    try:
        values = SidebarValues.from_page(*sidebar)
        shown = ShownData.from_json(data)
        prepared = own.data(shown)
        requested = values.parameters(values.method, AUTO if is_auto else gamma)
        parameters = applicable(requested, prepared)
        known = own.equal_fit(shown.id, values.method, parameters)
        if known is not None and ctx.triggered_id != ids.RUN_AGAIN:
            offer = {"run": known.run_id, "title": title(known), "clicks": clicks}
            return no_update, None, no_update, no_update, offer
        check_data(values.method, prepared, parameters)
        own.queue(own.new_fit(shown, values.method, parameters, prepared))
    except UserError as error:
        return no_update, str(error), no_update, no_update, no_update
    # The panels come with this answer, so that the first plane waits for no further one.
    return own.revision(), None, *show_panels(data), no_update

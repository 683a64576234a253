"""The Run button: starts a run with the values of the sidebar."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, no_update

from callbacks.panels import show_panels
from callbacks.session import workspace
from callbacks.sidebar import SIDEBAR, SidebarValues
from melm_core.base import UserError
from melm_core.methods import AUTO
from melm_studio.layout import ids
from melm_studio.views.data_source import ShownData
from melm_studio.views.workspace import check_data


def register(app: Dash) -> None:
    """Connect the Run button."""
    app.callback(
        Output(ids.LISTED, "data"),
        Output(ids.RUN_ERROR, "children"),
        Output(ids.PANELS, "children", allow_duplicate=True),
        Output(ids.RUN_TABS, "children", allow_duplicate=True),
        Input(ids.RUN, "n_clicks"),
        State(ids.DATA, "data"),
        State(ids.GAMMA, "value"),
        State(ids.GAMMA_AUTO, "data"),
        *SIDEBAR,
        prevent_initial_call=True,
    )(start_run)


def start_run(
    clicks: int | None, data: Any, gamma: Any, is_auto: Any, *sidebar: Any
) -> tuple[Any, ...]:
    """Queue a run of the shown data and list it with the others, or say why not."""
    own, values = workspace(), SidebarValues(*sidebar)
    try:
        shown = ShownData.from_json(data)
        parameters = values.parameters(values.method, AUTO if is_auto else gamma)
        check_data(values.method, own.data(shown), parameters)
        own.queue(own.new_fit(shown, values.method, parameters))
    except UserError as error:
        return no_update, str(error), no_update, no_update
    # The panels come with this answer, so that the first plane waits for no further one.
    return own.revision(), None, *show_panels(None, data)

"""The data sets used before: a menu of them with their runs, which the browser remembers."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State
from dash.development.base_component import Component

from callbacks.scripts import connect_script
from callbacks.session import workspace
from melm_studio.layout import ids
from melm_studio.layout.shell.header import project_items, recent_list
from melm_studio.workspace.data_source import ShownData, recent_data, remembered_sources


def register(app: Dash) -> None:
    """Connect the menu; the browser remembers the data sets."""
    connect_script(
        app,
        "rememberData",
        Output(ids.RECENT, "data"),
        Input(ids.DATA, "data"),
        State(ids.RECENT, "data"),
    )
    app.callback(
        Output(ids.RECENT_LIST, "children"),
        Input(ids.DATA_NAME, "n_clicks"),
        Input(ids.RECENT_OPEN, "n_clicks"),
        State(ids.RECENT, "data"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(list_recent)


def list_recent(
    header_clicks: int | None, sidebar_clicks: int | None, remembered: Any, data: Any
) -> list[Component]:
    """List the data sets with their runs, as the menu opens, and what is done with a project."""
    recent = recent_data(remembered_sources(remembered), workspace().panels())
    source = None if data is None else ShownData.from_json(data).source
    return [*recent_list(recent), *project_items(source)]

"""How the panels show what they show: settled in the browser alone."""

from __future__ import annotations

from dash import ClientsideFunction, Dash, Input, Output

from layout import ids


def register(app: Dash) -> None:
    """Hand what the page's scripts follow to them: the mode, the switches, the kernel width."""
    app.clientside_callback(
        ClientsideFunction("studio", "setView"),
        Output(ids.VIEW, "data"),
        Input(ids.LINKED, "checked"),
        Input(ids.ALIGNED, "checked"),
        Input(ids.CONTOURS, "checked"),
        Input(ids.ARROWS, "checked"),
    )
    app.clientside_callback(
        ClientsideFunction("studio", "noteRevision"),
        Output(ids.REVISION_SHOWN, "data"),
        Input(ids.REVISION, "data"),
    )
    app.clientside_callback(
        ClientsideFunction("studio", "setMode"),
        Output(ids.MODE_SHOWN, "data"),
        Input(ids.MODE, "value"),
    )
    app.clientside_callback(
        ClientsideFunction("studio", "setDrag"),
        Output(ids.DRAG_SHOWN, "data"),
        Input(ids.DRAG, "value"),
    )
    app.clientside_callback(
        ClientsideFunction("studio", "setTable"),
        Output(ids.TABLE_SHOWN, "data"),
        Input(ids.DATA, "data"),
    )
    app.clientside_callback(
        ClientsideFunction("studio", "setGamma"),
        Output(ids.GAMMA_SHOWN, "data"),
        Input(ids.GAMMA, "value"),
        prevent_initial_call=True,
    )

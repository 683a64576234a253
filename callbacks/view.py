"""How the panels show what they show: settled in the browser alone."""

from __future__ import annotations

from dash import ClientsideFunction, Dash, Input, Output

from layout import ids


def register(app: Dash) -> None:
    """Hand the switches above the panels, and the kernel width, to the page's script."""
    app.clientside_callback(
        ClientsideFunction("studio", "setView"),
        Output(ids.VIEW, "data"),
        Input(ids.LINKED, "checked"),
        Input(ids.ALIGNED, "checked"),
        Input(ids.CONTOURS, "checked"),
        Input(ids.ARROWS, "checked"),
    )
    app.clientside_callback(
        ClientsideFunction("studio", "setGamma"),
        Output(ids.GAMMA_SHOWN, "data"),
        Input(ids.GAMMA, "value"),
        prevent_initial_call=True,
    )

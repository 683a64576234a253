"""How the panels show what they show: settled in the browser alone."""

from __future__ import annotations

from dash import ClientsideFunction, Dash, Input

from melm_studio.layout import ids

# What the page's scripts follow, by the name of the function that hears of it.
_FOLLOWED = {
    "setView": (
        Input(ids.LINKED, "checked"),
        Input(ids.ALIGNED, "checked"),
        Input(ids.CONTOURS, "checked"),
        Input(ids.ARROWS, "checked"),
    ),
    "noteRevision": (Input(ids.REVISION, "data"),),
    "setMode": (Input(ids.MODE, "value"),),
    "setDrag": (Input(ids.DRAG, "value"),),
    "setTable": (Input(ids.DATA, "data"),),
}


def register(app: Dash) -> None:
    """Hand what the page's scripts follow to them: the mode, the switches, the kernel width."""
    for name, inputs in _FOLLOWED.items():
        app.clientside_callback(ClientsideFunction("studio", name), *inputs)
    app.clientside_callback(
        ClientsideFunction("studio", "setGamma"),
        Input(ids.GAMMA, "value"),
        prevent_initial_call=True,
    )

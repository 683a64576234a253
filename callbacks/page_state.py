"""Functions of the page's scripts as callbacks; and the state of the page that scripts hold."""

from __future__ import annotations

from typing import Any, cast

from dash import ClientsideFunction, Dash, Input

from melm_studio.layout import ids

# The script function that each of these changes calls.
_LISTENERS = {
    "setMode": (Input(ids.MODE, "value"),),
    "setAuto": (Input(ids.GAMMA_AUTO, "data"),),
    "setData": (Input(ids.DATA, "data"),),
}


def register(app: Dash) -> None:
    """Pass changes of the page's state to its scripts."""
    for name, inputs in _LISTENERS.items():
        connect_script(app, name, *inputs)
    connect_script(
        app,
        "setGamma",
        Input(ids.GAMMA, "value"),
        prevent_initial_call=True,
    )


def connect_script(app: Dash, function: str, *dependencies: Any, **options: Any) -> None:
    """Call a function of the page's scripts as a callback, which runs in the browser."""
    connect = cast(Any, app.clientside_callback)  # Dash leaves it untyped
    connect(ClientsideFunction("studio", function), *dependencies, **options)

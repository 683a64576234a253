"""The state of the page that its scripts hold: mode, kernel width."""

from __future__ import annotations

from dash import Dash, Input

from callbacks.scripts import connect_script
from melm_studio.layout import ids

# The script function that each of these changes calls.
_LISTENERS = {
    "setMode": (Input(ids.MODE, "value"),),
    "setAuto": (Input(ids.GAMMA_AUTO, "data"),),
    "setData": (Input(ids.DATA, "data"),),
    "noteTab": (Input(ids.COMPARE_TAB, "value"),),
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

"""The method form: what the chosen method does, and which controls affect it."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, no_update
from dash.development.base_component import Component

from callbacks.page_state import connect_script
from melm_core.methods import GAMMA, STARTS, AutoParameter
from melm_studio.layout import ids
from melm_studio.layout.method_line import own_settings
from melm_studio.workspace.run_form import method_of


def register(app: Dash) -> None:
    """Connect the method part of the page."""
    app.callback(
        Output(ids.METHOD_EXPLANATION, "children"),
        Output(ids.N_INIT, "disabled"),
        Output(ids.N_INIT, "value"),
        Output(ids.N_INIT_REASON, "children"),
        Output(ids.SETTINGS, "children"),
        Output(ids.GAMMA_CONTROL, "hidden"),
        Output(ids.GAMMA_CHOICE, "hidden"),
        Input(ids.METHOD, "value"),
    )(explain_method)
    connect_script(
        app,
        "summarizeSettings",
        Output(ids.MORE_SETTINGS, "children"),
        Input(ids.N_COMPONENTS, "value"),
        Input(ids.N_INIT, "value"),
        Input(ids.N_INIT, "disabled"),
        Input(ids.HELD_OUT, "value"),
        Input(ids.CURVES, "value"),
    )


def explain_method(key: str) -> tuple[str, bool, Any, str | None, Component, bool, bool]:
    """Explain the method, and show the controls of its own settings."""
    method = method_of(key)
    starts, gamma = method.parameter(STARTS.name), method.parameter(GAMMA.name)
    return (
        f"{method.explanation} {method.paper}.",
        starts is None,
        starts.default if starts else no_update,
        None if starts else f"{method.label} has a unique solution, so it needs no starts.",
        own_settings(method),
        gamma is None,
        not isinstance(gamma, AutoParameter),
    )

"""The method's controls say what they do, and why one has no effect."""

from __future__ import annotations

from dash import Dash, Input, Output

from layout import ids
from melm_core.methods import METHODS


def register(app: Dash) -> None:
    """Connect the method part of the rail."""

    @app.callback(
        Output(ids.METHOD_EXPLANATION, "children"),
        Output(ids.N_INIT, "disabled"),
        Output(ids.N_INIT_REASON, "children"),
        Input(ids.METHOD, "value"),
    )
    def explain(key: str) -> tuple[str, bool, str | None]:
        method = METHODS[key]
        needs_starts = method.takes("n_init")
        reason = f"{method.label} has one answer, so it needs no starts."
        return method.explanation, not needs_starts, None if needs_starts else reason

"""Starting, stopping, removing and listing runs."""

from __future__ import annotations

import secrets
from typing import Any

from dash import ALL, Dash, Input, Output, State, ctx, no_update
from dash.development.base_component import Component

from callbacks.session import own_run, owner
from callbacks.studio import Studio
from layout import ids
from layout.controls import gamma_of
from layout.panel import panel, teaching_panel
from worker.records import RunRecord, new_run
from worker.words import title

MOST_PANELS = 9
_FULL = f"The page holds {MOST_PANELS} panels. Remove one to run another."
_NO_DATA = "There are no data to run on yet. Drop a CSV or choose a sample."


def register(app: Dash, studio: Studio) -> None:
    """Connect the Run button and the panels."""

    @app.callback(
        Output(ids.REVISION, "data", allow_duplicate=True),
        Output(ids.RUN_ERROR, "children"),
        Input(ids.RUN, "n_clicks"),
        State(ids.DATA, "data"),
        State(ids.METHOD, "value"),
        State(ids.GAMMA, "value"),
        State(ids.N_INIT, "value"),
        State(ids.RANDOM_STATE, "value"),
        State(ids.HELD_OUT, "value"),
        prevent_initial_call=True,
    )
    def start(
        clicks: int | None,
        data: dict[str, str] | None,
        method: str,
        log_gamma: float,
        n_init: int,
        random_state: int,
        held_out_percent: float,
    ) -> tuple[Any, Any]:
        if data is None:
            return no_update, _NO_DATA
        if len(_runs_on(studio, data["id"])) >= MOST_PANELS:
            return no_update, _FULL
        parameters = {
            "n_components": 2,
            "gamma": gamma_of(log_gamma),
            "n_init": int(n_init),
            "random_state": int(random_state),
            "held_out": held_out_percent / 100,
        }
        studio.store.create(new_run(owner(), data["id"], data["name"], method, parameters))
        return _new_revision(), None

    @app.callback(
        Output(ids.REVISION, "data", allow_duplicate=True),
        Input({"type": "stop", "run": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    def stop(clicks: list[int | None]) -> Any:
        if ctx.triggered and ctx.triggered[0]["value"]:
            studio.store.request_cancel(own_run(studio, ctx.triggered_id["run"]).run_id)
        return no_update

    @app.callback(
        Output(ids.REVISION, "data", allow_duplicate=True),
        Input({"type": "remove", "run": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    def remove(clicks: list[int | None]) -> Any:
        if not (ctx.triggered and ctx.triggered[0]["value"]):
            return no_update
        studio.store.delete(own_run(studio, ctx.triggered_id["run"]).run_id)
        return _new_revision()

    @app.callback(
        Output(ids.PANELS, "children"),
        Input(ids.REVISION, "data"),
        Input(ids.DATA, "data"),
    )
    def show(revision: str | None, data: dict[str, str] | None) -> list[Component]:
        runs = _runs_on(studio, data["id"]) if data else []
        panels = [panel(run.run_id, title(run), run.data_name) for run in runs]
        return panels or [teaching_panel()]


def _runs_on(studio: Studio, data_id: str) -> list[RunRecord]:
    return [run for run in studio.store.runs_of(owner()) if run.data_id == data_id]


def _new_revision() -> str:
    return secrets.token_hex(8)

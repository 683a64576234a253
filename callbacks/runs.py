"""Starting a run from the controls of the rail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import Dash, Input, Output, State, no_update

from callbacks.panels import PANELS_FULL, is_full, newest_revision, source_of
from callbacks.routes.session import owner
from callbacks.services import Studio
from callbacks.sidebar import RAIL, Rail
from melm_core.methods import HELD_OUT, METHODS, SEED
from melm_studio.layout import ids
from melm_studio.layout.method_form import gamma_of
from melm_studio.tables import LabelledData
from melm_studio.worker.records.run import new_run, table_of

NO_DATA = "There are no data to run on yet. Drop a CSV or choose a sample."
_DATA_GONE = "These data are no longer stored here. Drop the file once more, or choose a sample."

# Slider positions beyond this are no logarithm of a gamma.
_LARGEST_POSITION = 9


def register(app: Dash, studio: Studio) -> None:
    """Connect the Run button."""

    @app.callback(
        Output(ids.REVISION, "data", allow_duplicate=True),
        Output(ids.RUN_ERROR, "children"),
        Input(ids.RUN, "n_clicks"),
        State(ids.DATA, "data"),
        State(ids.GAMMA, "value"),
        *RAIL,
        prevent_initial_call=True,
    )
    def start(
        clicks: int | None,
        data: dict[str, Any] | None,
        log_gamma: Any,
        *held: Any,
    ) -> tuple[Any, str | None]:
        if data is None:
            return no_update, NO_DATA
        raw = studio.store.get_data(owner(), data["id"])
        if raw is None:
            return no_update, _DATA_GONE
        source = source_of(data)
        if is_full(studio, table_of(data["id"], source)):
            return no_update, PANELS_FULL
        try:
            rail = Rail(*held)
            parameters = rail.parameters(rail.method, gamma_at(log_gamma))
            check_data(rail.method, LabelledData.from_bytes(raw), parameters)
            run = new_run(owner(), data["id"], data["name"], rail.method, parameters, source=source)
            studio.store.create(run)
        except ValueError as error:
            return no_update, str(error)
        return newest_revision(studio), None


def check_data(method: str, data: LabelledData, parameters: Mapping[str, Any]) -> None:
    """Refuse data that the method cannot work on, before a worker tries.

    Raises
    ------
    ValueError
        A sentence that says why and what would help.
    """
    seen, _ = data.split(parameters[HELD_OUT.name], parameters[SEED.name])
    refusal = METHODS[method].refusal(
        seen.X.shape[1], seen.class_counts, parameters["n_components"]
    )
    if refusal is not None:
        raise ValueError(refusal)


def gamma_at(log_gamma: Any) -> Any:
    """The gamma of a slider position; what is no position stays as it is, to be refused."""
    is_position = type(log_gamma) in (int, float) and abs(log_gamma) <= _LARGEST_POSITION
    return gamma_of(log_gamma) if is_position else log_gamma

"""Starting a run from the controls of the rail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import ALL, Dash, Input, Output, State, no_update

from callbacks.panels import PANELS_FULL, is_full, new_revision, source_of
from callbacks.session import owner
from callbacks.studio import Studio
from layout import ids
from layout.controls import gamma_of
from melm_core.datasets import LabelledData
from melm_core.methods import METHODS
from melm_core.parameters import COMPONENTS, GAMMA, HELD_OUT, SEED, SHARED, STARTS
from worker.records import new_run, table_of

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
        State(ids.METHOD, "value"),
        State(ids.N_COMPONENTS, "value"),
        State(ids.GAMMA, "value"),
        State(ids.N_INIT, "value"),
        State(ids.RANDOM_STATE, "value"),
        State(ids.HELD_OUT, "value"),
        State(ids.setting(ALL), "id"),
        State(ids.setting(ALL), "value"),
        prevent_initial_call=True,
    )
    def start(
        clicks: int | None,
        data: dict[str, Any] | None,
        method: str,
        n_components: Any,
        log_gamma: Any,
        n_init: Any,
        random_state: Any,
        held_out_percent: Any,
        own_ids: list[dict[str, str]],
        own_values: list[Any],
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
            own = dict(zip((own_id["name"] for own_id in own_ids), own_values, strict=True))
            gamma = gamma_at(log_gamma)
            shared = (n_components, gamma, n_init, random_state, held_out_percent)
            parameters = run_parameters(method, *shared, own)
            check_data(method, LabelledData.from_bytes(raw), parameters)
            run = new_run(owner(), data["id"], data["name"], method, parameters, source=source)
            studio.store.create(run)
        except ValueError as error:
            return no_update, str(error)
        return new_revision(), None


def run_parameters(
    method: str,
    n_components: Any,
    gamma: Any,
    n_init: Any,
    random_state: Any,
    held_out_percent: Any,
    own: Mapping[str, Any],
) -> dict[str, Any]:
    """The parameters of a run from what the controls hold; `own` are the method's alone.

    Raises
    ------
    ValueError
        A sentence that names the control, its value and the rule.
    """
    if method not in METHODS:
        labels = ", ".join(known.label for known in METHODS.values())
        raise ValueError(f"There is no method {method!r}. Choose one of {labels}.")
    takes_starts = METHODS[method].takes(STARTS.name)
    return {
        COMPONENTS.name: COMPONENTS.checked(_whole(n_components)),
        GAMMA.name: GAMMA.checked(gamma),
        STARTS.name: STARTS.checked(n_init if takes_starts else STARTS.default),
        SEED.name: SEED.checked(random_state),
        HELD_OUT.name: HELD_OUT.checked(held_out_percent) / 100,
        **{
            setting.name: setting.checked(own.get(setting.name, setting.default))
            for setting in METHODS[method].parameters
            if setting.name not in SHARED
        },
    }


def check_data(method: str, data: LabelledData, parameters: Mapping[str, Any]) -> None:
    """Refuse data that the method cannot work on, before a worker tries.

    Raises
    ------
    ValueError
        A sentence that says why and what would help.
    """
    seen, _ = data.split(parameters[HELD_OUT.name], parameters[SEED.name])
    refusal = METHODS[method].refusal(seen, parameters["n_components"])
    if refusal is not None:
        raise ValueError(refusal)


def _whole(text: Any) -> Any:
    """The number that a choice holds as text; anything else stays as it is, to be refused."""
    return int(text) if isinstance(text, str) and text.isdecimal() else text


def gamma_at(log_gamma: Any) -> Any:
    """The gamma of a slider position; what is no position stays as it is, to be refused."""
    is_position = type(log_gamma) in (int, float) and abs(log_gamma) <= _LARGEST_POSITION
    return gamma_of(log_gamma) if is_position else log_gamma

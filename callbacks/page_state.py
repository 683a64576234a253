"""Connections of callbacks: functions of the page's scripts, and choices of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypedDict, cast

import msgspec
from dash import ClientsideFunction, Dash, Input, Output, State, no_update

from melm_core.base import UserError
from melm_studio.layout import ids
from melm_studio.runs.records.data_source import DataSource

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


class NamedControl(TypedDict):
    """The id of a control that is distinguished by a name from others of its type."""

    name: str


def connect_choice(
    app: Dash,
    choose: Callable[..., DataSource | None],
    *controls: Input | State,
    refusal: Output | None = None,
    clears: bool = True,
    resets: Sequence[Output] = (),
) -> None:
    """Connect controls of the table to what they choose: another source of the data, or none.

    Parameters
    ----------
    app : Dash
    choose : callable
        Takes the values of the controls and, last, the data on screen; called once there are some.
    *controls : Input or State
    refusal : Output, optional
        Where the page says why a choice is refused. Without it, a refused one is none.
    clears : bool, default=True
        Whether a choice clears the refusal of the one before.
    resets : sequence of Output
        Further properties that a choice empties, and a refused one too.
    """

    refusals = [] if refusal is None else [refusal]

    @wraps(choose)  # by whose annotations calls are checked
    def chosen(*values: Any) -> Any:
        source, words, is_refused = None, cast(Any, no_update), False
        if values[-1] is not None:
            try:
                source = choose(*values)
            except UserError as error:
                words, is_refused = str(error), True
        if source is not None and clears:
            words = None
        answer = [
            no_update if source is None else msgspec.to_builtins(source),
            *(words for _ in refusals),
            *(None if is_refused or source is not None else no_update for _ in resets),
        ]
        return answer if len(answer) > 1 else answer[0]

    outputs = [Output(ids.CHOICE, "data", allow_duplicate=True), *refusals, *resets]
    data = State(ids.DATA, "data")
    app.callback(*outputs, *controls, data, prevent_initial_call=True)(chosen)

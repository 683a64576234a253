"""Batch runs: every chosen method at every chosen γ in every chosen preparation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from dash import Dash, Input, Output, State, no_update
from msgspec.structs import replace

from callbacks.session import workspace
from callbacks.sidebar import SIDEBAR, SidebarValues
from melm_core.base import UserError
from melm_studio.configuration.limits import LimitReachedError
from melm_studio.layout import ids
from melm_studio.runs.execution.refusals import applicable, check_data
from melm_studio.runs.records.run import RunRecord
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.workspace import MAX_PANELS, Workspace

_NOTHING_CHOSEN = "Choose at least one method and one γ to run."
_ALL_HERE = "All of these runs are on the page already."
_MOST_CHOICES = 1_000  # that are compared with the runs of the page
_FAR_TOO_MANY = (
    "These are {n_choices:,} choices; at most {most:,} can be looked at together. Choose fewer "
    "methods or fewer γ."
)
_TOO_MANY = (
    "These are {n_runs} runs; the page holds {most} panels and shows {n_shown}. Choose fewer runs, "
    "or remove some panels."
)


def register(app: Dash) -> None:
    """Connect the button that starts a batch."""
    app.callback(
        Output(ids.REVISION, "data", allow_duplicate=True),
        Output(ids.RUN_ERROR, "children", allow_duplicate=True),
        Input(ids.RUN_BATCH, "n_clicks"),
        State(ids.DATA, "data"),
        State(ids.BATCH_METHODS, "value"),
        State(ids.BATCH_GAMMAS, "value"),
        State(ids.BATCH_BOTH, "checked"),
        *SIDEBAR,
        prevent_initial_call=True,
    )(start_batch)


def start_batch(
    clicks: int | None,
    data: Any,
    methods: Sequence[str] | None,
    gammas: Sequence[str] | None,
    both: bool,
    *sidebar: Any,
) -> tuple[Any, str | None]:
    """Check all runs of the batch, then queue those that are not on the page already."""
    own = workspace()
    try:
        shown = ShownData.from_json(data)
        choices = _choices(methods or (), gammas or (), _preparations(shown, both=both))
        fits = _new_fits(own, shown, choices, SidebarValues.from_page(*sidebar))
        _check_room(own, shown, len(fits))
    except UserError as error:
        return no_update, str(error)
    return _queued(own, fits)


def _choices(
    methods: Sequence[str], gammas: Sequence[str], preparations: Sequence[bool]
) -> list[tuple[str, Any, bool]]:
    n_choices = len(methods) * len(gammas) * len(preparations)
    if n_choices == 0:
        raise UserError(_NOTHING_CHOSEN)
    if n_choices > _MOST_CHOICES:
        raise UserError(_FAR_TOO_MANY.format(n_choices=n_choices, most=_MOST_CHOICES))
    return list(product(methods, map(_number, gammas), preparations))


def _number(text: str) -> Any:
    """The number that was typed; other text is left as it is, for the parameter to refuse."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def _preparations(shown: ShownData, *, both: bool) -> list[bool]:
    """Whether to standardize: as chosen, or both with and without."""
    chosen = shown.source.standardize
    return [chosen, not chosen] if both else [chosen]


def _check_room(own: Workspace, shown: ShownData, n_runs: int) -> None:
    if n_runs == 0:
        raise UserError(_ALL_HERE)
    n_shown = len(own.shown_fits(shown))
    if n_shown + n_runs > MAX_PANELS:
        raise UserError(_TOO_MANY.format(n_runs=n_runs, most=MAX_PANELS, n_shown=n_shown))


def _new_fits(
    own: Workspace,
    shown: ShownData,
    choices: Iterable[tuple[str, Any, bool]],
    sidebar: SidebarValues,
) -> list[RunRecord]:
    source = replace(shown.source, label=shown.label)
    table, prepared = own.table(source), {}
    fits = []
    for method, gamma, standardize in choices:
        if standardize not in prepared:
            prepared[standardize] = own.prepare(table, replace(source, standardize=standardize))
        data = prepared[standardize]
        parameters = applicable(sidebar.parameters(method, gamma), data)
        check_data(method, data, parameters)
        if own.equal_fit(data.content_hash, method, parameters):
            continue
        variant = ShownData(
            data.content_hash, data.name, shown.label, replace(source, standardize=standardize)
        )
        fits.append(own.new_fit(variant, method, parameters, data))
    return fits


def _queued(own: Workspace, fits: Iterable[RunRecord]) -> tuple[str, str | None]:
    try:
        own.queue(*fits)
    except LimitReachedError as error:  # the runs before the limit stay queued
        return own.revision(), str(error)
    return own.revision(), None

"""The comparison tables: scores of the runs, angles between their planes, rows that move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from dash import Dash, Input, Output, State, no_update

from callbacks.services import services
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.configuration.limits import LimitReachedError
from melm_studio.layout import ids
from melm_studio.layout.compare import agreement_table, compare_table, movers_table
from melm_studio.planes.captions import title
from melm_studio.publication.comparison import (
    ComparedRun,
    agreement,
    biggest_movers,
    compared,
    ordered,
)
from melm_studio.runs.records.run import RunRecord
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.workspace import readable

# Every table is updated by these, and shows the runs of these data.
_UPDATED_BY = (
    Input(ids.COMPARE_CLOCK, "n_intervals"),
    Input(ids.COMPARE_TAB, "value"),
    Input(ids.COMPARED_RUNS, "data"),
    State(ids.DATA, "data"),
)


class Order(TypedDict):
    """The column by which a table is sorted; None for the order of the runs."""

    column: str | None
    descending: bool


_TOO_FEW = "Rows can be compared between two runs. Start another run on these data."


def register(app: Dash) -> None:
    """Connect the tables; each is updated while it is open."""
    app.callback(
        Output(ids.COMPARED, "children"),
        Output(ids.AGREEMENT, "children"),
        Output(ids.COMPARE_CLOCK, "disabled"),
        Input(ids.SORT, "data"),
        Input(ids.MODE, "value"),
        *_UPDATED_BY,
        prevent_initial_call=True,
    )(update_scores)
    app.callback(
        Output(ids.MOVERS_FROM, "data"),
        Output(ids.MOVERS_FROM, "value"),
        Output(ids.MOVERS_TO, "data"),
        Output(ids.MOVERS_TO, "value"),
        Output(ids.MOVERS, "children"),
        Input(ids.MOVERS_FROM, "value"),
        Input(ids.MOVERS_TO, "value"),
        *_UPDATED_BY,
        prevent_initial_call=True,
    )(update_movers)
    app.callback(
        Output(ids.COMPARE_CLOCK, "disabled", allow_duplicate=True),
        Output(ids.RUN_ERROR, "children", allow_duplicate=True),
        Input(ids.CHECK_ALL, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(check_all)


def update_scores(
    order: Order, mode: str, ticks: int | None, tab: str | None, listed: Any, data: Any
) -> tuple[Any, Any, bool]:
    """Update the open table, until its runs and checks have ended."""
    if mode != "compare" or tab is None:
        return no_update, no_update, True
    fits, app = _shown_fits(data), services()
    rows = compared(app.store, app.renderer, fits, workspace().checks())
    is_settled = all(row.is_settled for row in rows)
    if tab == "agreement":
        return no_update, agreement_table(agreement(app.store, app.renderer, fits)), is_settled
    return _table(rows, order), no_update, is_settled


def update_movers(
    start: str | None, end: str | None, ticks: int | None, tab: str | None, listed: Any, data: Any
) -> tuple[Any, ...]:
    """Update the rows that move most between two runs, and the choice of these."""
    if tab != "movers":
        return (no_update,) * 5
    runs = {record.run_id: record for record in _shown_fits(data)}
    options = [{"value": run_id, "label": title(run)} for run_id, run in runs.items()]
    if len(runs) < 2:
        return options, None, options, None, _TOO_FEW
    first = start if start in runs else next(iter(runs))
    second = end if end in runs else next(run_id for run_id in runs if run_id != first)
    return options, first, options, second, _movers(runs[first], runs[second])


def check_all(clicks: int | None, data: Any) -> tuple[bool, str | None]:
    """Check every run that has no check yet."""
    try:
        for fit in _shown_fits(data):
            workspace().check(fit)
    except LimitReachedError as error:
        return False, str(error)
    return False, None


def _shown_fits(data: Any) -> list[RunRecord]:
    return readable(workspace().shown_fits(ShownData.from_json(data))) if data else []


def _table(rows: Sequence[ComparedRun], order: Order) -> Any:
    column, descending = order["column"], order["descending"]
    if column is not None:
        rows = ordered(rows, column, descending=descending)
    return compare_table(rows, column, descending=descending)


def _movers(start: RunRecord, end: RunRecord) -> Any:
    try:
        return movers_table(biggest_movers(services().store, services().renderer, start, end))
    except UserError as error:
        return str(error)

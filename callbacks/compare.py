"""The tables below the panels: the runs' figures, how far they agree, which rows moved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import Dash, Input, Output, State, no_update

from callbacks.panels import runs_shown
from callbacks.routes.session import owner
from callbacks.services import Studio
from callbacks.validation import standing_check
from melm_studio.layout import ids
from melm_studio.layout.compare import agreement_table, compare_table, movers_table
from melm_studio.views.captions import title
from melm_studio.views.comparison import ComparedRun, agreement, biggest_movers, compared, ordered
from melm_studio.worker.execution.validation_run import standing_checks
from melm_studio.worker.records.limits import LimitReachedError
from melm_studio.worker.records.run import RunRecord

# What every table follows, and the data of its runs.
_FOLLOWED = (
    Input(ids.COMPARE_CLOCK, "n_intervals"),
    Input(ids.COMPARE_TAB, "value"),
    Input(ids.RUN_TABS, "children"),
    State(ids.DATA, "data"),
)

_TOO_FEW = "There must be two runs on these data before their rows can move between them."


def register(app: Dash, studio: Studio) -> None:
    """Connect the tables, each followed while it is open."""
    _follow_figures(app, studio)
    _follow_movers(app, studio)

    @app.callback(
        Output(ids.COMPARE_CLOCK, "disabled", allow_duplicate=True),
        Output(ids.RUN_ERROR, "children", allow_duplicate=True),
        Input(ids.CHECK_ALL, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )
    def check_all(clicks: int | None, data: dict[str, Any] | None) -> tuple[bool, str | None]:
        try:
            for record in runs_shown(studio, data):
                standing_check(studio, record)
        except LimitReachedError as error:
            return False, str(error)
        return False, None


def _follow_figures(app: Dash, studio: Studio) -> None:
    @app.callback(
        Output(ids.COMPARED, "children"),
        Output(ids.AGREEMENT, "children"),
        Output(ids.COMPARE_CLOCK, "disabled"),
        Input(ids.SORT, "data"),
        Input(ids.MODE, "value"),
        *_FOLLOWED,
        prevent_initial_call=True,
    )
    def follow(
        order: dict[str, Any],
        mode: str,
        ticks: int | None,
        tab: str | None,
        tabs: Any,
        data: dict[str, Any] | None,
    ) -> tuple[Any, Any, bool]:
        if mode != "compare" or tab is None:
            return no_update, no_update, True
        records = runs_shown(studio, data)
        rows = _rows(studio, records)
        is_settled = all(row.is_settled for row in rows)
        if tab == "agreement":
            angles = agreement(studio.store, studio.gallery, records)
            return no_update, agreement_table(angles), is_settled
        return _table(rows, order), no_update, is_settled


def _follow_movers(app: Dash, studio: Studio) -> None:
    @app.callback(
        Output(ids.MOVERS_FROM, "data"),
        Output(ids.MOVERS_FROM, "value"),
        Output(ids.MOVERS_TO, "data"),
        Output(ids.MOVERS_TO, "value"),
        Output(ids.MOVERS, "children"),
        Input(ids.MOVERS_FROM, "value"),
        Input(ids.MOVERS_TO, "value"),
        *_FOLLOWED,
        prevent_initial_call=True,
    )
    def follow(
        start: str | None,
        end: str | None,
        ticks: int | None,
        tab: str | None,
        tabs: Any,
        data: dict[str, Any] | None,
    ) -> tuple[Any, ...]:
        if tab != "movers":
            return (no_update,) * 5
        runs = {record.run_id: record for record in runs_shown(studio, data)}
        options = [{"value": run_id, "label": title(run)} for run_id, run in runs.items()]
        if len(runs) < 2:
            return options, None, options, None, _TOO_FEW
        start = start if start in runs else next(iter(runs))
        end = end if end in runs else next(run_id for run_id in runs if run_id != start)
        return options, start, options, end, _moved(studio, runs[start], runs[end])


def _rows(studio: Studio, records: list[RunRecord]) -> list[ComparedRun]:
    checks = standing_checks(studio.store.runs_of(owner()))
    return compared(studio.store, studio.gallery, records, checks)


def _table(rows: list[ComparedRun], order: Mapping[str, Any]) -> Any:
    column, descending = order["column"], bool(order["descending"])
    if column is not None:
        rows = ordered(rows, column, descending=descending)
    return compare_table(rows, column, descending=descending)


def _moved(studio: Studio, start: RunRecord, end: RunRecord) -> Any:
    try:
        return movers_table(biggest_movers(studio.store, studio.gallery, start, end))
    except ValueError as error:
        return str(error)

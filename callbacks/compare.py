"""The rows that move most between two runs; a script shows the other tables of Compare."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, no_update

from callbacks.services import services
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.layout import ids
from melm_studio.layout.buttons import table_file
from melm_studio.layout.compare import movers_table
from melm_studio.planes.captions import title
from melm_studio.publication.comparison import biggest_movers
from melm_studio.runs.records.run import RunRecord
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.workspace import readable

_TOO_FEW = "Rows can be compared between two runs. Start another run on these data."


def register(app: Dash) -> None:
    """Connect the table; it is updated while it is open."""
    app.callback(
        Output(ids.MOVERS_FROM, "data"),
        Output(ids.MOVERS_FROM, "value"),
        Output(ids.MOVERS_TO, "data"),
        Output(ids.MOVERS_TO, "value"),
        Output(ids.MOVERS, "children"),
        Input(ids.MOVERS_FROM, "value"),
        Input(ids.MOVERS_TO, "value"),
        Input(ids.COMPARE_TAB, "value"),
        Input(ids.COMPARED_RUNS, "data"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(update_movers)


def update_movers(
    start: str | None, end: str | None, tab: str | None, listed: Any, data: Any
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


def _shown_fits(data: Any) -> list[RunRecord]:
    return readable(workspace().shown_fits(ShownData.from_json(data))) if data else []


def _movers(start: RunRecord, end: RunRecord) -> Any:
    try:
        found = biggest_movers(services().store, services().renderer, start, end)
    except UserError as error:
        return str(error)
    return [movers_table(found), table_file("compare/movers.csv", [start.run_id, end.run_id])]

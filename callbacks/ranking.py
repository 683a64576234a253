"""Compare all methods on the data that the page shows."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, no_update

from callbacks.services import services
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.analyses.ranking import RANKING, RankingReport, ranked, refusals
from melm_studio.configuration.messages import WAITS
from melm_studio.layout import ids
from melm_studio.layout.buttons import table_file
from melm_studio.layout.ranking import ranking_body
from melm_studio.runs.execution.stored_report import ReportUnreadableError
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.workspace.data_source import ShownData

TAB = "ranking"


def register(app: Dash) -> None:
    """Connect the tab."""
    app.callback(
        Output(ids.RANK_CLOCK, "disabled", allow_duplicate=True),
        Output(ids.RUN_ERROR, "children", allow_duplicate=True),
        Input(ids.RANK_ALL, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(start)
    app.callback(
        Output(ids.RANK_STOP, "disabled", allow_duplicate=True),
        Input(ids.RANK_STOP, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(stop)
    app.callback(
        Output(ids.RANKING, "children"),
        Output(ids.RANK_CLOCK, "disabled"),
        Output(ids.RANK_STOP, "disabled"),
        Output(ids.RANK_ALL, "disabled"),
        Input(ids.RANK_CLOCK, "n_intervals"),
        Input(ids.RANK_CLOCK, "disabled"),
        Input(ids.COMPARE_TAB, "value"),
        Input(ids.DATA, "data"),
        prevent_initial_call=True,
    )(update)


def start(clicks: int | None, data: Any) -> tuple[bool, str | None]:
    """Queue the comparison, unless it is at work or complete."""
    try:
        workspace().start_ranking(ShownData.from_json(data))
    except UserError as error:
        return True, str(error)
    return False, None


def stop(clicks: int | None, data: Any) -> bool:
    """Stop the comparison; what it has found stays."""
    current = workspace().ranking(ShownData.from_json(data))
    if current is not None:
        services().store.cancel(current.run_id)
    return True


def update(ticks: int | None, is_still: bool, tab: str | None, data: Any) -> tuple[Any, ...]:
    """Show the comparison so far, while its tab is open."""
    if tab != TAB or not data:
        return no_update, True, no_update, no_update
    current = workspace().ranking(ShownData.from_json(data))
    if current is None:
        return None, True, True, False
    is_final = current.state.is_final
    try:
        report = RANKING.stored(services().store, current.run_id)
    except ReportUnreadableError as error:
        return ranking_body(str(error), "", (), ()), is_final, is_final, True
    progress = _progress(current, report)
    sentence, rows = RANKING.sentence(report, is_final=is_final), ranked(report)
    body = [
        ranking_body(sentence, progress, rows, refusals(report), report.batch_chance),
        *([table_file(f"runs/{current.run_id}/ranking.csv")] if rows else []),
    ]
    can_start = is_final and current.state is not RunState.DONE
    return body, is_final, is_final, not can_start


def _progress(run: RunRecord, report: RankingReport) -> str:
    if run.state is RunState.DONE:
        return ""
    if run.state is RunState.QUEUED:
        return WAITS.capitalize()
    done = f"{len(report.methods)} of {report.n_methods} methods"
    if run.state.is_final:
        return f"{run.message} {done}; Compare all methods continues."
    _, stage = RANKING.progress(report)
    return f"{done}, {stage}" if stage else "Starting"

"""Is it real? A check of what a run found, which is a run itself."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, no_update

from callbacks.named_control import NamedRun
from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_studio.analyses.check import CHECK
from melm_studio.configuration.limits import LimitReachedError
from melm_studio.configuration.messages import WAITS
from melm_studio.layout import ids
from melm_studio.layout.validation import check_body
from melm_studio.planes.captions import title
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.run import RunRecord, RunState


def register(app: Dash) -> None:
    """Connect the dialog of a check."""
    app.callback(
        Output(ids.CHECK, "opened"),
        Output(ids.CHECK, "title"),
        Output(ids.CHECK_RUN, "data"),
        Output(ids.CHECK_BODY, "children", allow_duplicate=True),
        Input(ids.CHECK_REQUESTED, "data"),
        prevent_initial_call=True,
    )(open_check)
    app.callback(
        Output(ids.CHECK_BODY, "children"),
        Output(ids.CHECK_CLOCK, "disabled"),
        Output(ids.CHECK_STOP, "disabled"),
        Input(ids.CHECK_CLOCK, "n_intervals"),
        Input(ids.CHECK_RUN, "data"),
        Input(ids.CHECK, "opened"),
        prevent_initial_call=True,
    )(update_check)
    app.callback(
        Output(ids.CHECK_STOP, "loading"),
        Input(ids.CHECK_STOP, "n_clicks"),
        State(ids.CHECK_RUN, "data"),
        prevent_initial_call=True,
    )(stop_check)


def open_check(requested: NamedRun) -> tuple[Any, ...]:
    """Open the check of a run; queue one if there is none."""
    record = own_run(requested["run"])
    heading = f"Is it real? {title(record)}"
    try:
        check = workspace().check(record)
    except LimitReachedError as error:
        refusal = CheckReport(problem=str(error), fraction=1.0)
        return True, heading, None, check_body(refusal, "", (), is_final=True)
    return True, heading, check.run_id, _body(check)


def update_check(ticks: int | None, run_id: str | None, is_open: bool) -> tuple[Any, ...]:
    """Show the progress of the check while its dialog is open."""
    if run_id is None or not is_open:
        return no_update, True, True
    check = own_run(run_id)
    return _body(check), check.state.is_final, check.state.is_final


def stop_check(clicks: int | None, run_id: str) -> bool:
    """Stop the check."""
    services().store.cancel(own_run(run_id).run_id)
    return False


def _body(check: RunRecord) -> Any:
    report = CHECK.stored(services().store, check.run_id)
    names = services().renderer.data(check).class_names
    is_waiting = check.state is RunState.QUEUED
    stage = WAITS if is_waiting else check.message or report.stage
    file = f"runs/{check.run_id}/overlap.csv"
    return check_body(report, stage, names, file, is_final=check.state.is_final)

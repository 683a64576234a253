"""Is it real? A check of what a run found, as a run of its own."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, no_update

from callbacks.routes.session import own_run, owner
from callbacks.services import Studio
from melm_studio.layout import ids
from melm_studio.layout.validation import check_body
from melm_studio.views.captions import title
from melm_studio.worker.execution.validation_run import report_of, standing_checks
from melm_studio.worker.records.check_report import CheckReport
from melm_studio.worker.records.limits import LimitReachedError
from melm_studio.worker.records.run import RunRecord, RunState, new_check


def register(app: Dash, studio: Studio) -> None:
    """Open the view from a panel, follow the check, stop it."""

    @app.callback(
        Output(ids.CHECK, "opened"),
        Output(ids.CHECK, "title"),
        Output(ids.CHECK_RUN, "data"),
        Output(ids.CHECK_BODY, "children", allow_duplicate=True),
        Input(ids.CHECK_ASKED, "data"),
        prevent_initial_call=True,
    )
    def open_view(asked: dict[str, str]) -> tuple[Any, ...]:
        record = own_run(studio, asked["run"])
        heading = f"Is it real? {title(record)}"
        try:
            check = standing_check(studio, record)
        except LimitReachedError as error:
            return True, heading, None, _refusal(error)
        return True, heading, check.run_id, _body(studio, check)

    @app.callback(
        Output(ids.CHECK_BODY, "children"),
        Output(ids.CHECK_CLOCK, "disabled"),
        Output(ids.CHECK_STOP, "disabled"),
        Input(ids.CHECK_CLOCK, "n_intervals"),
        Input(ids.CHECK_RUN, "data"),
        Input(ids.CHECK, "opened"),
        prevent_initial_call=True,
    )
    def follow(ticks: int | None, run_id: str | None, is_open: bool) -> tuple[Any, ...]:
        if run_id is None or not is_open:
            return no_update, True, True
        check = own_run(studio, run_id)
        return _body(studio, check), check.state.is_final, check.state.is_final

    @app.callback(
        Output(ids.CHECK_STOP, "loading"),
        Input(ids.CHECK_STOP, "n_clicks"),
        State(ids.CHECK_RUN, "data"),
        prevent_initial_call=True,
    )
    def stop(clicks: int | None, run_id: str) -> bool:
        studio.store.request_cancel(own_run(studio, run_id).run_id)
        return False


def standing_check(studio: Studio, record: RunRecord) -> RunRecord:
    """The check of a run that is under way or done; a new one where there is none."""
    standing = standing_checks(studio.store.runs_of(owner())).get(record.run_id)
    if standing is not None:
        return standing
    check = new_check(record)
    studio.store.create(check)
    return check


def _refusal(error: LimitReachedError) -> Any:
    return check_body(CheckReport(words=str(error), fraction=1.0), "", (), is_final=True)


def _body(studio: Studio, check: RunRecord) -> Any:
    report = report_of(studio.store, check.run_id)
    names = studio.gallery.data(check).class_names
    is_waiting = check.state is RunState.QUEUED
    stage = "waiting for a free worker" if is_waiting else check.message or report.stage
    return check_body(report, stage, names, is_final=check.state.is_final)

"""The tables of Compare, and the confusion of a check, as CSV."""

from __future__ import annotations

import flask
import pandas as pd
from dash import Dash

from callbacks.routes.export import attachment
from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_studio.analyses.ranking_run import ranking_of
from melm_studio.analyses.ranking_words import ranked
from melm_studio.analyses.validation_run import report_of
from melm_studio.publication.comparison import agreement, biggest_movers, compared
from melm_studio.publication.comparison_tables import (
    angles_frame,
    movers_frame,
    overlap_frame,
    ranking_frame,
    scores_frame,
)
from melm_studio.rows.spreadsheet import csv_text
from melm_studio.runs.records.run import RunRecord
from melm_studio.workspace.workspace import MAX_PANELS


def register(app: Dash) -> None:
    """Connect the routes; ``run``, repeatable, names the runs that are compared."""
    app.server.get("/compare/table.csv")(scores_csv)
    app.server.get("/compare/agreement.csv")(angles_csv)
    app.server.get("/compare/movers.csv")(movers_csv)
    app.server.get("/runs/<run_id>/ranking.csv")(ranking_csv)
    app.server.get("/runs/<run_id>/overlap.csv")(overlap_csv)


def scores_csv() -> flask.Response:
    """The scores of the runs."""
    runs = _runs()
    rows = compared(services().store, services().renderer, runs, workspace().checks())
    return _sent(scores_frame(rows), runs[0], "scores.csv")


def angles_csv() -> flask.Response:
    """The angles between the planes of the runs."""
    runs = _runs()
    found = agreement(services().store, services().renderer, runs)
    return _sent(angles_frame(found), runs[0], "angles.csv")


def movers_csv() -> flask.Response:
    """The rows that move most from the first run to the second."""
    runs = _runs()
    if len(runs) != 2:
        flask.abort(404)
    found = biggest_movers(services().store, services().renderer, *runs)
    return _sent(movers_frame(found), runs[0], "movers.csv")


def ranking_csv(run_id: str) -> flask.Response:
    """All methods by their held-out accuracy, as far as they are compared."""
    record = _run_of_kind(run_id, "ranking")
    rows = ranked(ranking_of(services().store, record.run_id))
    if not rows:
        flask.abort(404)
    return _sent(ranking_frame(rows), record, "all-methods.csv")


def overlap_csv(run_id: str) -> flask.Response:
    """The held-out confusion of the classes that a check found."""
    record = _run_of_kind(run_id, "check")
    overlap = report_of(services().store, record.run_id).overlap
    if not overlap:
        flask.abort(404)
    names = services().renderer.data(record).class_names
    return _sent(overlap_frame(overlap, names), record, "confusion.csv")


def _runs() -> list[RunRecord]:
    names = dict.fromkeys(flask.request.args.getlist("run"))
    if not 1 <= len(names) <= MAX_PANELS:
        flask.abort(404)
    return [own_run(name) for name in names]


def _run_of_kind(run_id: str, kind: str) -> RunRecord:
    record = own_run(run_id)
    if record.kind != kind:
        flask.abort(404)
    return record


def _sent(table: pd.DataFrame, record: RunRecord, suffix: str) -> flask.Response:
    return attachment(csv_text(table), record, suffix, "text/csv")

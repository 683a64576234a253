"""The analyses of a run: begun, followed, stopped, and as a file; one route for all of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import flask

from callbacks.addresses import Body
from callbacks.guards.error_answers import sentence
from callbacks.routes.export import attachment
from callbacks.routes.markup import as_found
from callbacks.routes.rows import requested_new_rows
from callbacks.services import Served, services
from callbacks.session import own_fit, workspace
from melm_studio.analyses import ANALYSES
from melm_studio.analyses.analysis import Analysis, Subject
from melm_studio.analyses.lot_rows import LotRows
from melm_studio.analyses.ranking import RANKING
from melm_studio.analyses.report_section import Section
from melm_studio.analyses.sparse import SPARSE
from melm_studio.configuration.messages import HAS_ENDED, WAITS
from melm_studio.runs.execution.stored_report import ReportUnreadableError
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.view_spec import view_of_features
from melm_studio.workspace.workspace import NO_NEW_ROWS


def register(app: Served) -> None:
    """Connect the routes."""
    app.server.get("/runs/<run_id>/analyses")(known)
    app.server.get("/runs/<run_id>/analyses/<name>")(show_analysis)
    app.server.post("/runs/<run_id>/analyses/<name>")(begin_analysis)
    app.server.post("/runs/<run_id>/analyses/<name>/stop")(stop_analysis)
    app.server.get("/runs/<run_id>/analyses/<name>.csv")(analysis_csv)
    app.server.get("/runs/<run_id>/analyses/sparse/<int:n_features>")(kept_features)
    app.server.get("/rankings/<data_id>")(show_ranking)
    app.server.post("/rankings/<data_id>", body=Body.JSON)(begin_ranking)
    app.server.post("/rankings/<data_id>/stop")(stop_ranking)


def named_analysis(name: str) -> Analysis[Any]:
    """Return the analysis of a name; answer 404 if there is none."""
    if name not in ANALYSES:
        flask.abort(404)
    return ANALYSES[name]


def subject_of(record: RunRecord, run: RunRecord) -> Subject:
    """Return a fit as its analysis looks at it."""
    viewer = services().renderer.viewer(record)
    event = services().store.last_event(record.run_id)
    return Subject(
        record=record,
        run=run,
        feature_names=viewer.feature_names,
        class_names=viewer.class_names,
        components=None if event is None else event.components,
        fits=workspace().fits(),
    )


def analysis_sections(record: RunRecord) -> Iterator[tuple[str, Any, Subject, Section]]:
    """Yield the name, report, subject and section of every analysis of a fit that has one."""
    for name, analysis in ANALYSES.items():
        if (current := workspace().about(record, name)) is None:
            continue
        report = analysis.stored(services().store, current.run_id)
        subject = subject_of(record, current)
        if (section := analysis.section(report, subject)) is not None:
            yield name, report, subject, section


def known(run_id: str) -> dict[str, str]:
    """Return what each analysis of a run says so far, by name; nothing of those not requested."""
    newest = workspace().newest_about(own_fit(run_id))
    return {
        name: _sentence(analysis, newest[name])
        for name, analysis in ANALYSES.items()
        if name in newest
    }


def _sentence(analysis: Analysis[Any], run: RunRecord) -> str:
    try:
        report = analysis.stored(services().store, run.run_id)
    except ReportUnreadableError as error:  # which the others are none the worse for
        return str(error)
    return analysis.sentence(report, is_final=run.state.is_final)


def show_analysis(run_id: str, name: str) -> dict[str, Any]:
    """Return the results of an analysis so far; ``run`` is None before it is requested."""
    record, analysis = own_fit(run_id), named_analysis(name)
    current = workspace().about(record, name)
    if current is None:
        return {"run": None, **({"words": NO_NEW_ROWS} if analysis.needs_new_rows else {})}
    return _found_by(analysis, subject_of(record, current))


def _found_by(analysis: Analysis[Any], subject: Subject) -> dict[str, Any]:
    current = subject.run
    report = analysis.stored(services().store, current.run_id)
    fraction, stage = analysis.progress(report)
    is_waiting = current.state is RunState.QUEUED
    shown = analysis.shown(report, subject, flask.request.args)
    return {
        "run": current.run_id,
        "is_final": current.state.is_final,
        "can_begin": current.state.is_cut_short,
        "fraction": fraction,
        "stage": WAITS.capitalize() if is_waiting else current.message or stage,
        "words": analysis.sentence(report, is_final=current.state.is_final),
        **as_found(shown.pop("content")),
        **shown,
    }


def begin_analysis(run_id: str, name: str) -> tuple[dict[str, Any], int]:
    """Queue an analysis of a run, unless it has one that was not cut short."""
    return {"run": begun_analysis(run_id, name).run_id}, 201


def begun_analysis(run_id: str, name: str) -> RunRecord:
    """Return an analysis of a run, begun where it has none; of the file that the query names."""
    record, analysis = own_fit(run_id), named_analysis(name)
    if not analysis.of_new_rows or "file" not in flask.request.args:
        return workspace().analyze(record, analysis)
    rows = LotRows.of(requested_new_rows(record))
    return workspace().analyze(record, analysis, rows.to_bytes())


def stop_analysis(run_id: str, name: str) -> tuple[dict[str, Any], int]:
    """Stop an analysis of a run; what it has found stays."""
    return _stopped(workspace().about(own_fit(run_id), named_analysis(name).name))


def _stopped(current: RunRecord | None) -> tuple[dict[str, Any], int]:
    if current is None or current.state.is_final:
        return sentence(HAS_ENDED), 409
    services().store.cancel(current.run_id)
    return {}, 200


def kept_features(run_id: str, n_features: int) -> dict[str, Any]:
    """Return the view of the same method on so many features; 404 if off the path."""
    record = own_fit(run_id)
    current = workspace().about(record, SPARSE.name)
    report = SPARSE.blank() if current is None else SPARSE.stored(services().store, current.run_id)
    selections = [size.selected for size in report.sizes if size.n_features == n_features]
    if not selections:
        flask.abort(404)
    data = services().renderer.data(record)
    return {"view": view_of_features(record, data, selections[0]).to_json()}


def show_ranking(data_id: str) -> dict[str, Any]:
    """Return the results of a comparison of all methods, as `show_analysis`."""
    current = workspace().ranking(data_id)
    if current is None:
        return {"run": None}
    return _found_by(RANKING, Subject(current, current, feature_names=(), class_names=()))


def begin_ranking(data_id: str) -> tuple[dict[str, Any], int]:
    """Queue a comparison of all methods on the data in the body; continue one that was cut short.

    Their hash stands in the address, too, at which it is then shown.
    """
    shown = ShownData.from_json(flask.request.get_json(silent=True))
    if shown.id != data_id:
        flask.abort(404)
    return {"run": workspace().start_ranking(shown).run_id}, 201


def stop_ranking(data_id: str) -> tuple[dict[str, Any], int]:
    """Stop the comparison of all methods; what it has found stays."""
    return _stopped(workspace().ranking(data_id))


def analysis_csv(run_id: str, name: str) -> flask.Response:
    """Return the tables of an analysis in a report; 404 where it has none."""
    record = own_fit(run_id)
    named_analysis(name)
    tables = [
        table
        for section_name, _, _, section in analysis_sections(record)
        if section_name == name
        for table in section.tables
    ]
    if not tables:
        flask.abort(404)
    file = io.StringIO()
    csv.writer(file).writerows(row for table in tables for row in (table.head, *table.rows))
    return attachment(file.getvalue(), record, f"{name}.csv", "text/csv")

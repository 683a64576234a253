"""Tables and runs of a program."""

from __future__ import annotations

import dataclasses

import flask
from msgspec.structs import replace

from callbacks.identity import NotGrantedError
from callbacks.routes.analyses import begun_analysis, named_analysis
from callbacks.routes.api.endpoints import Endpoints
from callbacks.routes.publication import report_run, verdict
from callbacks.routes.requested_view import stored_upload
from callbacks.services import services
from callbacks.session import known_runs, own_fit, own_run, owner, workspace
from melm_studio.analyses import ANALYSES
from melm_studio.analyses.ranking import RANKING
from melm_studio.analyses.refits import REFITS_OF_RUN
from melm_studio.planes.view_options import ViewOptions
from melm_studio.programs.answers import Answers, described_table, plane
from melm_studio.programs.models import (
    Analyses,
    AnalysisResult,
    Check,
    Comparison,
    Comparisons,
    NewRun,
    Planes,
    PreparedTable,
    Refits,
    Result,
    Run,
    Runs,
    StoredFile,
)
from melm_studio.runs.execution.refusals import check_data, parameters_for
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import checked_parameters
from melm_studio.runs.records.refits_report import REFITS
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData
from melm_studio.validation import Count, read
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.workspace import readable

MOST_PLANES = 100  # in one answer
_NO_PLANE = (
    "This run is {state} and has found no plane yet. Ask again once GET /api/v1/runs/ID has planes."
)

routes = Endpoints("api_runs", __name__)


def _answers() -> Answers:
    return Answers(known_runs())


@routes.declare("GET", "/runs")
def list_runs() -> Runs:
    """List all runs of the visitor."""
    return Runs(tuple(map(_answers().run, workspace().fits())))


@routes.declare("POST", "/runs", takes="The run", status=201)
def start(body: NewRun) -> Run:
    """Prepare the data and queue a run."""
    space = workspace()
    checked_parameters(body.method, body.parameters)  # before the table is read
    data = prepared(body.source)
    parameters = parameters_for(data, body.method, body.parameters)
    check_data(body.method, data, parameters)
    shown = ShownData(data.content_hash, data.name, data.label, body.source)
    fit = space.new_fit(shown, body.method, parameters, data)
    record = replace(fit, from_page=False)  # nobody looks at it
    space.queue(record)
    return _answers().run(own_fit(record.run_id))


@routes.declare("GET", "/runs/<run_id>")
def show(run_id: str) -> Run:
    """Return the state of a run."""
    return _answers().run(own_fit(run_id))


@routes.declare("DELETE", "/runs/<run_id>")
def remove(run_id: str) -> Runs:
    """Remove a run, which stops; answers those that are left."""
    workspace().remove(own_fit(run_id))
    return list_runs()


@routes.declare("POST", "/runs/<run_id>/stop")
def stop(run_id: str) -> Run:
    """Stop a run, which keeps the planes it has found."""
    services().store.cancel(own_fit(run_id).run_id)
    return _answers().run(own_fit(run_id))


@routes.declare("GET", "/runs/<run_id>/planes", query={"after": int})
def planes(run_id: str) -> Planes:
    """Return the planes after a number, oldest first."""
    state = own_fit(run_id).state  # before the planes: those of a run that is done are all there
    text = flask.request.args.get("after")
    first = 0 if text is None else 1 + read(text, Count, "The number in after")
    events = services().store.events(run_id, first, first + MOST_PLANES)
    return Planes(tuple(map(plane, events)), state)


@routes.declare("GET", "/runs/<run_id>/result", is_heavy=True)
def result(run_id: str) -> Result:
    """Return the newest plane, and the separation of the classes there."""
    record = own_fit(run_id)
    event = services().store.last_event(run_id)
    if event is None:
        raise NotGrantedError(_NO_PLANE.format(state=record.state), 409)
    return _answers().result(record, event)


@routes.declare("POST", "/runs/<run_id>/check", status=201)
def start_check(run_id: str) -> Check:
    """Queue the check of a run, unless it has one."""
    return _answers().check(workspace().check(own_fit(run_id)))


@routes.declare("GET", "/runs/<run_id>/check")
def show_check(run_id: str) -> Check:
    """Return the results of the check of a run so far; 404 before it is started."""
    check = workspace().checks().get(own_fit(run_id).run_id)
    if check is None:
        flask.abort(404)
    return _answers().check(check)


@routes.declare("POST", "/runs/<run_id>/refits", status=201)
def start_refits(run_id: str) -> Refits:
    """Queue the refits of a run, unless it has them."""
    record = own_fit(run_id)
    return _answers().refits(record, workspace().analyze(record, REFITS_OF_RUN))


@routes.declare("GET", "/runs/<run_id>/refits", is_heavy=True)
def show_refits(run_id: str) -> Refits:
    """Return the results of the refits of a run so far; 404 before they are started."""
    record = own_fit(run_id)
    current = workspace().about(record, REFITS)
    if current is None:
        flask.abort(404)
    return _answers().refits(record, current)


@routes.declare(
    "POST",
    "/runs/<run_id>/analyses/<name>",
    query={"file": str, "name": str, "scaled": str},
    status=201,
)
def start_analysis(run_id: str, name: str) -> AnalysisResult:
    """Queue an analysis of a run, unless it has one."""
    return _answers().analysis(begun_analysis(run_id, name))


@routes.declare("GET", "/runs/<run_id>/analyses/<name>")
def show_analysis(run_id: str, name: str) -> AnalysisResult:
    """Return the results of an analysis of a run so far; 404 before it is started."""
    return _answers().analysis(_begun(run_id, name))


@routes.declare("GET", "/runs/<run_id>/analyses")
def list_analyses(run_id: str) -> Analyses:
    """List the analyses of a run, its check and refits among them."""
    record, space = own_fit(run_id), workspace()
    begun = filter(None, (space.about(record, name) for name in ANALYSES))
    return Analyses(tuple(map(_answers().analysis, begun)))


@routes.declare("POST", "/runs/<run_id>/analyses/<name>/stop")
def stop_analysis(run_id: str, name: str) -> AnalysisResult:
    """Stop an analysis of a run, which keeps what it has found."""
    services().store.cancel(_begun(run_id, name).run_id)
    return show_analysis(run_id, name)


@routes.declare("DELETE", "/runs/<run_id>/analyses/<name>")
def remove_analysis(run_id: str, name: str) -> Analyses:
    """Remove an analysis of a run, which stops; answers those that are left."""
    services().store.delete(_begun(run_id, name).run_id)
    return list_analyses(run_id)


def _begun(run_id: str, name: str) -> RunRecord:
    current = workspace().about(own_fit(run_id), named_analysis(name).name)
    if current is None:
        flask.abort(404)
    return current


@routes.declare("POST", "/comparisons", takes="The data", status=201)
def start_comparison(body: DataSource) -> Comparison:
    """Queue the comparison of all methods on a table, unless it has one."""
    data = prepared(body)
    shown = ShownData(data.content_hash, data.name, data.label, body)
    return _answers().comparison(workspace().start_ranking(shown))


@routes.declare("GET", "/comparisons/<run_id>")
def show_comparison(run_id: str) -> Comparison:
    """Return the results of a comparison of all methods so far."""
    return _answers().comparison(_own_comparison(run_id))


@routes.declare("GET", "/comparisons")
def list_comparisons() -> Comparisons:
    """List all comparisons of the visitor."""
    runs = readable(services().store.runs_of(owner()))
    return Comparisons(
        tuple(_answers().comparison(run) for run in runs if run.kind == RANKING.name)
    )


@routes.declare("POST", "/comparisons/<run_id>/stop")
def stop_comparison(run_id: str) -> Comparison:
    """Stop a comparison, which keeps what it has found."""
    services().store.cancel(_own_comparison(run_id).run_id)
    return show_comparison(run_id)


@routes.declare("DELETE", "/comparisons/<run_id>")
def remove_comparison(run_id: str) -> Comparisons:
    """Remove a comparison, which stops; answers those that are left."""
    services().store.delete(_own_comparison(run_id).run_id)
    return list_comparisons()


def _own_comparison(run_id: str) -> RunRecord:
    record = own_run(run_id)
    if record.kind != RANKING.name:
        flask.abort(404)
    return record


@routes.declare("POST", "/files", takes_file=True, status=201)
def store_file() -> StoredFile:
    """Store the file of a form under the hash of its content."""
    key, name = stored_upload()
    return StoredFile(key, name)


@routes.declare("POST", "/tables", takes="The data")
def prepare(body: DataSource) -> PreparedTable:
    """Prepare a table as runs do."""
    return described_table(prepared(body))


def prepared(source: DataSource) -> LabeledData:
    """Return the prepared table of a source, which is read once for all requests."""
    space = workspace()
    table = services().tables.describe(space, source)
    return dataclasses.replace(space.stored_data(table.id), warnings=table.warnings)


routes.declare(
    "GET",
    "/runs/<run_id>/verdict",
    is_heavy=True,
    answer="application/json",
)(verdict)
routes.declare(
    "GET",
    "/runs/<run_id>/report",
    query={"plane": int, **dict.fromkeys(ViewOptions.__struct_encode_fields__, str)},
    is_heavy=True,
    answer="text/html",
)(report_run)

"""Questions about a run: analyses that take their time, and numbers that are there at once."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import flask
from flask import Blueprint

from callbacks.addresses import Body
from callbacks.guards.error_answers import sentence
from callbacks.routes.export import attachment
from callbacks.routes.markup import as_found, at_once
from callbacks.routes.requested_view import (
    requested,
    requested_event,
    requested_scheme,
)
from callbacks.routes.rows import requested_new_rows
from callbacks.services import services
from callbacks.session import known_runs, own_fit, own_run, workspace
from melm_core.methods import METHODS
from melm_studio.analyses import ANALYSES
from melm_studio.analyses.analysis import Analysis, Subject
from melm_studio.analyses.content import notes, plot, selects
from melm_studio.analyses.lot_change import LotRows
from melm_studio.analyses.ranking import RANKING
from melm_studio.analyses.sparse import SPARSE
from melm_studio.configuration.messages import HAS_ENDED, WAITS
from melm_studio.planes.captions import axis_titles, surface_caption
from melm_studio.planes.decision_surface import KINDS, SurfaceRequest, surface_figure
from melm_studio.planes.feature_charts import (
    MOST_POINTS,
    LatentStructure,
    feature_densities,
    feature_figure,
    importance_figure,
    latent_structure,
    loadings_figure,
    s_plot_figure,
)
from melm_studio.planes.theme import Scheme
from melm_studio.planes.view_options import Shown
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.runs.store.protocol import ReportUnreadableError
from melm_studio.tables import number
from melm_studio.validation import read
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.view_spec import view_of_features
from melm_studio.workspace.workspace import NO_NEW_ROWS

_WORDS = "Where a row moves when a feature rises."
_STRONGEST = " The strongest {shown} of {all} features."
_LATENT_NOTE = (
    "VIP (variable importance in the projection) above 1 is more than that of an average feature. "
    "In an S-plot, features at the ends move the predictive score strongly (covariance) and "
    "reliably (correlation). Both are of the training rows; Q² is the counterpart of R²Y for "
    "held-out rows."
)
_DENSITIES_NOTE = (
    "Filled marks are training rows, open ones held-out rows; dashed lines are where another class "
    "becomes the most likely. A plane can tell apart what no single feature does."
)
_NO_PLANE = "This run has no plane yet. Wait for its first plane."
_MODES = {"exact": "Exact moments", "paper": "As in the paper"}
_OWN_KINDS = {"kfd": "kernel_fisher", "kpca": "kernel_pca"}  # of the methods that fit one
_NOTE = (
    "The kernel machine is approximated by a few modes, each a product of two densities along its "
    "own axes. + and − mark modes for and against the class; lines extend one standard deviation. "
    "In low dimensions, as many well-placed kernels are often more accurate; the modes show what "
    "the machine consists of."
)
routes = Blueprint("analyses", __name__)


def named_analysis(name: str) -> Analysis[Any]:
    """Return the analysis of a name; answer 404 if there is none."""
    if name not in ANALYSES:
        flask.abort(404)
    return ANALYSES[name]


@routes.get("/runs/<run_id>/analyses")
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


@routes.get("/runs/<run_id>/analyses/<name>")
def show_analysis(run_id: str, name: str) -> dict[str, Any]:
    """Return the results of an analysis so far; ``run`` is None before it is requested."""
    record, analysis = own_fit(run_id), named_analysis(name)
    current = workspace().about(record, name)
    if current is None:
        return {"run": None, **({"words": NO_NEW_ROWS} if analysis.needs_new_rows else {})}
    return _found_by(analysis, known_runs().subject(record, current))


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


@routes.post("/runs/<run_id>/analyses/<name>")
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


@routes.post("/runs/<run_id>/analyses/<name>/stop")
def stop_analysis(run_id: str, name: str) -> tuple[dict[str, Any], int]:
    """Stop an analysis of a run; what it has found stays."""
    return _stopped(workspace().about(own_fit(run_id), named_analysis(name).name))


def _stopped(current: RunRecord | None) -> tuple[dict[str, Any], int]:
    if current is None or current.state.is_final:
        return sentence(HAS_ENDED), 409
    services().store.cancel(current.run_id)
    return {}, 200


@routes.get("/runs/<run_id>/analyses/sparse/<int:n_features>")
def kept_features(run_id: str, n_features: int) -> dict[str, Any]:
    """Return the view of the same method on so many features; 404 if off the path."""
    record = own_fit(run_id)
    current = workspace().about(record, SPARSE.name)
    report = SPARSE.blank() if current is None else SPARSE.stored(services().store, current.run_id)
    selections = [size.selected for size in report.sizes if size.n_features == n_features]
    if not selections:
        flask.abort(404)
    data = services().planes.data(record)
    return {"view": view_of_features(record, data, selections[0]).to_json()}


@routes.get("/rankings/<data_id>")
def show_ranking(data_id: str) -> dict[str, Any]:
    """Return the results of a comparison of all methods, as `show_analysis`."""
    current = workspace().ranking(data_id)
    if current is None:
        return {"run": None}
    return _found_by(RANKING, Subject(current, current, feature_names=(), class_names=()))


@routes.post("/rankings/<data_id>", body=Body.JSON)
def begin_ranking(data_id: str) -> tuple[dict[str, Any], int]:
    """Queue a comparison of all methods on the data in the body; continue one that was cut short.

    Their hash stands in the address, too, at which it is then shown.
    """
    shown = ShownData.from_json(flask.request.get_json(silent=True))
    if shown.id != data_id:
        flask.abort(404)
    return {"run": workspace().start_ranking(shown).run_id}, 201


@routes.post("/rankings/<data_id>/stop")
def stop_ranking(data_id: str) -> tuple[dict[str, Any], int]:
    """Stop the comparison of all methods; what it has found stays."""
    return _stopped(workspace().ranking(data_id))


@routes.get("/runs/<run_id>/analyses/<name>.csv")
def analysis_csv(run_id: str, name: str) -> flask.Response:
    """Return the tables of an analysis in a report; 404 where it has none."""
    record = own_fit(run_id)
    named_analysis(name)
    tables = [
        table
        for section_name, _, _, section in known_runs().sections(record)
        if section_name == name
        for table in section.tables
    ]
    if not tables:
        flask.abort(404)
    file = io.StringIO()
    csv.writer(file).writerows(row for table in tables for row in (table.head, *table.rows))
    return attachment(file.getvalue(), record, f"{name}.csv", "text/csv")


@routes.get("/runs/<run_id>/planes/<int:sequence>/loadings")
def loadings(run_id: str, sequence: int) -> dict[str, Any]:
    """Return the loadings of a plane as a figure; 404 of one that is not linear, or a line."""
    record, renderer = own_fit(run_id), services().renderer
    if not METHODS[record.method].is_linear or record.parameters.n_components == 1:
        flask.abort(404)
    shown = requested(record, requested_event(run_id, sequence))
    names, view = renderer.planes.viewer(record).feature_names, renderer.view(shown)
    titles = axis_titles(renderer.planes, shown, view)
    figure = loadings_figure(view.loadings, names, titles, requested_scheme())
    drawn = plot(json.loads(figure.to_json()), "Loadings")
    return at_once(run_id, _words(names), [drawn])


def _words(names: tuple[str, ...]) -> str:
    is_sample = len(names) > MOST_POINTS
    shown, every = number(MOST_POINTS), number(len(names))
    return _WORDS + (_STRONGEST.format(shown=shown, all=every) if is_sample else "")


@routes.get("/runs/<run_id>/latent-structure", is_heavy=True)
def explained(run_id: str) -> dict[str, Any]:
    """Return the shares in words, and the figure of the features."""
    record = own_fit(run_id)
    if not METHODS[record.method].predicts_indicators:
        flask.abort(404)
    structure = latent_structure(services().planes.data(record), record)
    said = structure.words
    blocks = [plot(json.loads(_figure(structure).to_json()), said), notes([_LATENT_NOTE])]
    return {"line": structure.line, **at_once(run_id, said, blocks)}


def _figure(structure: LatentStructure) -> Any:
    scheme = requested_scheme()
    if structure.s_plot is not None:
        return s_plot_figure(structure.s_plot, structure.feature_names, scheme)
    return importance_figure(structure.importances, structure.feature_names, scheme)


@routes.get("/runs/<run_id>/features/<int:feature>")
def densities(run_id: str, feature: int) -> dict[str, Any]:
    """Return what a feature alone tells apart, in words and as a figure."""
    viewer = services().planes.viewer(own_fit(run_id))
    if feature >= len(viewer.feature_names):
        flask.abort(404)
    alone = feature_densities(viewer, feature)
    scheme = requested_scheme()
    figure = feature_figure(alone.view, alone.name, viewer.class_names, alone.n_drawn, scheme)
    blocks = [plot(json.loads(figure.to_json()), alone.words), notes([_DENSITIES_NOTE])]
    return at_once(run_id, alone.words, blocks)


@routes.get("/runs/<run_id>/surface", is_heavy=True)
def surface(run_id: str) -> tuple[dict[str, Any], int]:
    """Fit the kernel machine of the query in the newest plane, and draw its decision surface."""
    record, renderer = own_run(run_id), services().renderer
    event = services().store.last_event(run_id)
    if event is None:
        return sentence(_NO_PLANE), 409
    query = flask.request.args
    first = {"kind": _OWN_KINDS.get(record.method, next(iter(KINDS))), "method": "exact"}
    request = read(first | dict(query), SurfaceRequest, "The decision surface")
    rows, drawn = services().surfaces.of(Shown.of(record, event), request)
    figure = surface_figure(drawn, rows, request.code, query.get("scheme", Scheme.LIGHT, Scheme))
    n_train = renderer.planes.viewer(record).n_train
    caption = surface_caption(drawn.summary, drawn.cautions, len(rows.train), n_train)
    kinds = {key: kind.label for key, kind in KINDS.items()}
    names = renderer.planes.data(record).class_names
    classes = {str(code): name for code, name in enumerate(names)}
    blocks = [
        selects(
            [
                ("kind", "Kernel machine", kinds, request.kind),
                ("class", "Class, against the rest", classes, str(request.code)),
                ("method", "Modes", _MODES, request.method),
            ]
        ),
        # Three charts are higher than two.
        plot(
            json.loads(figure.to_json()), caption, name="surface" if drawn.machine_roc else "pair"
        ),
        notes([_NOTE]),
    ]
    return at_once(run_id, caption, blocks), 200

"""How few features suffice for a run: begun, as a figure, and a view of those that are kept."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import flask
from dash import Dash

from callbacks.routes.planes.progress import progress_of
from callbacks.services import services
from callbacks.session import own_fit, workspace
from melm_studio.analyses.sparse_figure import sparse_figure
from melm_studio.analyses.sparse_run import sparse_of
from melm_studio.analyses.sparse_words import named_sizes, sparse_note, sparse_sentence
from melm_studio.planes.theme import Scheme
from melm_studio.runs.records.run import RunKind
from melm_studio.runs.records.sparse_report import SparseReport
from melm_studio.workspace.sparse_start import started_sparse, view_of_features


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/runs/<run_id>/sparse")(sparse)
    app.server.post("/runs/<run_id>/sparse")(begin_sparse)
    app.server.get("/runs/<run_id>/sparse/<int:n_features>")(kept_features)


def sparse(run_id: str) -> dict[str, Any]:
    """The path so far; ``sparse`` is None where it was not asked for."""
    record = own_fit(run_id)
    current = workspace().about(record, RunKind.SPARSE)
    if current is None:
        return {"sparse": None}
    report = sparse_of(services().store, current.run_id)
    data = services().renderer.data(record)
    return {
        "sparse": current.run_id,
        **progress_of(current, report.n_refits / max(1, report.n_all)),
        "words": sparse_sentence(report, is_final=current.state.is_final),
        "note": sparse_note(report),
        "sizes": [asdict(size) for size in named_sizes(report, data.feature_names)],
        "sufficient": report.sufficient,
        "figure": _figure(report),
    }


def begin_sparse(run_id: str) -> tuple[dict[str, Any], int]:
    """Queue the path of features of a run, unless it has one that was not cut short."""
    return {"sparse": started_sparse(workspace(), own_fit(run_id)).run_id}, 201


def kept_features(run_id: str, n_features: int) -> dict[str, Any]:
    """The view of the same method on the columns of this many features; 404 if off the path."""
    record = own_fit(run_id)
    current = workspace().about(record, RunKind.SPARSE)
    report = SparseReport() if current is None else sparse_of(services().store, current.run_id)
    chosen = [size.selected for size in report.sizes if size.n_features == n_features]
    if not chosen:
        flask.abort(404)
    data = services().renderer.data(record)
    return {"view": view_of_features(record, data, chosen[0]).to_json()}


def _figure(report: SparseReport) -> Any:
    if not report.sizes:
        return None
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    figure = sparse_figure(report.sizes, 1 / report.n_classes, report.sufficient, scheme)
    return json.loads(figure.to_json())

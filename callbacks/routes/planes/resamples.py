"""The resamples of the plane of a run: begun, and with what they say."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import flask
from dash import Dash

from callbacks.routes.planes.progress import progress_of
from callbacks.services import services
from callbacks.session import own_fit, workspace
from melm_studio.analyses.resamples_run import resamples_of
from melm_studio.analyses.resamples_words import (
    resample_label,
    resampled_features,
    resamples_note,
    resamples_sentence,
)
from melm_studio.runs.records.run import RunKind
from melm_studio.workspace.resamples_start import started_resamples


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/runs/<run_id>/resamples")(resamples)
    app.server.post("/runs/<run_id>/resamples")(begin_resamples)


def resamples(run_id: str) -> dict[str, Any]:
    """The resamples of a run so far; ``resamples`` is None where they were not asked for."""
    record, store = own_fit(run_id), services().store
    current = workspace().about(record, RunKind.RESAMPLES)
    if current is None:
        return {"resamples": None}
    report, event = resamples_of(store, current.run_id), store.last_event(run_id)
    if event is None:
        flask.abort(404)
    names = services().renderer.viewer(record).feature_names
    features = resampled_features(report, names, event.components)
    return {
        "resamples": current.run_id,
        **progress_of(current, len(report.planes) / max(1, report.n_resamples)),
        "words": resamples_sentence(report, is_final=current.state.is_final),
        "note": resamples_note(report),
        "planes": report.planes,
        "labels": [resample_label(i, angle) for i, angle in enumerate(report.angles)],
        "mean": None if report.mean < 0 else report.mean,
        "features": [asdict(feature) for feature in features],
    }


def begin_resamples(run_id: str) -> tuple[dict[str, Any], int]:
    """Queue the resamples of a run, unless it has some that were not cut short."""
    return {"resamples": started_resamples(workspace(), own_fit(run_id)).run_id}, 201

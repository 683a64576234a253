"""Stopping a run, removing it, holding it still, letting it go on, and running it again."""

from __future__ import annotations

from typing import Any

import flask
from dash import Dash

from callbacks.panels import PANELS_FULL, checks_of, is_full, newest_revision
from callbacks.routes.session import own_run, owner
from callbacks.services import Studio
from melm_core.methods import METHODS, STARTS
from melm_studio.worker.config.messages import HAS_ENDED, PAUSES_LATER
from melm_studio.worker.records.run import RunKind, RunRecord, RunState, new_run
from melm_studio.worker.store.best_plane import best_event


def register(app: Dash, studio: Studio) -> None:
    """Add a route for each thing that can be asked of a run that looks for a plane."""

    requests = {
        "stop": studio.store.request_cancel,
        "pause": studio.store.request_pause,
        "step": studio.store.request_step,
        "resume": studio.store.request_resume,
    }

    @app.server.post(f"/runs/<run_id>/<any({', '.join(requests)}):order>")
    def ask(run_id: str, order: str) -> tuple[dict[str, Any], int]:
        record = _own_fit(studio, run_id)
        if record.state.is_final:
            return {"words": HAS_ENDED}, 409
        requests[order](record.run_id)
        is_later = order != "stop" and record.state is RunState.QUEUED
        return {"words": PAUSES_LATER if is_later else ""}, 200

    @app.server.post("/runs/<run_id>/remove")
    def remove(run_id: str) -> tuple[dict[str, Any], int]:
        run = _own_fit(studio, run_id)
        for gone in (run, *checks_of(studio, run.run_id)):
            studio.store.delete(gone.run_id)
        return {"revision": newest_revision(studio)}, 200

    @app.server.post("/runs/<run_id>/again")
    def again(run_id: str) -> tuple[dict[str, Any], int]:
        record = _own_fit(studio, run_id)
        if is_full(studio, record.table):
            return {"words": PANELS_FULL}, 409
        studio.store.create(_once_more(studio, record))
        return {"revision": newest_revision(studio)}, 201


def _own_fit(studio: Studio, run_id: str) -> RunRecord:
    """The visitor's run of that id; a check is asked for in its own window."""
    record = own_run(studio, run_id)
    if record.kind is not RunKind.FIT:
        flask.abort(404)
    return record


def _once_more(studio: Studio, record: RunRecord) -> RunRecord:
    parameters = {**record.parameters, **_head_start(studio, record)}
    return new_run(
        owner(),
        record.data_id,
        record.data_name,
        record.method,
        parameters,
        source=record.source,
    )


def _head_start(studio: Studio, record: RunRecord) -> dict[str, Any]:
    """The best plane of a run that was cut short, where its method can begin from one."""
    can_begin = record.state.is_cut_short and METHODS[record.method].accepts_init
    best = best_event(studio.store, record.run_id) if can_begin else None
    if best is None:
        return {}
    return {STARTS.name: 1, "init": [best.components.tolist()]}

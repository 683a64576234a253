"""What the page's loop fetches: states, scalars, and the newest plane of every run shown."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict
from typing import Any

import flask
from dash import Dash

from callbacks.panels import fits
from callbacks.session import own_run
from callbacks.studio import Studio
from figures.curve import curve_figure
from figures.plane import limits, plane_figure, plane_frame
from figures.theme import Scheme
from melm_core.methods import METHODS
from melm_core.parameters import GAMMA
from melm_core.views import PlaneView
from worker.gallery import DataGoneError
from worker.messages import DATA_GONE
from worker.records import PlaneEvent, RunRecord
from worker.words import drawn_sentence, state_sentence


def register(app: Dash, studio: Studio) -> None:
    """Add the routes that the page draws from."""
    app.server.register_error_handler(DataGoneError, lambda _: (DATA_GONE, 404))

    @app.server.get("/frames")
    def frames() -> dict[str, Any]:
        """`run` holds "id:after", the sequence of the last event the page has; repeatable.

        The others are turned towards the run that `toward` names, if it names one.
        """
        asked = [pair.partition(":") for pair in flask.request.args.getlist("run")]
        mine = {record.run_id: record for record in fits(studio)}
        toward = mine.get(flask.request.args.get("toward", ""))
        return {
            "revision": _revision(list(mine)),
            "runs": {
                run_id: _news(studio, mine[run_id], _sequence(after), toward)
                for run_id, _, after in asked
                if run_id in mine
            },
        }

    @app.server.get("/runs/<run_id>/figure")
    def figure(run_id: str) -> flask.Response:
        record = own_run(studio, run_id)
        scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
        viewer = studio.gallery.viewer(record)
        plane = plane_figure(viewer.class_names, viewer.n_drawn, scheme)
        # A method of one step is told by the divergence of its plane.
        curve = curve_figure(scheme, METHODS[record.method].maximises or "divergence")
        body = {"plane": plane.to_plotly_json(), "curve": curve.to_plotly_json()}
        return flask.Response(json.dumps(body), mimetype="application/json")

    @app.server.get("/runs/<run_id>/planes/<int:sequence>")
    def plane(run_id: str, sequence: int) -> dict[str, Any]:
        record = own_run(studio, run_id)
        event, toward = known_event(studio, run_id, sequence), _asked_toward(studio)
        if "gamma" not in flask.request.args:
            return _drawn(studio, record, event, toward)
        return _drawn_at(studio, record, event, asked_gamma(), toward)

    @app.server.get("/runs/<run_id>/planes/<int:sequence>/profile")
    def profile(run_id: str, sequence: int) -> dict[str, Any]:
        record = own_run(studio, run_id)
        found = studio.gallery.profile(record, known_event(studio, run_id, sequence))
        return asdict(found)


def _asked_toward(studio: Studio) -> RunRecord | None:
    run_id = flask.request.args.get("toward")
    return None if run_id is None else own_run(studio, run_id)


def _news(
    studio: Studio, record: RunRecord, after: int, toward: RunRecord | None
) -> dict[str, Any]:
    """State and scalars since `after`, and the newest plane if there is a newer one."""
    events = studio.store.events(record.run_id, after=after)
    newest = events[-1] if events else studio.store.last_event(record.run_id)
    return {
        "state": record.state,
        "is_final": record.state.is_final,
        "words": state_sentence(record, newest),
        "fraction": 1.0 if record.state.is_final else newest.fraction if newest else 0.0,
        "sequences": [event.sequence for event in events],
        "objective": [event.objective for event in events],
        "best": [event.best_objective for event in events],
        "plane": _drawn(studio, record, events[-1], toward) if events else None,
    }


def known_event(studio: Studio, run_id: str, sequence: int | None) -> PlaneEvent:
    """The plane of that number, the newest for None, else the answer 404."""
    store = studio.store
    event = store.last_event(run_id) if sequence is None else store.event(run_id, sequence)
    if event is None:
        flask.abort(404)
    return event


def asked_gamma() -> float:
    """The kernel width that the page asks for, else the answer 400."""
    try:
        return GAMMA.checked(flask.request.args.get("gamma", type=float))
    except ValueError as error:
        flask.abort(400, str(error))


def _drawn(
    studio: Studio, record: RunRecord, event: PlaneEvent, toward: RunRecord | None
) -> dict[str, Any]:
    view = studio.gallery.view(record, event, _other(record, toward))
    if METHODS[record.method].reports_divergence:
        return _packed(studio, record, event, view, event.objective)
    divergence = studio.gallery.viewer(record).divergence(event.components)
    return _packed(studio, record, event, view, divergence)


def _drawn_at(
    studio: Studio, record: RunRecord, event: PlaneEvent, gamma: float, toward: RunRecord | None
) -> dict[str, Any]:
    view = studio.gallery.view_at(record, event, gamma, _other(record, toward))
    divergence = studio.gallery.viewer(record).at(gamma).divergence(event.components)
    return _packed(studio, record, event, view, divergence) | {"gamma": gamma}


def _other(record: RunRecord, toward: RunRecord | None) -> RunRecord | None:
    """The run to turn towards: another one, on the same data."""
    is_other = toward is not None and toward.run_id != record.run_id
    return toward if is_other and toward.data_id == record.data_id else None


def _packed(
    studio: Studio, record: RunRecord, event: PlaneEvent, view: PlaneView, divergence: float
) -> dict[str, Any]:
    viewer, method = studio.gallery.viewer(record), METHODS[record.method]
    return {
        "sequence": event.sequence,
        "traces": plane_frame(view),
        "limits": limits(view),
        "numbers": {
            "divergence-seen": divergence,
            "divergence-unseen": view.scores.divergence_unseen,
            "accuracy-seen": view.scores.accuracy_seen,
            "accuracy-unseen": view.scores.accuracy_unseen,
        },
        # Of the same kind as the objective of the run, or none.
        "twin": view.scores.divergence_unseen if method.reports_divergence else None,
        "drawn": drawn_sentence(viewer.n_drawn, viewer.n_rows),
        "caption": f"{method.label} plane of {record.data_name}",
    }


def _revision(run_ids: list[str]) -> str:
    return hashlib.sha256(" ".join(run_ids).encode()).hexdigest()[:16]


def _sequence(text: str) -> int:
    """The sequence that a page names; -1, before the first, for anything else."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else -1

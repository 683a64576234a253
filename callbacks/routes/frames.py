"""What the page's loop fetches: states, scalars, and the newest plane of every run shown."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import flask
from dash import Dash

from callbacks.panels import fits, revision_of
from callbacks.routes.session import own_run
from callbacks.routes.view_query import asked_look
from callbacks.services import Studio
from melm_core.methods import METHODS
from melm_studio.figures.curve import curve_figure
from melm_studio.figures.plane import arrow_handles, limits, plane_figure, plane_frame, row_numbers
from melm_studio.figures.theme import Scheme
from melm_studio.views.captions import drawn_sentence, kept_sentence, state_sentence
from melm_studio.views.renderer import DataGoneError, NoSuchLookError
from melm_studio.views.view_options import Look
from melm_studio.worker.config.messages import DATA_GONE
from melm_studio.worker.records.run import PlaneEvent, RunRecord

# Made once for the runs that look alike.
KEPT_STYLES = 32

_SHAPES = {1: "line", 2: "plane", 3: "space"}


def register(app: Dash, studio: Studio) -> None:
    """Add the routes that the page draws from."""
    gone = DATA_GONE.format(days=studio.settings.days_kept)
    app.server.register_error_handler(DataGoneError, lambda _: (gone, 404))
    app.server.register_error_handler(NoSuchLookError, lambda error: (str(error), 400))

    @app.server.get("/frames")
    def frames() -> dict[str, Any]:
        """`run` holds "id:after", the sequence of the last event the page has; repeatable.

        The others are turned towards the run that `toward` names, if it names one.
        """
        asked = [pair.partition(":") for pair in flask.request.args.getlist("run")]
        mine = {record.run_id: record for record in fits(studio)}
        toward = flask.request.args.get("toward")
        look = Look(toward=toward if toward in mine else None)
        return {
            "revision": revision_of(mine.values()),
            "states": {run_id: record.state for run_id, record in mine.items()},
            "runs": {
                run_id: _news(studio, mine[run_id], _sequence(after), look)
                for run_id, _, after in asked
                if run_id in mine
            },
        }

    @app.server.get("/runs/<run_id>/figure")
    def figure(run_id: str) -> flask.Response:
        record = own_run(studio, run_id)
        scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
        viewer = studio.gallery.viewer(record)
        # A method of one step is told by the divergence of its plane.
        objective = METHODS[record.method].maximizes or "divergence"
        kind = (tuple(viewer.class_names), viewer.n_drawn, scheme, viewer.n_components, objective)
        body = {
            **_styles(*kind),
            "rows": row_numbers(viewer.drawn_rows),
            "classes": viewer.class_names,
        }
        return flask.Response(json.dumps(body), mimetype="application/json")

    @app.server.get("/runs/<run_id>/planes/<int:sequence>")
    def plane(run_id: str, sequence: int) -> dict[str, Any]:
        record = own_run(studio, run_id)
        return _drawn(studio, record, known_event(studio, run_id, sequence), asked_look(studio))

    @app.server.get("/runs/<run_id>/planes/<int:sequence>/profile")
    def profile(run_id: str, sequence: int) -> dict[str, Any]:
        record = own_run(studio, run_id)
        event, look = known_event(studio, run_id, sequence), asked_look(studio)
        return asdict(studio.gallery.profile(record, event, look))


@lru_cache(maxsize=KEPT_STYLES)
def _styles(
    class_names: tuple[str, ...], n_drawn: int, scheme: Scheme, n_components: int, objective: str
) -> dict[str, Any]:
    """The figures of a plane and of its history, without data."""
    plane = plane_figure(class_names, n_drawn, scheme, n_components=n_components)
    curve = curve_figure(scheme, objective)
    return {"plane": plane.to_plotly_json(), "curve": curve.to_plotly_json()}


def _news(studio: Studio, record: RunRecord, after: int, look: Look) -> dict[str, Any]:
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
        "starts": [event.start for event in events],
        "plane": _drawn(studio, record, events[-1], look) if events else None,
    }


def known_event(studio: Studio, run_id: str, sequence: int | None) -> PlaneEvent:
    """The plane of that number, the newest for None, else the answer 404."""
    store = studio.store
    event = store.last_event(run_id) if sequence is None else store.event(run_id, sequence)
    if event is None:
        flask.abort(404)
    return event


def _drawn(studio: Studio, record: RunRecord, event: PlaneEvent, look: Look) -> dict[str, Any]:
    """The arrays of a plane, its numbers, and what the page needs to take its arrows by hand."""
    view = studio.gallery.view(record, event, look)
    viewer, method = studio.gallery.viewer(record), METHODS[record.method]
    divergence = studio.gallery.divergence(record, event, look)
    answer = {
        "sequence": event.sequence,
        "traces": plane_frame(view),
        "limits": limits(view),
        "arrows": arrow_handles(view, len(viewer.feature_names)),
        "kept": _kept_words(studio, record, event, look, divergence),
        "numbers": {
            "divergence-seen": divergence,
            "divergence-unseen": view.scores.divergence_unseen,
            "accuracy-seen": view.scores.accuracy_seen,
            "accuracy-unseen": view.scores.accuracy_unseen,
        },
        # Of the same kind as the objective of the run, or none.
        "twin": view.scores.divergence_unseen if method.reports_divergence else None,
        "drawn": drawn_sentence(viewer.n_drawn, viewer.n_rows),
        "caption": f"{method.label} {_SHAPES[viewer.n_components]} of {record.data_name}",
    }
    return answer if look.gamma is None else answer | {"gamma": look.gamma}


def _kept_words(
    studio: Studio, record: RunRecord, event: PlaneEvent, look: Look, divergence: float
) -> str | None:
    """What the plane of a few features keeps, if only a few are kept."""
    if look.n_kept is None:
        return None
    whole = studio.gallery.divergence(record, event, Look(gamma=look.gamma))
    return kept_sentence(studio.gallery.kept_features(record, event, look), divergence / whole)


def _sequence(text: str) -> int:
    """The sequence that a page names; -1, before the first, for anything else."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else -1

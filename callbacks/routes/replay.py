"""The replay of a run as a file that opens without the studio."""

from __future__ import annotations

import flask
from dash import Dash

from callbacks.routes.export import attachment
from callbacks.routes.session import own_run
from callbacks.services import Studio
from melm_studio.figures.replay import ReplayFrame, evenly, replay_page
from melm_studio.figures.theme import Scheme
from melm_studio.views.captions import scores_in_words, title
from melm_studio.worker.records.run import PlaneEvent, RunRecord

MOST_FRAMES = 60


def register(app: Dash, studio: Studio) -> None:
    """Add the download of a run's replay."""

    @app.server.get("/runs/<run_id>/replay.html")
    def replay(run_id: str) -> flask.Response:
        record = own_run(studio, run_id)
        scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
        events = studio.store.events(run_id)
        if not events:
            flask.abort(404)
        shown = [events[i] for i in evenly(len(events), MOST_FRAMES)]
        frames = [_frame(studio, record, event) for event in shown]
        viewer = studio.gallery.viewer(record)
        page = replay_page(
            frames,
            viewer.class_names,
            f"{title(record)}, {record.data_name}",
            f"At its end: {frames[-1].words}.",
            n_components=viewer.n_components,
            scheme=scheme,
        )
        return attachment(page, record, "replay.html", "text/html")


def _frame(studio: Studio, record: RunRecord, event: PlaneEvent) -> ReplayFrame:
    view = studio.gallery.view(record, event)
    words = scores_in_words(studio.gallery.divergence(record, event), view.scores)
    return ReplayFrame(view, f"plane {event.sequence + 1}, {words}")

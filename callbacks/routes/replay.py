"""The replay of a run, as a file that opens without the studio."""

from __future__ import annotations

import flask
from dash import Dash

from callbacks.routes.export import attachment
from callbacks.routes.planes.replayed import replay_sections
from callbacks.services import services
from callbacks.session import own_run
from melm_studio.figures.replay import ReplayFrame, evenly, replay_page
from melm_studio.figures.replay_sections import SECTION_STYLE, Painted
from melm_studio.figures.theme import Scheme
from melm_studio.figures.traces import PlaneTrace
from melm_studio.views.captions import scores_caption, title
from melm_studio.worker.records.run import PlaneEvent, RunRecord

MAX_FRAMES = 60

_LAYERS = {
    "class_ellipses": PlaneTrace.CLASS_ELLIPSE,
    "mean_ellipses": PlaneTrace.MEAN_ELLIPSE,
    "centroids": PlaneTrace.CENTROID,
}


def register(app: Dash) -> None:
    """Connect the download."""
    app.server.get("/runs/<run_id>/replay.html")(replay)


def replay(run_id: str) -> flask.Response:
    """The replay of a run, at evenly spaced planes, with its tree and its resampled plane.

    `layers` names what else it shows, see `MoreLayer`.
    """
    record = own_run(run_id)
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    events = services().store.events(run_id)
    if not events:
        flask.abort(404)
    frames = [_frame(record, events[i]) for i in evenly(len(events), MAX_FRAMES)]
    viewer = services().renderer.viewer(record)
    painted = Painted(viewer.class_names, viewer.n_components, scheme)
    sections = replay_sections(record, events[-1], painted)
    page = replay_page(
        frames,
        viewer.class_names,
        f"{title(record)}, {record.data_name}",
        f"Last frame: {frames[-1].words}.",
        n_components=viewer.n_components,
        layers={_LAYERS[name] for name in _requested_layers() if name in _LAYERS},
        scheme=scheme,
        sections=sections,
        style=SECTION_STYLE if sections else "",
    )
    return attachment(page, record, "replay.html", "text/html")


def _requested_layers() -> list[str]:
    return flask.request.args.get("layers", "").split(",")


def _frame(record: RunRecord, event: PlaneEvent) -> ReplayFrame:
    view = services().renderer.view(record, event)
    scores = scores_caption(services().renderer.divergence(record, event), view.scores)
    return ReplayFrame(view, f"plane {event.sequence + 1}, {scores}")

"""The replay of a run, as a file that opens without the studio."""

from __future__ import annotations

from functools import partial

import flask
from dash import Dash

from callbacks.routes.export import attachment
from callbacks.routes.planes.replayed import replay_sections
from callbacks.routes.requested_view import shown_verdict
from callbacks.routes.rows.replayed_rows import MOST_ROWS, every_row_markup
from callbacks.services import services
from callbacks.session import own_run
from melm_studio.planes.captions import title
from melm_studio.planes.theme import Scheme
from melm_studio.planes.traces import PlaneTrace
from melm_studio.planes.view_options import DEFAULT_VIEW
from melm_studio.publication.replay import ReplayFrame, evenly, n_shown, replay_page
from melm_studio.publication.replay_sections import SECTION_STYLE, Painted
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.scores import plane_caption
from melm_studio.tables import number

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
    last, n_drawn = frames[-1], n_shown(frames[-1].view)
    has_all = n_drawn < viewer.n_rows <= MOST_ROWS
    in_words = ""
    if n_drawn < viewer.n_rows:
        is_alone = len(frames) == 1
        in_words = _sample_in_words(viewer.n_rows, n_drawn, has_all=has_all, is_alone=is_alone)
    page = replay_page(
        frames,
        viewer.class_names,
        f"{title(record)}, {record.data_name}",
        f"Last frame: {last.words}.{in_words}",
        n_components=viewer.n_components,
        layers={_LAYERS[name] for name in _requested_layers() if name in _LAYERS},
        scheme=scheme,
        sections=sections,
        rows=partial(every_row_markup, record, events[-1], last.view) if has_all else None,
        style=SECTION_STYLE if sections else "",
    )
    return attachment(page, record, "replay.html", "text/html")


def _sample_in_words(n_rows: int, n_drawn: int, *, has_all: bool, is_alone: bool) -> str:
    sample = f"a sample of {number(n_drawn)}"
    if not has_all:
        return f" Frames show {sample} of {number(n_rows)} rows; contours and scores take all."
    return f" It shows all {number(n_rows)} rows" + ("." if is_alone else f", the others {sample}.")


def _requested_layers() -> list[str]:
    return flask.request.args.get("layers", "").split(",")


def _frame(record: RunRecord, event: PlaneEvent) -> ReplayFrame:
    view = services().renderer.view(record, event)
    caption = plane_caption(
        services().renderer.divergence(record, event),
        view.scores.divergence_held_out,
        shown_verdict(record, event, DEFAULT_VIEW),
    )
    return ReplayFrame(view, f"plane {event.sequence + 1}, {caption}")

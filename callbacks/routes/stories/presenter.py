"""The presenter's window: its page, and the picture of the view that comes next."""

from __future__ import annotations

import json
from functools import partial
from typing import Any, TypeVar

import flask
from dash import Dash
from msgspec.structs import replace

from callbacks.routes.documents import document
from callbacks.services import services
from callbacks.session import workspace
from melm_studio.figures.encoding import compact
from melm_studio.figures.plane import empty_figure, limits, plane_frame
from melm_studio.figures.theme import Scheme
from melm_studio.layout.scripts import ICON, MODULES
from melm_studio.views.view_options import MorphTarget, ViewOptions
from melm_studio.views.view_spec import ViewSpec
from melm_studio.worker.records.run import PlaneEvent, RunRecord

T = TypeVar("T")

_SCRIPT = f"{MODULES}/present/presenter_page.mjs"


def register(app: Dash) -> None:
    """Connect the page and the route of its picture."""
    app.server.add_url_rule("/presenter", "presenter", partial(presenter, app))
    app.server.post("/presenter/picture")(picture)


def presenter(app: Dash) -> str:
    """The page, which the tab that opened it tells what to show."""
    return document(
        "presenter.html", script=app.get_asset_url(_SCRIPT), icon=app.get_asset_url(ICON)
    )


def picture() -> dict[str, Any]:
    """The plane of a shared view; answers 404 where the visitor has no run of it yet."""
    spec = ViewSpec.from_json(flask.request.get_json(silent=True))
    record = _run_of(spec)
    renderer = services().renderer
    view = renderer.view(record, _event_of(record, spec), _options_of(spec))
    viewer = renderer.viewer(record)
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    figure = empty_figure(
        viewer.class_names, viewer.n_drawn, scheme, n_components=viewer.n_components
    )
    return {
        "styles": json.loads(figure.to_json())["data"],
        "traces": plane_frame(view, compact),
        "limits": limits(view),
    }


def _run_of(spec: ViewSpec) -> RunRecord:
    return _found(workspace().equal_fit(spec.data_id, spec.method, spec.parameters))


def _event_of(record: RunRecord, spec: ViewSpec) -> PlaneEvent:
    store = services().store
    last = store.last_event(record.run_id)
    if last is None or spec.plane is None:
        return _found(last)
    return _found(store.event(record.run_id, min(spec.plane, last.sequence)))


def _options_of(spec: ViewSpec) -> ViewOptions:
    """The view options with the run that the view is morphed to."""
    if spec.morph is None:
        return spec.options
    if spec.morph.plane is not None:  # of a tree or of resamples, which are computed when shown
        flask.abort(404)
    target = _found(workspace().equal_fit(spec.data_id, spec.morph.method, spec.morph.parameters))
    return replace(spec.options, morph=MorphTarget(target.run_id, spec.morph.share))


def _found(value: T | None) -> T:
    if value is None:
        flask.abort(404)
    return value

"""The decision surface of a kernel machine in the plane of a run."""

from __future__ import annotations

import json
from typing import Any

import flask
from dash import ClientsideFunction, Dash, Input, Output

from callbacks.routes.session import own_run
from callbacks.services import Studio
from melm_studio.figures.surface import surface_figure
from melm_studio.figures.theme import Scheme
from melm_studio.layout import ids
from melm_studio.views.captions import surface_sentence, title


def register(app: Dash, studio: Studio) -> None:
    """Open the view from a panel, and add the route that its script draws from."""

    @app.callback(
        Output(ids.SURFACE, "opened"),
        Output(ids.SURFACE, "title"),
        Output(ids.SURFACE_RUN, "data"),
        Output(ids.SURFACE_CLASS, "data"),
        Output(ids.SURFACE_CLASS, "value"),
        Input(ids.SURFACE_ASKED, "data"),
        prevent_initial_call=True,
    )
    def open_view(asked: dict[str, str]) -> tuple[Any, ...]:
        record = own_run(studio, asked["run"])
        names = studio.gallery.data(record).class_names
        classes = [{"value": str(code), "label": name} for code, name in enumerate(names)]
        heading = f"Decision surface in the plane of {title(record)}"
        return True, heading, record.run_id, classes, classes[0]["value"]

    app.clientside_callback(
        ClientsideFunction("studio", "showSurface"),
        Output(ids.SURFACE_WORDS, "children"),
        Input(ids.SURFACE_RUN, "data"),
        Input(ids.SURFACE_KIND, "value"),
        Input(ids.SURFACE_CLASS, "value"),
        Input(ids.SURFACE_METHOD, "value"),
        Input(ids.SURFACE, "opened"),
    )

    @app.server.get("/runs/<run_id>/surface")
    def surface(run_id: str) -> tuple[dict[str, Any], int]:
        record = own_run(studio, run_id)
        event = studio.store.last_event(run_id)
        if event is None:
            return {"words": "This run has no plane yet."}, 409
        asked = flask.request.args
        code, scheme = asked.get("class", 0, type=int), asked.get("scheme", type=Scheme)
        kind, method = asked.get("kind", ""), asked.get("method", "")
        try:
            rows, drawn = studio.gallery.surface(record, event, kind, code, method)
        except ValueError as error:
            return {"words": str(error)}, 400
        figure = surface_figure(drawn, rows, code, scheme or Scheme.LIGHT)
        n_seen = studio.gallery.viewer(record).n_seen
        words = surface_sentence(drawn.summary, drawn.cautions, len(rows.seen), n_seen)
        return {"words": words, "figure": json.loads(figure.to_json())}, 200

"""A view as a recipe: made of what is on screen, read from an address, judged when it is back."""

from __future__ import annotations

from typing import Any

import flask
from dash import ClientsideFunction, Dash, Input, Output

from callbacks.routes.frames import known_event
from callbacks.routes.session import own_run
from callbacks.routes.view_query import asked_look
from callbacks.services import Studio
from melm_studio.layout import ids
from melm_studio.views.captions import reproduced_sentence, title
from melm_studio.views.validation import ReadingError
from melm_studio.views.view_options import Look
from melm_studio.views.view_query import from_query, to_query
from melm_studio.views.view_spec import Recipe, recipe_of
from melm_studio.worker.records.run import PlaneEvent, RunRecord

UNKNOWN_SOURCE = "It is not known where the data of this run came from. Load them and run it again."
_NOT_OPENED = "This link cannot be opened. {reason}"


def register(app: Dash, studio: Studio) -> None:
    """Read the address on load, and add the routes that make and judge recipes."""

    app.clientside_callback(
        ClientsideFunction("studio", "readAddress"),
        Output(ids.ADDRESS, "data"),
        Output(ids.MODE, "value"),
        Input(ids.ADDRESS, "id"),
    )

    @app.callback(
        Output(ids.WANTED, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.ADDRESS, "data"),
        prevent_initial_call=True,
    )
    def follow_address(search: str | None) -> tuple[dict[str, Any] | None, str | None]:
        if not _names_a_view(search or ""):
            return None, None
        try:
            return {"view": from_query(search).to_json()}, None
        except ReadingError as error:
            return None, _NOT_OPENED.format(reason=error)

    @app.server.get("/runs/<run_id>/planes/<int:sequence>/recipe")
    def recipe(run_id: str, sequence: int) -> tuple[dict[str, Any], int]:
        """`mode` and `hidden` say how the page shows the plane, the rest is a look."""
        record, event = own_run(studio, run_id), known_event(studio, run_id, sequence)
        try:
            made = _asked_recipe(studio, record, event, asked_look(studio))
        except ValueError as error:
            return {"words": str(error)}, 409
        return {"view": made.to_json(), "title": _named(record), **_link(made)}, 200

    @app.server.get("/runs/<run_id>/planes/<int:sequence>/verdict")
    def verdict(run_id: str, sequence: int) -> dict[str, Any]:
        """Whether the plane under this look has the `divergence` that it had elsewhere."""
        record, event = own_run(studio, run_id), known_event(studio, run_id, sequence)
        expected = flask.request.args.get("divergence", type=float)
        if expected is None:
            flask.abort(400)
        found = studio.gallery.divergence(record, event, asked_look(studio))
        is_same, words = reproduced_sentence(expected, found)
        return {"is_same": is_same, "words": words}


def _named(record: RunRecord) -> str:
    return f"{title(record)}, {record.data_name}"


def _names_a_view(search: str) -> bool:
    """An address may also say no more than how the page stands, as in "?mode=present"."""
    query = search.removeprefix("?")
    return bool(query) and (not query.startswith("mode=") or "&" in query)


def _asked_recipe(studio: Studio, record: RunRecord, event: PlaneEvent, look: Look) -> Recipe:
    if not record.source:
        raise ReadingError(UNKNOWN_SOURCE)
    asked = flask.request.args
    hidden = asked["hidden"].split(",") if asked.get("hidden") else []
    other = None if look.morph is None else own_run(studio, look.morph[0])
    return recipe_of(
        record,
        event,
        look,
        other=other,
        mode=asked.get("mode", "explore"),
        hidden=hidden,
        divergence=studio.gallery.divergence(record, event, look),
    )


def _link(recipe: Recipe) -> dict[str, str]:
    """The query, or why there is none."""
    try:
        return {"query": to_query(recipe), "words": ""}
    except ReadingError as error:
        return {"query": "", "words": str(error)}

"""How the page asks to look at a plane, in the query of an address."""

from __future__ import annotations

from dataclasses import replace

import flask
from msgspec import structs

from callbacks.routes.session import own_run
from callbacks.services import Studio
from melm_studio.views.view_codec import look_of, look_of_query
from melm_studio.views.view_options import Look
from melm_studio.worker.records.run import PlaneEvent, RunRecord


def asked_look(studio: Studio) -> Look:
    """The look that the query describes, else the answer 400, or 404 for runs of others.

    `gamma=0.5`, `kept=4`, `morph=RUN:0.5`, `moves=FEATURE:X:Y,...`, `from=SIDE:UP` in radians,
    `toward=RUN`; each may be absent.
    """
    asked = flask.request.args
    try:
        look = look_of(look_of_query(asked))
        morph = _morph(studio, asked.get("morph"))
    except ValueError as error:
        flask.abort(400, str(error))
    return replace(look, morph=morph, toward=_toward(studio, asked.get("toward")))


def looked_at(studio: Studio, record: RunRecord, event: PlaneEvent) -> PlaneEvent:
    """The event with the plane that is on screen under the look that the query describes."""
    components = studio.gallery.components(record, event, asked_look(studio))
    return structs.replace(event, components=components)


def _toward(studio: Studio, run_id: str | None) -> str | None:
    return None if run_id is None else own_run(studio, run_id).run_id


def _morph(studio: Studio, text: str | None) -> tuple[str, float] | None:
    if text is None:
        return None
    run_id, _, share = text.partition(":")
    if not 0.0 <= float(share) <= 1.0:
        raise ValueError(f"The share of a way is a number from 0 to 1; it is {share}.")
    return own_run(studio, run_id).run_id, float(share)

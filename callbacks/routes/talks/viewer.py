"""The routes of an audience: the page of a talk, and the pictures that it shows.

They read the link and nothing else: no cookie is read or set, nothing is computed, and nothing can
be changed.
"""

from __future__ import annotations

import time

import flask
from dash import Dash

from callbacks.guards.error_answers import sentence
from callbacks.guards.held_connections import HeldConnection, hold_connection
from callbacks.routes.documents import document
from callbacks.routes.talks.audience import Audience, news
from callbacks.routes.talks.messages import Kind, message
from callbacks.services import services
from callbacks.session import address
from melm_studio.layout.scripts import ICON
from melm_studio.layout.shell.page_scripts import FOLLOW_SCRIPT
from melm_studio.planes.theme import page_colors
from melm_studio.talks.talk import Talk

_EXTENSION = "melm-studio-audience"
_NO_TALK = (
    "No talk is shown here: it has ended, or the link was cut off. Ask the presenter for a new "
    "link."
)
_FULL = "This talk has as many viewers as it can have. Try again in a minute."


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.extensions[_EXTENSION] = Audience(services().store)
    script, icon = app.get_asset_url(FOLLOW_SCRIPT), app.get_asset_url(ICON)

    def talk_page(talk_id: str) -> flask.Response:
        return page(talk_id, script, icon)

    app.server.add_url_rule("/t/<talk_id>", "talk_page", talk_page)
    app.server.add_url_rule("/t/<talk_id>/pictures", "talk_pictures", pictures)


def page(talk_id: str, script: str, icon: str) -> flask.Response:
    """The page of a viewer, which a script fills."""
    talk = _talk(talk_id)
    text = document(
        "talk.html",
        title="Follow the talk",
        script=None if talk is None else script,
        icon=icon,
        colors=page_colors(),
        message=_NO_TALK,
    )
    return _unkept(flask.Response(text, 404 if talk is None else 200, mimetype="text/html"))


def pictures(talk_id: str) -> flask.Response:
    """What the talk shows, and from then on whatever it shows next, for as long as both are there.

    ``after`` and ``scene`` name what the viewer has already.
    """
    talk = _talk(talk_id)
    if talk is None:
        return _refusal(_NO_TALK, 404)
    if _is_full(talk):
        return _refusal(_FULL, 503)
    after = flask.request.args.get("after", -1, type=int)
    scene_key = flask.request.args.get("scene", "")
    view = services().store.talks.view(talk_id, after)
    first = news(view, after, scene_key) or message(Kind.ALIVE)
    known = (after, scene_key) if view is None else (view.number, view.scene_key)

    audience, network = _audience(), address()

    def join(connection: HeldConnection) -> None:
        audience.join(talk_id, connection, *known, presenter=talk.address, network=network)

    is_held = flask.request.method == "GET" and hold_connection(join)
    # Without a length, an answer can go on.
    body = iter([first]) if is_held else first
    response = flask.Response(body, mimetype="application/octet-stream")
    # Otherwise nginx collects pictures before it passes them on.
    response.headers["X-Accel-Buffering"] = "no"
    return _unkept(response)


def _talk(talk_id: str) -> Talk | None:
    talk = services().store.talks.get(talk_id)
    return None if talk is None or talk.is_over(time.time()) else talk


def _is_full(talk: Talk) -> bool:
    audience = _audience()
    # Other processes are counted every second, this one at once.
    counted = services().store.talks.n_viewers(talk.talk_id, time.time())
    n_viewers = max(counted, audience.n_viewers_of(talk.talk_id))
    is_full = n_viewers >= services().settings.max_viewers
    return is_full or not audience.has_place(talk.address, address())


def _audience() -> Audience:
    audience: Audience = flask.current_app.extensions[_EXTENSION]
    return audience


def _refusal(text: str, status: int) -> flask.Response:
    return _unkept(flask.make_response(sentence(text), status))


def _unkept(response: flask.Response) -> flask.Response:
    """Without traces of the link: neither in caches nor in what other sites are told."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex"
    return response

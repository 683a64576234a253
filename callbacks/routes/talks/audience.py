"""Routes of the viewers of a talk, who find it by its link or by a code they type."""

from __future__ import annotations

import time
from collections import deque
from threading import Lock

import flask
from flask import Blueprint
from flask.blueprints import BlueprintSetupState

from callbacks.addresses import Guard
from callbacks.guards.error_answers import sentence
from callbacks.guards.held_connections import HeldConnection, hold_connection
from callbacks.routes.documents import document
from callbacks.services import services
from callbacks.session import address
from melm_studio.configuration.limits import share_of_address
from melm_studio.layout.scripts import FOLLOW_SCRIPT
from melm_studio.planes.theme import page_colors
from melm_studio.publication.audience import Audience, Kind, message, news
from melm_studio.tables import shortened
from melm_studio.talks import Talk

_EXTENSION = "melm-studio-audience"
_NO_TALK = (
    "No talk is shown here: it has ended, or the link was cut off. Ask the presenter for a new "
    "link."
)
_FULL = "This talk has as many viewers as it can have. Try again in a minute."
_WRONG_CODE = (
    "No talk has the code {typed} now. Compare it with the one on the screen: it has six letters "
    "and digits, and no I, L, O, 0 or 1."
)
_TOO_MANY_WRONG = "Too many wrong codes were typed. Scan the QR code, or try again in a minute."
_WRONG_CODES = "melm-studio-wrong-codes"
MOST_WRONG_CODES = 60
WRONG_COUNTS_S = 60.0
routes = Blueprint("audience", __name__)


@routes.record
def begin(state: BlueprintSetupState) -> None:
    """Wait for viewers, of this process."""
    state.app.extensions[_EXTENSION] = Audience(services().store)
    state.app.extensions[_WRONG_CODES] = WrongCodes()


@routes.get("/t/<talk_id>", guard=Guard.VIEWER)
def talk_page(talk_id: str) -> flask.Response:
    """Return the page of a viewer, which a script fills."""
    script = "" if _talk(talk_id) is None else FOLLOW_SCRIPT
    parts = {"title": "Follow the talk", "colors": page_colors(), "message": _NO_TALK}
    text = document("talk.html", script, **parts)
    return _unkept(flask.Response(text, 200 if script else 404, mimetype="text/html"))


@routes.get("/t/", guard=Guard.VIEWER)
def typed_code() -> flask.Response | tuple[flask.Response, int]:
    """Return the page on which a viewer types a code, or redirect to its talk."""
    typed = flask.request.args.get("code", "")
    if not typed.strip():
        return _code_page()
    wrong: WrongCodes = flask.current_app.extensions[_WRONG_CODES]
    if wrong.are_too_many(address(), time.monotonic()):
        return _code_page(typed, _TOO_MANY_WRONG), 429
    talk = services().store.talks.of_code("".join(typed.split()).upper())
    if talk is None or talk.is_over(time.time()):
        wrong.add(address(), time.monotonic())
        return _code_page(typed, _WRONG_CODE.format(typed=shortened(typed))), 404
    to = flask.url_for(".talk_page", talk_id=talk.talk_id)
    return _unkept(flask.make_response(flask.redirect(to, 303)))


def _code_page(typed: str = "", words: str = "") -> flask.Response:
    text = document("typed_code.html", typed=typed, words=words)
    return _unkept(flask.Response(text, mimetype="text/html"))


class WrongCodes:
    """The wrong codes of the last minute, so that nobody finds a talk by trying.

    A lecture hall has one address, so a few dozen may be wrong; one address leaves half to others.
    At the most, whoever tries for the eight hours of a talk finds it with a probability of 1 in
    30,000.
    """

    def __init__(self) -> None:
        self._typed: deque[tuple[float, str]] = deque(maxlen=MOST_WRONG_CODES)
        self._lock = Lock()

    def add(self, network: str, now: float) -> None:
        """Note a wrong code."""
        with self._lock:
            self._typed.append((now, network))

    def are_too_many(self, network: str, now: float) -> bool:
        """Return whether no other code is looked up, right or wrong."""
        with self._lock:
            recent = [where for when, where in self._typed if now - when < WRONG_COUNTS_S]
        of_network = recent.count(network)
        return of_network >= share_of_address(MOST_WRONG_CODES, len(recent))


@routes.get("/t/<talk_id>/pictures", is_prompt=True, guard=Guard.VIEWER)
def pictures(talk_id: str) -> flask.Response:
    """Send what the talk shows, and whatever it shows next, as long as both are connected.

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
    last_sent = (after, scene_key) if view is None else (view.number, view.scene_key)

    audience, network = _audience(), address()

    def join(connection: HeldConnection) -> None:
        audience.join(talk_id, connection, *last_sent, presenter=talk.address, network=network)

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

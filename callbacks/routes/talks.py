"""Talks: a presenter shares what is shown in Present, and an audience follows it.

A talk begins, shows what it may, and ends; a second window shows the picture alone. Viewers find a
talk by its link, or by a code that they type.
"""

from __future__ import annotations

import io
import json
import secrets
import socket
import time
from collections import deque
from http import HTTPStatus
from ipaddress import ip_address
from threading import Lock
from typing import Any

import flask
import segno
from flask import Blueprint
from flask.blueprints import BlueprintSetupState
from msgspec import Struct
from msgspec.structs import replace

from callbacks.addresses import Body, Guard
from callbacks.guards.error_answers import sentence
from callbacks.guards.held_connections import HeldConnection, hold_connection
from callbacks.identity import is_newcomer
from callbacks.routes.documents import document
from callbacks.routes.requested_view import (
    requested,
    requested_body,
    requested_event,
    requested_scheme,
)
from callbacks.services import services
from callbacks.session import address, known_runs, own_run, owner
from melm_core.base import UserError
from melm_studio.configuration.limits import share_of_address
from melm_studio.layout.scripts import FOLLOW_SCRIPT, PRESENTER_SCRIPT
from melm_studio.planes.encoding import compact
from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.planes.theme import page_colors
from melm_studio.publication.talk import Audience, Kind, OnStage, message, news, talk_view
from melm_studio.tables import shortened
from melm_studio.talks import Talk, Talks, TalkView, code_of
from melm_studio.workspace.view_spec import (
    ViewSpec,
)

SECONDS_PER_HOUR = 3_600.0
# Of a picture, which is sent to every viewer.
MOST_BYTES = 2 * 2**20
_OFF = "Talks are not shared by this studio. Its administrator allows them by MELM_TALK_HOURS."
_NO_TALK = "This talk has ended. Press Share to begin another."
_TOO_LARGE = (
    "This picture is too large to be shown to an audience. Show fewer classes or rows, or no "
    "further columns."
)
_ID_BYTES = 16  # 128 random bits
_ANY_ADDRESS = {"0.0.0.0", "::", ""}  # noqa: S104 - compared with, not bound to
# For documentation (RFC 5737): no packet is ever sent there.
_ELSEWHERE = ("192.0.2.1", 9)


routes = Blueprint("talks", __name__)

_EXTENSION = "melm-studio-audience"
_NOT_SHOWN = (
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


class Allowed(Struct, frozen=True, forbid_unknown_fields=True):
    """Information that an audience may see besides the picture; nothing at first."""

    names: bool = False
    info: bool = False
    downloads: bool = False


@routes.get("/talk")
def talk_now() -> dict[str, Any]:
    """Return the talk of the visitor: its link, what it allows, and how many follow."""
    talk = _talk()
    if talk is None:  # which link one would have
        return {"talk": None, "is_only_here": is_only_here(talk_link(""))}
    return {"talk": _described(talk)}


@routes.post("/talk", body=Body.SETTINGS)
def begin_talk() -> dict[str, Any]:
    """Begin a talk, or return the one that goes on."""
    hours = services().settings.talk_hours
    if not hours:
        raise UserError(_OFF)
    allowed = _allowed()
    now = time.time()
    talk = _talk() or Talk(
        talk_id=new_talk_id(),
        owner=owner(),
        address=address(),
        created_s=now,
        expires_s=now + hours * SECONDS_PER_HOUR,
    )
    return {"talk": _described(_put(talk, allowed))}


@routes.post("/talk/allowed", body=Body.SETTINGS)
def allow() -> dict[str, Any] | tuple[dict[str, str], int]:
    """Change what the audience may see from the next picture on."""
    talk, allowed = _talk(), _allowed()
    return _ended() if talk is None else {"talk": _described(_put(talk, allowed))}


@routes.post("/talk/shown", body=Body.SETTINGS)
def show() -> dict[str, Any] | tuple[dict[str, str], int]:
    """Show the audience a plane under the view options in the query."""
    talk = _talk()
    if talk is None:
        return _ended()
    stage = requested_body(OnStage, "What is shown")
    shown = requested(own_run(stage.run), requested_event(stage.run, stage.plane))
    former = _talks().view(talk.talk_id)
    view = talk_view(
        services().renderer,
        shown,
        stage,
        verdict=known_runs().verdict(shown),
        talk=talk,
        number=_next_number(former),
        former=former,
    )
    if len(view.scene) + len(view.picture) > MOST_BYTES:
        raise UserError(_TOO_LARGE)
    if not _talks().show(talk.talk_id, view):
        return _ended()
    return {"viewers": _talks().n_viewers(talk.talk_id, time.time())}


@routes.post("/talk/end")
def end_talk() -> dict[str, Any]:
    """End the talk of the visitor; its link no longer leads anywhere."""
    talk = _talks().of_owner(owner())
    if talk is not None:
        _talks().end(talk.talk_id)
    return {"talk": None}


def _put(talk: Talk, allowed: Allowed) -> Talk:
    changed = replace(
        talk,
        shows_names=allowed.names,
        shows_info=allowed.info,
        allows_downloads=allowed.downloads,
    )
    _talks().put(changed, is_newcomer=is_newcomer(talk.owner))
    return changed


def _allowed() -> Allowed:
    return requested_body(Allowed, "What the audience may see")


def _talk() -> Talk | None:
    """Return the visitor's talk, unless it is over."""
    talk = _talks().of_owner(owner())
    return None if talk is None or talk.is_over(time.time()) else talk


def _talks() -> Talks:
    return services().store.talks


def _described(talk: Talk) -> dict[str, Any]:
    link = talk_link(talk.talk_id)
    return {
        "link": link,
        "code": qr_code(link),
        "typed": code_of(talk.talk_id),
        "is_only_here": is_only_here(link),
        "expires_s": talk.expires_s,
        "viewers": _talks().n_viewers(talk.talk_id, time.time()),
        "names": talk.shows_names,
        "info": talk.shows_info,
        "downloads": talk.allows_downloads,
    }


def _next_number(former: TalkView | None) -> int:
    """Larger than all before, also where a talk's first views are no longer known."""
    now_ms = int(1_000 * time.time())
    return now_ms if former is None else max(former.number + 1, now_ms)


def _ended() -> tuple[dict[str, str], int]:
    return sentence(_NO_TALK), 410


def new_talk_id() -> str:
    """Return an id that nobody can guess."""
    return secrets.token_urlsafe(_ID_BYTES)


def talk_link(talk_id: str) -> str:
    """Return the address that the audience opens.

    A presenter who has opened the studio as localhost gets the address of this computer, if the
    studio listens there.
    """
    link = flask.url_for("talks.talk_page", talk_id=talk_id, _external=True)
    own_host = _own_address() if _is_of_this_computer() and _is_reachable() else None
    return link.replace(f"//{_host()}", f"//{own_host}", 1) if own_host else link


def is_only_here(link: str) -> bool:
    """Return whether this computer alone can open a link."""
    return _is_of_this_computer() and f"//{_host()}" in link


def qr_code(link: str) -> str:
    """Return a link as the markup of an SVG image, black on white, which all cameras read."""
    written = io.BytesIO()
    code = segno.make(link, error="m", micro=False)
    code.save(written, kind="svg", xmldecl=False, svgns=True, border=4, light="#fff", omitsize=True)
    return written.getvalue().decode()


def _host() -> str:
    """Return the name of the host in the address of this request, without the port."""
    host = flask.request.host
    return host if host.endswith("]") else host.rpartition(":")[0] or host


def _is_of_this_computer() -> bool:
    host = _host().strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_reachable() -> bool:
    settings = services().settings
    return settings.host in _ANY_ADDRESS and not settings.proxies and not settings.hosts


def _own_address() -> str | None:
    """Return the address by which this computer reaches others; None without a network."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_ELSEWHERE)
            return str(probe.getsockname()[0])
    except OSError:
        return None


@routes.get("/presenter")
def presenter() -> str:
    """Return the page, which the tab that opened it controls."""
    return document("presenter.html", PRESENTER_SCRIPT)


@routes.post("/presenter/picture", body=Body.JSON)
def picture() -> dict[str, Any] | tuple[str, int]:
    """Return the plane of a shared view; empty where the visitor has no run of it yet."""
    spec = ViewSpec.from_json(flask.request.get_json(silent=True))
    shown = known_runs().shown(spec)
    if shown is None:
        return "", HTTPStatus.NO_CONTENT
    renderer, scheme = services().renderer, requested_scheme()
    view = renderer.view(shown)
    viewer = renderer.planes.viewer(shown.record)
    style = viewer.class_names, viewer.n_drawn, scheme
    figure = empty_figure(*style, n_components=viewer.n_components)
    return {
        "styles": json.loads(figure.to_json())["data"],
        "traces": plane_frame(view, compact),
        "limits": limits(view),
    }


@routes.record
def begin(state: BlueprintSetupState) -> None:
    """Wait for viewers, of this process."""
    state.app.extensions[_EXTENSION] = Audience(services().store)
    state.app.extensions[_WRONG_CODES] = WrongCodes()


@routes.get("/t/<talk_id>", guard=Guard.VIEWER)
def talk_page(talk_id: str) -> flask.Response:
    """Return the page of a viewer, which a script fills."""
    script = "" if _running_talk(talk_id) is None else FOLLOW_SCRIPT
    parts = {"title": "Follow the talk", "colors": page_colors(), "message": _NOT_SHOWN}
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
    talk = _running_talk(talk_id)
    if talk is None:
        return _refusal(_NOT_SHOWN, 404)
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


def _running_talk(talk_id: str) -> Talk | None:
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

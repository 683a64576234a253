"""The routes of a presenter: a talk begins, shows what it may, and ends; and a second window."""

from __future__ import annotations

import io
import json
import secrets
import socket
import time
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any

import flask
import segno
from flask import Blueprint
from msgspec import Struct
from msgspec.structs import replace

from callbacks.addresses import Body
from callbacks.guards.error_answers import sentence
from callbacks.keys.grants import is_newcomer
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
from melm_studio.layout.scripts import PRESENTER_SCRIPT
from melm_studio.planes.encoding import compact
from melm_studio.planes.figure import empty_figure, limits, plane_frame
from melm_studio.publication.talk_view import OnStage, talk_view
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


routes = Blueprint("presenter", __name__)


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
    link = flask.url_for("audience.talk_page", talk_id=talk_id, _external=True)
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
    viewer = renderer.viewer(shown.record)
    style = viewer.class_names, viewer.n_drawn, scheme
    figure = empty_figure(*style, n_components=viewer.n_components)
    return {
        "styles": json.loads(figure.to_json())["data"],
        "traces": plane_frame(view, compact),
        "limits": limits(view),
    }

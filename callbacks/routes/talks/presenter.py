"""The routes of a presenter: begin a talk, say what its audience may see, show, end."""

from __future__ import annotations

import time
from typing import Any

import flask
from dash import Dash
from msgspec import Struct
from msgspec.structs import replace

from callbacks.guards.error_answers import sentence
from callbacks.routes.requested_view import requested_event, requested_options, shown_verdict
from callbacks.routes.talks.link import is_only_here, new_talk_id, qr_code, talk_link
from callbacks.routes.talks.picture import Shown, talk_view
from callbacks.services import services
from callbacks.session import address, own_run, owner
from melm_core.base import UserError
from melm_studio.talks.store import Talks
from melm_studio.talks.talk import Talk, TalkView
from melm_studio.validation import read

SECONDS_PER_HOUR = 3_600.0
# Of a picture, which is sent to every viewer.
MOST_BYTES = 2 * 2**20

_OFF = "Talks are not shared by this studio. Its administrator allows them by MELM_TALK_HOURS."
_NO_TALK = "This talk has ended. Press Share to begin another."
_TOO_LARGE = (
    "This picture is too large to be shown to an audience. Show fewer classes or rows, or no "
    "further columns."
)


class Allowed(Struct, frozen=True, forbid_unknown_fields=True):
    """What an audience may see besides the picture; nothing at first."""

    names: bool = False
    info: bool = False
    downloads: bool = False


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/talk")(talk_now)
    app.server.post("/talk")(begin_talk)
    app.server.post("/talk/allowed")(allow)
    app.server.post("/talk/shown")(show)
    app.server.post("/talk/end")(end_talk)


def talk_now() -> dict[str, Any]:
    """The talk of the visitor: its link, what it allows, and how many follow."""
    talk = _talk()
    return {"talk": None if talk is None else _described(talk)}


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


def allow() -> dict[str, Any] | tuple[dict[str, str], int]:
    """Change what the audience may see from the next picture on."""
    talk, allowed = _talk(), _allowed()
    return _ended() if talk is None else {"talk": _described(_put(talk, allowed))}


def show() -> dict[str, Any] | tuple[dict[str, str], int]:
    """Show the audience a plane under the view options in the query."""
    talk = _talk()
    if talk is None:
        return _ended()
    shown = read(flask.request.get_json(silent=True), Shown, "What is shown")
    record, event = own_run(shown.run), requested_event(shown.run, shown.plane)
    former = _talks().view(talk.talk_id)
    options = requested_options()
    view = talk_view(
        services().renderer,
        record,
        event,
        options,
        shown,
        verdict=shown_verdict(record, event, options),
        talk=talk,
        number=_next_number(former),
        former=former,
    )
    if len(view.scene) + len(view.picture) > MOST_BYTES:
        raise UserError(_TOO_LARGE)
    if not _talks().show(talk.talk_id, view):
        return _ended()
    return {"viewers": _talks().n_viewers(talk.talk_id, time.time())}


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
    _talks().put(changed)
    return changed


def _allowed() -> Allowed:
    return read(flask.request.get_json(silent=True), Allowed, "What the audience may see")


def _talk() -> Talk | None:
    """The visitor's talk, unless it is over."""
    talk = _talks().of_owner(owner())
    return None if talk is None or talk.is_over(time.time()) else talk


def _talks() -> Talks:
    return services().store.talks


def _described(talk: Talk) -> dict[str, Any]:
    link = talk_link(talk.talk_id)
    return {
        "link": link,
        "code": qr_code(link),
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

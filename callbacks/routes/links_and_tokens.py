"""The page of what lets somebody in as this visitor: recovery links, tokens, addresses of tables.

A link or token that is made is shown on the page that answers, once; the studio keeps a hash of it.
"""

from __future__ import annotations

import time
from typing import Any

import flask
from flask import Blueprint

from callbacks.addresses import Guard
from callbacks.guards.error_answers import sentence
from callbacks.identity import (
    RECOVERY_DAYS,
    TOKEN_DAYS,
    become,
    hand_over,
    is_by_token,
    revoke_grant,
    used_grant,
    valid_grants,
    via,
)
from callbacks.routes.documents import document
from callbacks.services import services
from callbacks.session import grant, owner
from melm_core.base import UserError
from melm_studio.runs.records.grant import Grant, GrantKind
from melm_studio.tables import count

_NAMES = {
    GrantKind.RECOVERY: "Recovery link",
    GrantKind.TOKEN: "Token",
    GrantKind.TICKET: "Address of a table",
}
_SECONDS = {"day": 86_400.0, "hour": 3_600.0, "minute": 60.0}
_BY_LOGIN = (
    "You are known by your login in every browser, so there is nothing to recover by a link."
)
_UNKNOWN = "There is no such link or token, or it is over already. Load the page again."


routes = Blueprint("links_and_tokens", __name__)


@routes.get("/links-and-tokens")
def links_and_tokens() -> flask.Response:
    """Show the links and tokens that admit as this visitor, and the buttons that make more."""
    return _page()


@routes.post("/links-and-tokens/recovery")
def make_recovery_link() -> flask.Response:
    """Make a recovery link, and show it."""
    if services().settings.user_header:
        raise UserError(_BY_LOGIN)
    key, made = grant(GrantKind.RECOVERY)
    return _page(link=flask.url_for(".question", key=key, _external=True), made=made.grant_id)


@routes.post("/links-and-tokens/token")
def make_token() -> flask.Response:
    """Make a token, and show it."""
    token, made = grant(GrantKind.TOKEN)
    return _page(token=token, made=made.grant_id)


@routes.post("/links-and-tokens/<grant_id>/revoke")
def revoke(grant_id: str) -> flask.Response | tuple[dict[str, str], int]:
    """Revoke a link or token; every browser that it let in is out, except this one."""
    if not revoke_grant(owner(), grant_id):
        return sentence(_UNKNOWN), 404
    if via() == f"{GrantKind.RECOVERY} {grant_id}":
        become(owner())
    return flask.make_response("", 303, {"Location": "../../links-and-tokens"})


def _page(**shown: str) -> flask.Response:
    now = time.time()
    text = document(
        "links_and_tokens.html",
        root=flask.request.script_root,
        grants=[_described(each, now) for each in reversed(valid_grants(owner()))],
        recovery_days=RECOVERY_DAYS,
        token_days=TOKEN_DAYS,
        has_login=bool(services().settings.user_header),
        may_make=not is_by_token(),
        **shown,
    )
    # A secret stays on the page that shows it.
    return flask.Response(text, headers={"Cache-Control": "no-store"}, mimetype="text/html")


def _described(grant: Grant, now: float) -> dict[str, Any]:
    return {
        "id": grant.grant_id,
        "kind": _NAMES[grant.kind],
        "made": f"{_span(now - grant.created_s)} ago",
        "used": "never" if grant.used_s is None else f"{_span(now - grant.used_s)} ago",
        "expires": f"in {_span(grant.expires_s - now)}",
        "admits_this_browser": grant.as_via == via(),
    }


def _span(seconds: float) -> str:
    """Format a time in words, in its largest unit: minutes at least."""
    for unit, length in _SECONDS.items():
        if round(seconds / length) >= 1:
            return count(round(seconds / length), unit)
    return "a moment"


@routes.get("/recovery/<key>", guard=Guard.LINK)
def question(key: str) -> str:
    """Ask before the browser changes hands: another site may have led here."""
    used_grant(GrantKind.RECOVERY, key)
    return document("recovery.html", root=flask.request.script_root, key=key)


@routes.post("/recovery/<key>", guard=Guard.LINK)
def recover(key: str) -> flask.Response:
    """Make this browser that of the visitor who made the link."""
    hand_over(used_grant(GrantKind.RECOVERY, key))
    return flask.make_response("", 303, {"Location": "../"})

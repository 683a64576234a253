"""Where a recovery link leads: back to one's runs from another browser."""

from __future__ import annotations

import flask
from dash import Dash

from callbacks.keys.grants import used_grant
from callbacks.keys.identity import hand_over
from callbacks.routes.documents import document
from melm_studio.runs.records.grant import GrantKind


def register(app: Dash) -> None:
    """Connect the page that the link leads to."""
    app.server.get("/recovery/<key>")(question)
    app.server.post("/recovery/<key>")(recover)


def question(key: str) -> str:
    """Ask before the browser changes hands: another site may have led here."""
    used_grant(GrantKind.RECOVERY, key)
    return document("recovery.html", root=flask.request.script_root, key=key)


def recover(key: str) -> flask.Response:
    """Make this browser that of the visitor who made the link."""
    hand_over(used_grant(GrantKind.RECOVERY, key))
    return flask.make_response("", 303, {"Location": "../"})

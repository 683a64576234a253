"""Who is asking: a signed cookie with an unguessable name, and what is theirs."""

from __future__ import annotations

import secrets

import flask
from dash import Dash
from flask.sessions import SecureCookieSessionInterface

from callbacks.services import Studio
from melm_studio.worker.records.run import RunRecord

_OWNER = "owner"
# What machines ask; they are nobody's visit.
_FOR_MACHINES = {"health", "ready", "metrics"}


def register(app: Dash, studio: Studio) -> None:
    """Give every visitor a name of their own, kept in a signed cookie."""
    app.server.secret_key = studio.store.secret()
    app.server.config.update(
        SESSION_COOKIE_NAME="melm-studio",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
    )
    app.server.session_interface = _Sessions()
    app.server.before_request(_ensure_owner)


class _Sessions(SecureCookieSessionInterface):
    """Cookies that a page of https keeps to https."""

    def get_cookie_secure(self, app: flask.Flask) -> bool:
        return flask.request.is_secure


def owner() -> str:
    """The visitor of this request."""
    return str(flask.session[_OWNER])


def own_run(studio: Studio, run_id: str) -> RunRecord:
    """The run of that id if it is the visitor's, else the answer 404, as for one that is not."""
    record = studio.store.get(run_id)
    if record is None or record.owner != owner():
        flask.abort(404)
    return record


def _ensure_owner() -> None:
    if _OWNER not in flask.session and flask.request.endpoint not in _FOR_MACHINES:
        flask.session.permanent = True
        flask.session[_OWNER] = secrets.token_urlsafe(16)

"""The visitor of a request: a signed cookie with an unguessable name, and what it may access."""

from __future__ import annotations

import secrets

import flask
from dash import Dash
from flask.sessions import SecureCookieSessionInterface, SessionMixin

from callbacks.routes.static_files import is_static
from callbacks.services import services
from melm_studio.views.workspace import Workspace
from melm_studio.worker.records.run import RunRecord

_OWNER = "owner"
# Monitoring requests are not visits.
_MONITORING = {"health", "ready", "metrics"}


def register(app: Dash) -> None:
    """Give every visitor a name, kept in a signed cookie."""
    app.server.secret_key = services().store.secret()
    app.server.config.update(
        SESSION_COOKIE_NAME="melm-studio",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
    )
    app.server.session_interface = _Sessions()
    app.server.before_request(_ensure_owner)


class _Sessions(SecureCookieSessionInterface):
    """Cookies that static files do not set, and that are sent over HTTPS only where the page is."""

    def should_set_cookie(self, app: flask.Flask, session: SessionMixin) -> bool:
        return not is_static(flask.request) and super().should_set_cookie(app, session)

    def get_cookie_secure(self, app: flask.Flask) -> bool:
        return flask.request.is_secure


def owner() -> str:
    """Return the visitor of this request."""
    return str(flask.session[_OWNER])


def workspace() -> Workspace:
    """Return the data and runs of the visitor of this request."""
    return Workspace(services().store, owner(), services().settings)


def own_run(run_id: str) -> RunRecord:
    """Return the visitor's run of that id; answer 404 if it is unknown or belongs to another."""
    record = workspace().run(run_id)
    if record is None:
        flask.abort(404)
    return record


def _ensure_owner() -> None:
    if is_static(flask.request) or flask.request.endpoint in _MONITORING:
        return
    if _OWNER not in flask.session:
        flask.session.permanent = True
        flask.session[_OWNER] = secrets.token_urlsafe(16)

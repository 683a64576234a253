"""The visitor of a request: a signed cookie with an unguessable name, and what it may access."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import cast

import flask
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature

from callbacks.addresses import Guard, requested_address
from callbacks.guards.client_network import network_of
from callbacks.identity import OWNER, identify, make_grant, refuse_tokens, token_of, via
from callbacks.services import Served, services
from melm_studio.runs.records.grant import Grant, GrantKind
from melm_studio.runs.records.run import FIT, RunRecord
from melm_studio.runs.store.secret_key import pseudonym
from melm_studio.workspace.known_runs import KnownRuns
from melm_studio.workspace.workspace import Workspace

# Browsers keep a cookie so named only if this very host set it over HTTPS, for all of its paths: no
# other host of the domain can give a browser one, and so make it the visitor that it likes.
_OF_THIS_HOST = "__Host-"
# A clock that was set back must not lose the visitors that came before.
_MOST_AHEAD = timedelta(days=2)
# The log tells visitors apart, but is of no use to be one.
_SHOWN = 8


def register(app: Served) -> None:
    """Give every visitor a name, kept in a signed cookie."""
    app.server.secret_key = services().store.secret()
    app.server.config.update(
        SESSION_COOKIE_NAME=_name_of(services().store.secret()),
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_PATH=services().settings.path_prefix or "/",
    )
    app.server.session_interface = _Sessions()
    app.server.before_request(identify)


def _name_of(secret: bytes) -> str:
    """Name the cookie: studios on several ports of one host share its cookies."""
    return f"melm-studio-{hashlib.sha256(secret).hexdigest()[:12]}"


class _Sessions(SecureCookieSessionInterface):
    """Cookies that static files do not set, and that are sent over HTTPS only where the page is."""

    def get_cookie_name(self, app: flask.Flask) -> str:
        return f"{_OF_THIS_HOST if flask.request.is_secure else ''}{super().get_cookie_name(app)}"

    def get_cookie_path(self, app: flask.Flask) -> str:
        return "/" if flask.request.is_secure else super().get_cookie_path(app)

    def open_session(self, app: flask.Flask, request: flask.Request) -> SecureCookieSession | None:
        if token_of(request) is not None:
            return self.session_class()
        content = self._content(app, request.cookies.get(self.get_cookie_name(app), ""))
        return self.session_class() if content is None else self.session_class(content)

    def _content(self, app: flask.Flask, value: str) -> dict[str, str] | None:
        """Return the content of a cookie; None if it is not ours or too old."""
        serializer = self.get_signing_serializer(app)
        if serializer is None:
            return None
        try:
            content, signed = serializer.loads(value, return_timestamp=True)
        except BadSignature:
            return None
        age = datetime.now(UTC) - signed
        return content if -_MOST_AHEAD < age < app.permanent_session_lifetime else None

    def should_set_cookie(self, app: flask.Flask, session: SessionMixin) -> bool:
        is_same_for_all = requested_address().guard in {Guard.FILE, Guard.VIEWER}
        is_page = not is_same_for_all and token_of(flask.request) is None
        return is_page and super().should_set_cookie(app, session)

    def get_cookie_secure(self, app: flask.Flask) -> bool:
        return flask.request.is_secure


def owner() -> str:
    """Return the visitor of this request."""
    return str(flask.session[OWNER])


def has_owner() -> bool:
    """Return whether there is a visitor: Dash looks at the page itself before it serves any."""
    return flask.has_request_context() and OWNER in flask.session


def action_by() -> dict[str, str]:
    """Return what stands for the visitor and the address of this request, for the log."""
    return {"visitor": str(flask.session.get(OWNER, ""))[:_SHOWN], "address": address()[:_SHOWN]}


def grant(kind: GrantKind, content: str = "") -> tuple[str, Grant]:
    """Make a grant of the visitor of this request; return its secret and what is stored of it.

    Raises
    ------
    NotGrantedError
        If a token would make what outlives it.
    LimitReachedError
        If there are too many.
    """
    if kind is not GrantKind.TICKET:
        refuse_tokens()
    return make_grant(kind, owner(), address(), via=via(), content=content)


def workspace() -> Workspace:
    """Return the data and runs of the visitor of this request."""
    studio = services()
    return Workspace(studio.store, owner(), studio.settings, studio.reader, address())


def known_runs() -> KnownRuns:
    """Return what is known of the runs of the visitor of this request."""
    return KnownRuns(workspace(), services().renderer, services().rows)


def address() -> str:
    """Return what stands for the network address of a request: the studio keeps no addresses."""
    network = network_of(flask.request.remote_addr or "")
    return pseudonym(_secret(), network) if network else ""


def _secret() -> bytes:
    return cast(bytes, flask.current_app.secret_key)


def own_run(run_id: str) -> RunRecord:
    """Return the visitor's run of that id; answer 404 if it is unknown or belongs to another."""
    record = workspace().run(run_id)
    if record is None:
        flask.abort(404)
    return record


def own_fit(run_id: str) -> RunRecord:
    """Return the visitor's run of that id; answer 404 for what is about a run, such as a check."""
    record = own_run(run_id)
    if record.kind != FIT:
        flask.abort(404)
    return record

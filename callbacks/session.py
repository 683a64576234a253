"""Who is asking: a signed cookie with an unguessable name, and what is theirs."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import flask
from dash import Dash

from callbacks.studio import Studio
from worker.records import RunRecord

_OWNER = "owner"


def register(app: Dash, studio: Studio) -> None:
    """Give every visitor a name of their own, kept in a signed cookie."""
    app.server.secret_key = _secret(studio.settings.data_dir)
    app.server.config.update(
        SESSION_COOKIE_NAME="melm-studio",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
    )
    app.server.before_request(_ensure_owner)


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
    if _OWNER not in flask.session:
        flask.session.permanent = True
        flask.session[_OWNER] = secrets.token_urlsafe(16)


def _secret(data_dir: Path) -> bytes:
    """The signing key of this installation, made once and readable by its user only."""
    path = data_dir / "secret"
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(32))
    return path.read_bytes()

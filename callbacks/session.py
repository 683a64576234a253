"""Who is asking: a signed cookie with an unguessable name, and what is theirs."""

from __future__ import annotations

import secrets
import tempfile
from contextlib import suppress
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
    if not path.exists():
        _create_whole(path, secrets.token_bytes(32))
    return path.read_bytes()


def _create_whole(path: Path, content: bytes) -> None:
    """Make a private file that nobody ever sees half written; leave one that is there."""
    with tempfile.NamedTemporaryFile(dir=path.parent) as file:  # made with mode 0600
        file.write(content)
        file.flush()
        with suppress(FileExistsError):
            path.hardlink_to(file.name)

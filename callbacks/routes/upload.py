"""Uploads: a file is stored unchanged; reading it is the next step. A drawing becomes one first."""

from __future__ import annotations

from typing import Any

import flask

from callbacks.addresses import Body
from callbacks.services import Served
from callbacks.session import workspace
from melm_studio.validation import MAX_TEXT, InputError, read, shown
from melm_studio.workspace.drawing import Drawing

_NO_FILE = "No file arrived. Choose a CSV file and try again."

_LONG_NAME = (
    "The name of the file has {n:,} characters, and at most {most:,} are taken; it begins {name}. "
    "Rename the file and send it again."
)


def register(app: Served) -> None:
    """Connect the routes; "/upload" takes "file" of multipart form data."""
    app.server.post("/upload", body=Body.FILE, is_heavy=True)(upload)
    app.server.post("/drawing", body=Body.SETTINGS)(drawn_table)


def upload() -> tuple[dict[str, Any], int]:
    """Store a file under the hash of its content."""
    key, name = stored_upload()
    return {"key": key, "name": name}, 200


def drawn_table() -> flask.Response:
    """Return the table that a drawing becomes, which the page then uploads."""
    drawing = read(flask.request.get_json(silent=True), Drawing, "The drawing")
    return flask.Response(drawing.csv(), mimetype="text/csv")


def stored_upload() -> tuple[str, str]:
    """Store the file of the request; return the hash of its content, and its name.

    Raises
    ------
    InputError
        If there is no file, or its name is too long.
    RequestEntityTooLarge
    """
    file = flask.request.files.get("file")
    if file is None:
        raise InputError(_NO_FILE)
    name = file.filename or "table"
    if len(name) > MAX_TEXT:
        raise InputError(_LONG_NAME.format(n=len(name), most=MAX_TEXT, name=shown(name)))
    return workspace().put_upload(file.read()), name

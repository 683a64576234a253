"""A file arrives: kept as it is; reading it is the next step."""

from __future__ import annotations

import hashlib
from typing import Any

import flask
from dash import Dash
from werkzeug.exceptions import RequestEntityTooLarge

from callbacks.routes.session import owner
from callbacks.services import Studio

# The form around the file.
_ENVELOPE_BYTES = 16_384


def register(app: Dash, studio: Studio) -> None:
    """Take files by POST /upload, as multipart form data in the field "file"."""
    most_bytes = studio.settings.max_upload_mb * 2**20

    @app.server.post("/upload")
    def upload() -> tuple[dict[str, Any], int]:
        flask.request.max_content_length = most_bytes + _ENVELOPE_BYTES
        try:
            file = flask.request.files.get("file")
        except RequestEntityTooLarge:
            return {"error": _too_large(studio.settings.max_upload_mb)}, 413
        if file is None:
            return {"error": "No file arrived. Choose a CSV file and try again."}, 400
        raw = file.read()
        key = hashlib.sha256(raw).hexdigest()
        studio.store.put_upload(owner(), key, raw)
        return {"key": key, "name": file.filename or "table"}, 200


def _too_large(max_upload_mb: int) -> str:
    return (
        f"The file is larger than {max_upload_mb} MB. Leave out columns or rows, or start the "
        "studio with a higher MELM_MAX_UPLOAD_MB."
    )

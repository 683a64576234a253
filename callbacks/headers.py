"""Headers that tell the browser what this page may do."""

from __future__ import annotations

import flask
from dash import Dash


def register(app: Dash) -> None:
    """Send a content policy and the usual safeguards with every answer."""

    @app.server.after_request
    def add_headers(response: flask.Response) -> flask.Response:
        response.headers.setdefault("Content-Security-Policy", _policy(app.csp_hashes()))
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault("Referrer-Policy", "same-origin")
        response.headers.setdefault("X-Frame-Options", "SAMEORIGIN")
        return response


def _policy(script_hashes: list[str]) -> str:
    # Mantine and plotly set style attributes; nothing is ever loaded from elsewhere.
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *script_hashes]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "object-src 'none'",
            "base-uri 'self'",
            "frame-ancestors 'self'",
        ]
    )

"""Headers that tell the browser what this page may do."""

from __future__ import annotations

import flask
from dash import Dash

_SAFEGUARDS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def register(app: Dash) -> None:
    """Send a content policy and the usual safeguards with every answer."""

    @app.server.after_request
    def add_headers(response: flask.Response) -> flask.Response:
        response.headers.setdefault("Content-Security-Policy", _policy(app.csp_hashes()))
        for name, value in _SAFEGUARDS.items():
            response.headers.setdefault(name, value)
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
            "form-action 'self'",
            "frame-ancestors 'self'",
        ]
    )

"""Security headers: the content policy and related restrictions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import flask
from dash import Dash

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def register(app: Dash) -> None:
    """Send the headers with every answer."""
    app.server.after_request(partial(add_headers, app))


def add_headers(app: Dash, response: flask.Response) -> flask.Response:
    """Add the headers that the response does not have."""
    response.headers.setdefault("Content-Security-Policy", _policy(app.csp_hashes()))
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    # Answers belong to one visitor unless they say otherwise.
    response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def _policy(script_hashes: Sequence[str]) -> str:
    # Mantine and plotly set style attributes; nothing is loaded from other hosts.
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

"""Security headers: the content policy and related restrictions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import flask
from dash import Dash

from callbacks.services import services

_OF_EVERY_ANSWER = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_OF_DOCUMENTS = {
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
# No browser shows these as documents, and a page loads nearly a hundred of them.
_PARTS_OF_PAGES = {"text/javascript", "text/css"}

# It cannot name pages, as the policy can.
_UNFRAMED = {"X-Frame-Options": "SAMEORIGIN"}


def register(app: Dash) -> None:
    """Send with every answer the headers that have an effect on it."""
    app.server.after_request(partial(add_headers, app))


def add_headers(app: Dash, response: flask.Response) -> flask.Response:
    """Add the headers that the response does not have."""
    headers = dict(_OF_EVERY_ANSWER)
    if response.mimetype not in _PARTS_OF_PAGES:
        pages = services().settings.framed_by
        headers |= _OF_DOCUMENTS if pages else _OF_DOCUMENTS | _UNFRAMED
        headers["Content-Security-Policy"] = _policy(app.csp_hashes(), pages)
    for name, value in headers.items():
        response.headers.setdefault(name, value)
    # Answers belong to one visitor unless they say otherwise.
    response.headers.setdefault("Cache-Control", "private, no-cache")
    return response


def _policy(script_hashes: Sequence[str], pages: str) -> str:
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
            " ".join(["frame-ancestors 'self'", *pages.split()]),
        ]
    )

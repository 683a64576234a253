"""Which requests are let in: changes come from this page, and nothing is endless."""

from __future__ import annotations

from urllib.parse import urlsplit

import flask
from dash import Dash
from werkzeug.middleware.proxy_fix import ProxyFix

from callbacks.services import Studio

# Everything but a file; the route that takes files has a limit of its own.
_MOST_BYTES = 16 * 2**20
_READING = {"GET", "HEAD", "OPTIONS"}
_FOREIGN = (
    "This request came from another site and was refused. Open the studio in a tab of its own "
    "and do it there."
)


def register(app: Dash, studio: Studio) -> None:
    """Stand before every route."""
    app.server.config["MAX_CONTENT_LENGTH"] = _MOST_BYTES
    if n_proxies := studio.settings.proxies:
        app.server.wsgi_app = ProxyFix(
            app.server.wsgi_app, x_for=n_proxies, x_proto=n_proxies, x_host=n_proxies
        )
    app.server.before_request(_refuse_other_sites)


def _refuse_other_sites() -> tuple[dict[str, str], int] | None:
    is_welcome = flask.request.method in _READING or _is_from_here(flask.request)
    # Uploads read "error", the panels "words".
    return None if is_welcome else ({"words": _FOREIGN, "error": _FOREIGN}, 403)


def _is_from_here(request: flask.Request) -> bool:
    """By what browsers say of a request; whoever says nothing is a program, which has no cookie."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        return site in {"same-origin", "none"}
    return origin is None or urlsplit(origin).netloc == request.host

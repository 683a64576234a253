"""Request guards: changes are accepted from this page only, and bodies are limited in size."""

from __future__ import annotations

from urllib.parse import urlsplit

import flask
from dash import Dash
from werkzeug.middleware.proxy_fix import ProxyFix

from callbacks.guards.error_answers import sentence
from callbacks.services import services

# For all requests but uploads, whose route sets its own limit.
_MAX_BYTES = 16 * 2**20
_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
_FOREIGN = (
    "This request came from another site and was refused. Open the studio in its own tab and "
    "repeat it there."
)


def register(app: Dash) -> None:
    """Connect the guards, which run before every route."""
    app.server.config["MAX_CONTENT_LENGTH"] = _MAX_BYTES
    if n_proxies := services().settings.proxies:
        proxy_fix = ProxyFix(
            app.server.wsgi_app, x_for=n_proxies, x_proto=n_proxies, x_host=n_proxies
        )
        app.server.wsgi_app = proxy_fix
    app.server.before_request(refuse_other_sites)


def refuse_other_sites() -> tuple[dict[str, str], int] | None:
    """Refuse a change that another site requests."""
    is_allowed = flask.request.method in _SAFE_METHODS or _is_same_origin(flask.request)
    return None if is_allowed else (sentence(_FOREIGN), 403)


def _is_same_origin(request: flask.Request) -> bool:
    """By the headers that browsers send; a client that sends none is a program without a cookie."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        return site in {"same-origin", "none"}
    return origin is None or urlsplit(origin).netloc == request.host

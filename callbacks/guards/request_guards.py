"""Request guards: the name of the host, where changes come from, and the size of bodies."""

from __future__ import annotations

from urllib.parse import urlsplit

import flask
from dash import Dash
from werkzeug.exceptions import SecurityError
from werkzeug.middleware.proxy_fix import ProxyFix

from callbacks.guards.error_answers import sentence
from callbacks.services import services
from melm_studio.worker.config.settings import Settings

# For all requests but uploads, whose route sets its own limit.
_MAX_BYTES = 16 * 2**20
_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
_THIS_MACHINE = ["localhost", "127.0.0.1"]
_OTHER_HOST = (
    "The studio does not answer to this host name. Open it by http://localhost, or name "
    "the host by --hosts or MELM_HOSTS."
)
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
    app.server.config["TRUSTED_HOSTS"] = _trusted_hosts(services().settings)
    app.server.register_error_handler(SecurityError, refuse_other_hosts)
    app.server.before_request(refuse_other_sites)


def _trusted_hosts(settings: Settings) -> list[str] | None:
    """The host names that are answered to; None for all.

    A page of another site could make its own name that of this machine, and then read the answers.
    """
    if settings.hosts:
        return [name.strip() for name in settings.hosts.split(",")]
    is_local = settings.host in _THIS_MACHINE and not settings.proxies and not settings.store
    return _THIS_MACHINE if is_local else None


def refuse_other_hosts(error: SecurityError) -> tuple[dict[str, str], int]:
    """Refuse a request for a host name that is not trusted."""
    return sentence(_OTHER_HOST), 400


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

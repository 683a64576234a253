"""Request guards: the name of the host, where changes come from, and the size of bodies."""

from __future__ import annotations

import time
from contextlib import suppress
from urllib.parse import urlsplit

import flask
from werkzeug.exceptions import RequestEntityTooLarge, SecurityError
from werkzeug.middleware.proxy_fix import ProxyFix

from callbacks.addresses import Body, Route, requested_address
from callbacks.guards.abandoned_requests import LEFT, OF_GUNICORN
from callbacks.guards.error_answers import sentence
from callbacks.services import Served, services
from melm_studio.configuration.settings import Settings

_SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
# Gunicorn receives 64 kB of a body that nobody reads and then closes, before most clients have read
# why. A proxy in front sends what it has at once.
RECEIVES_S = 5.0
_THIS_MACHINE = ["localhost", "127.0.0.1"]
_OTHER_HOST = (
    "The studio does not answer to this host name. Open it by http://localhost, or name "
    "the host by --hosts or MELM_HOSTS."
)
_FOREIGN = (
    "This request came from another site and was refused. Open the studio in its own tab and "
    "repeat it there."
)

_TOO_MANY_PARTS = (
    "This form has more fields, or longer ones, than the studio reads. Send the file alone, as the "
    "field “file”."
)


def register(app: Served) -> None:
    """Connect the guards, which run before every route, and let routes declare what they take."""
    app.server.url_rule_class = Route
    # Of requests that reach no route.
    app.server.config["MAX_CONTENT_LENGTH"] = Body.NOTHING.value
    if n_proxies := services().settings.proxies:
        app.server.wsgi_app = ProxyFix(  # pyrefly: ignore[method-assign]  # Flask's own way
            app.server.wsgi_app, x_for=n_proxies, x_proto=n_proxies, x_host=n_proxies
        )
    app.server.config["TRUSTED_HOSTS"] = _trusted_hosts(services().settings)
    app.server.register_error_handler(SecurityError, refuse_other_hosts)
    app.server.register_error_handler(RequestEntityTooLarge, refuse_body)
    app.server.before_request(refuse_other_sites)
    app.server.before_request(limit_body)
    app.server.after_request(receive_rest)


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


def limit_body() -> None:
    """Let a request have the body that its address takes; a larger one is never read."""
    request = flask.request
    max_upload_mb = services().settings.max_upload_mb
    n_bytes = requested_address().body.most_bytes(max_upload_mb)
    request.max_content_length = n_bytes
    if (request.content_length or 0) > n_bytes:
        raise RequestEntityTooLarge


def refuse_body(_: RequestEntityTooLarge) -> tuple[dict[str, str], int]:
    """Refuse a body that is too large, or a form of too many parts."""
    request = flask.request
    n_bytes, max_upload_mb = request.content_length, services().settings.max_upload_mb
    body = requested_address().body
    is_small = n_bytes is not None and n_bytes <= body.most_bytes(max_upload_mb)
    return sentence(_TOO_MANY_PARTS if is_small else body.refusal(max_upload_mb)), 413


def receive_rest(response: flask.Response) -> flask.Response:
    """Receive the rest of a refused body, so that its client reads the answer."""
    environment = flask.request.environ
    connection = environment.get(OF_GUNICORN) if flask.request.content_length else None
    if connection is None or response.status_code < 400 or response.status_code == LEFT:
        return response
    until = time.monotonic() + RECEIVES_S
    connection.settimeout(RECEIVES_S)
    with suppress(OSError):
        while environment["wsgi.input"].read(2**13) and time.monotonic() < until:
            pass
    connection.settimeout(None)
    return response

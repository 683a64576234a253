"""Connects the endpoints, and answers with their description."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import flask
import msgspec
from dash import Dash

from callbacks.routes.api.description import describe
from callbacks.routes.api.endpoints import ENDPOINTS, PREFIX, Endpoint


def register(app: Dash) -> None:
    """Connect the endpoints."""
    for endpoint in ENDPOINTS:
        app.server.add_url_rule(
            f"{PREFIX}{endpoint.path}",
            f"api {endpoint.method} {endpoint.path}",
            _answering(endpoint),
            methods=[endpoint.method],
        )
    app.server.get(f"{PREFIX}/openapi.json")(openapi)


def openapi() -> flask.Response:
    """The description of the endpoints, for tools that read OpenAPI."""
    return _json(describe(ENDPOINTS, PREFIX, flask.request.script_root), 200)


def _answering(endpoint: Endpoint) -> Callable[..., Any]:
    """The route of an endpoint, which answers with its model as JSON."""

    @wraps(endpoint.handle)
    def route(**values: str) -> Any:
        answer = endpoint.handle(**values)
        return answer if isinstance(endpoint.answer, str) else _json(answer, endpoint.status)

    return route


def _json(values: Any, status: int) -> flask.Response:
    return flask.Response(msgspec.json.encode(values), status, mimetype="application/json")

"""Whether the server answers, and the scripts it serves itself."""

from __future__ import annotations

import flask
from dash import Dash
from plotly.offline import get_plotlyjs

PLOTLY_SCRIPT = "/plotly.js"


def register(app: Dash) -> None:
    """Answer /health, and serve plotly.js from the installed package."""
    script = get_plotlyjs().encode()

    @app.server.get("/health")
    def health() -> tuple[str, int]:
        return "ok", 200

    @app.server.get(PLOTLY_SCRIPT)
    def plotly_script() -> flask.Response:
        response = flask.Response(script, mimetype="text/javascript")
        response.add_etag()
        response.cache_control.max_age = 86_400
        return response.make_conditional(flask.request)

"""The files that are the same for every visitor: browsers keep them, and they set no cookie."""

from __future__ import annotations

from http import HTTPStatus

import flask
from dash import Dash
from rjsmin import jsmin

from callbacks.services import services
from melm_studio.figures.plotly_script import (
    compressed_plotly_script,
    plotly_fingerprint,
    plotly_script,
)
from melm_studio.layout.scripts import STYLE_SHEET, style_sheet
from melm_studio.layout.shell.follow_script import FOLLOW_SCRIPT, follow_script

PLOTLY_PATH = f"/plotly-{plotly_fingerprint()}.js"

# The addresses of these change with their content.
_FINGERPRINTED = {"plotly", "styles", "follow", "_dash_assets.static"}
# Dash serves these with and without a fingerprint; the former it lets browsers keep.
_OF_DASH = {
    "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>",
    "/_favicon.ico",
}
_MODULE = ".mjs"
_FOREVER = "public, max-age=31536000, immutable"


def register(app: Dash) -> None:
    """Connect plotly and the style sheet; let browsers keep what has a fingerprint."""
    app.server.add_url_rule(PLOTLY_PATH, "plotly", plotly)
    # Routes are below the prefix of addresses.
    style_sheet_path = app.get_asset_url(STYLE_SHEET).removeprefix(services().settings.path_prefix)
    app.server.add_url_rule(style_sheet_path, "styles", styles)
    follow_path = app.get_asset_url(FOLLOW_SCRIPT).removeprefix(services().settings.path_prefix)
    app.server.add_url_rule(follow_path, "follow", follow)
    app.server.after_request(add_lifetime)
    app.server.after_request(shorten_module)
    app.server.after_request(read_file)


def is_static(request: flask.Request) -> bool:
    """Whether a request is for a file that is the same for every visitor."""
    return request.endpoint in _FINGERPRINTED | _OF_DASH


def plotly() -> flask.Response:
    """The script of plotly, as it is stored if the browser accepts brotli."""
    if flask.request.accept_encodings["br"]:
        headers = {"Content-Encoding": "br"}
        return flask.Response(compressed_plotly_script(), 200, headers, "text/javascript")
    return flask.Response(plotly_script(), mimetype="text/javascript")


def styles() -> flask.Response:
    """The style sheet of the page."""
    return flask.Response(style_sheet(), mimetype="text/css")


def follow() -> flask.Response:
    """The script of the page of a viewer."""
    return flask.Response(follow_script(), mimetype="text/javascript")


def read_file(response: flask.Response) -> flask.Response:
    """Read a file that Flask would stream, since streams are not compressed."""
    if is_static(flask.request):
        response.direct_passthrough = False
        response.make_sequence()
    return response


def shorten_module(response: flask.Response) -> flask.Response:
    """Leave out the comments of a module, and what fingerprinted files need not say."""
    if _is_fingerprinted(response) and response.status_code == HTTPStatus.OK:
        for name in ("Content-Disposition", "Last-Modified"):
            response.headers.pop(name, None)
        if flask.request.path.endswith(_MODULE):
            response.set_data(jsmin(response.get_data(as_text=True)))
    return response


def add_lifetime(response: flask.Response) -> flask.Response:
    """Let browsers keep files whose addresses change with their content."""
    if _is_fingerprinted(response) and response.status_code in {200, 304}:
        response.headers["Cache-Control"] = _FOREVER
    return response


def _is_fingerprinted(response: flask.Response) -> bool:
    endpoint = flask.request.endpoint
    return endpoint in _FINGERPRINTED or (
        endpoint in _OF_DASH and response.cache_control.max_age is not None
    )

"""The files that are the same for every visitor: browsers keep them, and they set no cookie."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import cast

import flask
from flask import Blueprint
from flask.blueprints import BlueprintSetupState
from rjsmin import jsmin

from callbacks.addresses import Guard, is_for_everybody
from melm_studio.layout.scripts import (
    ASSETS,
    ENTRIES,
    PAGE_SCRIPT,
    STYLE_SHEET,
    assets_path,
    compressed_plotly_script,
    module_on_demand,
    page_bundle,
    plotly_fingerprint,
    plotly_script,
    style_sheet,
)

PLOTLY_PATH = f"/plotly-{plotly_fingerprint()}.js"

_MODULE = ".mjs"
_MODULES_ON_DEMAND = "_dash_assets.static"
# Dash serves these with and without a fingerprint; the former it lets browsers keep.
_WITH_AND_WITHOUT = {
    "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>",
    "/_favicon.ico",
}
_FOREVER = "public, max-age=31536000, immutable"


routes = Blueprint("static_files", __name__)


@routes.get(PLOTLY_PATH, guard=Guard.FILE)
def plotly() -> flask.Response:
    """Return the script of plotly, as it is stored if the browser accepts brotli."""
    if flask.request.accept_encodings["br"]:
        headers = {"Content-Encoding": "br"}
        return flask.Response(compressed_plotly_script(), 200, headers, "text/javascript")
    return flask.Response(plotly_script(), mimetype="text/javascript")


@routes.record
def connect_bundles(state: BlueprintSetupState) -> None:
    """Connect the style sheet and the scripts of pages, at addresses with a fingerprint of all."""
    folder = assets_path()
    state.add_url_rule(f"/{folder}/{STYLE_SHEET}", "styles", styles, guard=Guard.FILE)
    for name in ENTRIES:
        answer, endpoint = partial(script, name), f"script-{name.partition('.')[0]}"
        state.add_url_rule(f"/{folder}/{name}", endpoint, answer, guard=Guard.FILE)


def styles() -> flask.Response:
    """Return the style sheet of the page."""
    return flask.Response(style_sheet(), mimetype="text/css")


def script(name: str) -> flask.Response:
    """Return the script of a page."""
    return flask.Response(page_bundle(name).script, mimetype="text/javascript")


@routes.after_app_request
def add_lifetime(response: flask.Response) -> flask.Response:
    """Let browsers keep files whose addresses change with their content."""
    if _is_fingerprinted(response) and response.status_code in {200, 304}:
        response.headers["Cache-Control"] = _FOREVER
    return response


@routes.after_app_request
def shorten_module(response: flask.Response) -> flask.Response:
    """Leave out the comments of a module, and what fingerprinted files need not say."""
    if _is_fingerprinted(response) and response.status_code == HTTPStatus.OK:
        for name in ("Content-Disposition", "Last-Modified"):
            response.headers.pop(name, None)
        if flask.request.path.endswith(_MODULE):
            response.set_data(jsmin(_text_of_module(response)))
    return response


def _text_of_module(response: flask.Response) -> str:
    if flask.request.endpoint != _MODULES_ON_DEMAND:
        return response.get_data(as_text=True)
    path = ASSETS / cast(dict[str, str], flask.request.view_args)["filename"]
    return module_on_demand(path, page_bundle(PAGE_SCRIPT), PAGE_SCRIPT, ASSETS)


@routes.after_app_request
def read_file(response: flask.Response) -> flask.Response:
    """Read a file that Flask would stream, since streams are not compressed."""
    if is_for_everybody():
        response.direct_passthrough = False
        response.make_sequence()
    return response


def _is_fingerprinted(response: flask.Response) -> bool:
    has_one = response.cache_control.max_age is not None
    return is_for_everybody() and (has_one or flask.request.endpoint not in _WITH_AND_WITHOUT)

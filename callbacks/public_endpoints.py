"""Endpoints whose answers are the same for every visitor: files, and pictures of a talk."""

from __future__ import annotations

import flask

from melm_studio.layout.shell.page_scripts import ENTRIES

# The routes of viewers, to whom nobody gives a cookie and of whom none is asked.
VIEWER_ENDPOINTS = frozenset({"talk_code", "talk_page", "talk_pictures"})

# The addresses of these change with their content.
MODULES_ON_DEMAND = "_dash_assets.static"
SCRIPTS = {f"script-{name.partition('.')[0]}": name for name in ENTRIES}  # by endpoint
FINGERPRINTED = {"plotly", "styles", *SCRIPTS, MODULES_ON_DEMAND}
# Dash serves these with and without a fingerprint; the former it lets browsers keep.
OF_DASH = {
    "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>",
    "/_favicon.ico",
}


def is_static(request: flask.Request) -> bool:
    """Whether a request is for a file that is the same for every visitor."""
    return request.endpoint in FINGERPRINTED | OF_DASH

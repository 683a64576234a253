"""Where a request carries the token of a program."""

from __future__ import annotations

import flask

from callbacks.services import services

HEADER = "X-Melm-Token"

_SCHEME = "Bearer "


def token_of(request: flask.Request) -> str | None:
    """Return the token that a request carries, valid or not; None for one without.

    Where a proxy names the users, `Authorization` is for the proxy. An empty header is a token all
    the same: the proxy may have let the request pass for it.
    """
    if HEADER in request.headers:
        return request.headers[HEADER].strip()
    header = request.headers.get("Authorization", "")
    if services().settings.user_header or not header.startswith(_SCHEME):
        return None
    return header.removeprefix(_SCHEME).strip()

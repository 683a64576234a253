"""The way back to one's runs from another browser: a link, where no proxy names the visitors."""

from __future__ import annotations

import flask
from dash import Dash

from callbacks.guards.error_answers import sentence
from callbacks.keys.seal import Seal
from callbacks.routes.documents import document
from callbacks.services import services
from callbacks.session import become, owner

_SEAL = Seal("recovery")
_WRONG_KEY = "This link is not one of this studio, or was cut off. Copy all of it."


def register(app: Dash) -> None:
    """Connect the page with the link, and the page that it leads to."""
    app.server.get("/recovery")(link)
    app.server.get("/recovery/<key>")(question)
    app.server.post("/recovery/<key>")(recover)


def link() -> str:
    """A page with the visitor's link."""
    if services().settings.user_header:
        return _page()
    key = _SEAL.seal(owner())
    return _page(link=flask.url_for("question", key=key, _external=True))


def question(key: str) -> str | tuple[dict[str, str], int]:
    """Ask before the browser changes hands: another site may have led here."""
    return (sentence(_WRONG_KEY), 404) if _owner_of(key) is None else _page(key=key)


def recover(key: str) -> flask.Response | tuple[dict[str, str], int]:
    """Make this browser that of the visitor who made the link."""
    named = _owner_of(key)
    if named is None or services().settings.user_header:
        return sentence(_WRONG_KEY), 404
    become(named)
    return flask.make_response("", 303, {"Location": "../"})


def _owner_of(key: str) -> str | None:
    named = _SEAL.content(key)
    return named if isinstance(named, str) else None


def _page(**parts: str) -> str:
    return document("recovery.html", root=flask.request.script_root, **parts)

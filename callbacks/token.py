"""Tokens: programs that send one act as the visitor who made it."""

from __future__ import annotations

import flask
from itsdangerous import BadSignature, URLSafeTimedSerializer

from callbacks.services import services

DAYS = 30

_PURPOSE = "token"
_SCHEME = "Bearer "


def new_token(owner: str) -> str:
    """Return a token of a visitor, valid for `DAYS` days."""
    return str(_serializer().dumps(owner))


def bearer_of(request: flask.Request) -> str | None:
    """Return the token that a request carries, valid or not."""
    header = request.headers.get("Authorization", "")
    return header.removeprefix(_SCHEME).strip() if header.startswith(_SCHEME) else None


def owner_of(token: str) -> str | None:
    """Return the visitor that a token stands for; None if it is not ours or too old."""
    try:
        return str(_serializer().loads(token, max_age=DAYS * 86_400))
    except BadSignature:
        return None


def _serializer() -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(services().store.secret(), salt=_PURPOSE)

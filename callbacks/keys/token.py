"""Tokens: programs that send one act as the visitor who made it."""

from __future__ import annotations

import flask

from callbacks.keys.seal import Seal

DAYS = 30

_SEAL = Seal("token", lifetime_s=DAYS * 86_400)
_SCHEME = "Bearer "


def new_token(owner: str) -> str:
    """Return a token of a visitor, valid for `DAYS` days."""
    return _SEAL.seal(owner)


def bearer_of(request: flask.Request) -> str | None:
    """Return the token that a request carries, valid or not."""
    header = request.headers.get("Authorization", "")
    return header.removeprefix(_SCHEME).strip() if header.startswith(_SCHEME) else None


def owner_of(token: str) -> str | None:
    """Return the visitor that a token stands for; None if it is not ours or too old."""
    owner = _SEAL.content(token)
    return owner if isinstance(owner, str) else None

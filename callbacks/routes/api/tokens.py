"""Tokens for programs."""

from __future__ import annotations

from datetime import UTC, datetime

import flask

from callbacks.keys.grants import TOKEN_DAYS, revoke_grant, valid_grants
from callbacks.session import grant, owner
from melm_studio.programs.models import MadeToken, Token, Tokens
from melm_studio.runs.records.grant import Grant, GrantKind


def make_token() -> Token:
    """Make a token of the visitor; a program without a cookie becomes a new visitor."""
    token, made = grant(GrantKind.TOKEN)
    return Token(token, TOKEN_DAYS, made.grant_id)


def list_tokens() -> Tokens:
    """List the valid tokens of the visitor, oldest first, by ids that grant nothing."""
    return Tokens(tuple(map(_described, _tokens())))


def revoke_token(token_id: str) -> Tokens:
    """Revoke a token; answers those that are left."""
    if token_id not in {token.grant_id for token in _tokens()}:
        flask.abort(404)
    revoke_grant(owner(), token_id)
    return list_tokens()


def _tokens() -> list[Grant]:
    return [grant for grant in valid_grants(owner()) if grant.kind is GrantKind.TOKEN]


def _described(grant: Grant) -> MadeToken:
    return MadeToken(
        id=grant.grant_id,
        made=_time(grant.created_s),
        used=None if grant.used_s is None else _time(grant.used_s),
        expires=_time(grant.expires_s),
    )


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(round(seconds), UTC)

"""Tokens for programs."""

from __future__ import annotations

from callbacks.keys.token import DAYS, new_token
from callbacks.session import owner
from melm_studio.programs.models import Token


def create() -> Token:
    """A token of the visitor; a program without a cookie becomes a new visitor."""
    return Token(new_token(owner()), DAYS)

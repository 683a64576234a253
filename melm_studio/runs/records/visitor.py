"""Identifiers of visitors in the store."""

from __future__ import annotations

import hashlib
import hmac

_N_DIGITS = 22


def pseudonym(secret: bytes, text: str) -> str:
    """Return what stands for a text, which nobody without the key of the studio can guess.

    Parameters
    ----------
    secret : bytes
        The key of the store.
    text : str
    """
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()[:_N_DIGITS]


def owner_of_user(secret: bytes, name: str) -> str:
    """Return the owner of the runs of a user whom a trusted proxy names."""
    return pseudonym(secret, f"user {name}")

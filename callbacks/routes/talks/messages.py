"""Messages to viewers: a kind, the length of what follows, and compressed JSON.

`assets/studio/present/audience/connection.mjs` reads it.
"""

from __future__ import annotations

import gzip
from enum import Enum
from typing import Any

import msgspec

_LEVEL = 6


class Kind(Enum):
    """Kinds of messages."""

    ALIVE = b"a"  # nothing: the connection is there
    SCENE = b"s"
    PICTURE = b"p"
    END = b"e"  # nothing: the talk is over


def packed(value: Any) -> bytes:
    """Return JSON as gzip, the same bytes for the same value."""
    return gzip.compress(msgspec.json.encode(value), _LEVEL, mtime=0)


def message(kind: Kind, content: bytes = b"") -> bytes:
    """Return a message.

    Examples
    --------
    >>> message(Kind.END), message(Kind.PICTURE, b"abc")
    (b'e\\x00\\x00\\x00\\x00', b'p\\x00\\x00\\x00\\x03abc')
    """
    return kind.value + len(content).to_bytes(4, "big") + content

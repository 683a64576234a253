"""What viewers receive, read as their page reads it."""

from __future__ import annotations

import gzip
import json
from typing import Any


def read_messages(raw: bytes) -> list[tuple[str, Any]]:
    """The messages in the body of an answer, as kinds and values."""
    found = []
    while raw:
        kind, size = raw[:1].decode(), int.from_bytes(raw[1:5], "big")
        content, raw = raw[5 : 5 + size], raw[5 + size :]
        assert len(content) == size
        found.append((kind, json.loads(gzip.decompress(content)) if content else None))
    return found


def newest(raw: bytes) -> dict[str, Any]:
    """The picture in the body of an answer, with its scene."""
    values = dict(read_messages(raw))
    return {**values["p"], "scene": values.get("s")}

"""Compression of answers, as brotli or gzip, whichever the browser accepts.

Static files are compressed once. Streams are sent as they are, without delay.
"""

from __future__ import annotations

import flask
from dash import Dash
from dash.fingerprint import check_fingerprint
from flask_compress import Compress

from callbacks.routes.static_files import is_static

# 0.4 ms for the 20 kB of a frame, of which it leaves 12. Higher levels take many times longer.
_BROTLI_LEVEL = 5


def register(app: Dash) -> None:
    """Compress every answer that is text."""
    app.server.config.update(
        COMPRESS_ALGORITHM=["br", "gzip"],
        COMPRESS_BR_LEVEL=_BROTLI_LEVEL,
        COMPRESS_CACHE_BACKEND=_StaticCache,
        COMPRESS_CACHE_KEY=_cache_key,
        COMPRESS_STREAMS=False,
    )
    Compress(app.server)


class _StaticCache:
    """Compressed static files by encoding and key; the key of any other answer is empty."""

    def __init__(self) -> None:
        self._bodies: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self._bodies.get(key)

    def set(self, key: str, value: bytes) -> None:
        if not key.endswith(";"):
            self._bodies[key] = value


def _cache_key(request: flask.Request) -> str:
    # Dash accepts any fingerprint, so a key that had one would let visitors fill the cache.
    if not is_static(request):
        return ""
    path, _ = check_fingerprint(request.path)  # type: ignore[no-untyped-call]
    return str(path)

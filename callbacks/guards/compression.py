"""Compression of answers, as brotli or gzip, whichever the browser accepts.

Static files are compressed once. Streams are sent as they are, without delay.
"""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from posixpath import normpath

import brotli
import flask
from dash import Dash
from dash.fingerprint import check_fingerprint
from flask_compress import Compress

from callbacks.addresses import is_for_everybody
from melm_studio.planes.encoding import PACKED_ROWS

# Higher levels take many times longer.
_BROTLI_LEVEL = 5
# Of frames, many a second: .1 ms for the 50 kB of four planes, of which it leaves 9. The usual
# level takes five times as long to leave 8.
_LEVEL_OF_FRAMES, _FRAMES = 1, "frames.frames"
# Of static files, by size: 0.1 s for the largest script, of a megabyte, and 0.5 s for all others.
_LARGE_BYTES = 500_000
_LEVEL_OF_LARGE = 9
_LEVEL_OF_OTHERS = 10
_TEXTS = {"text/javascript", "text/css"}
_COMPRESSED = (
    "text/html",
    "text/css",
    "text/plain",
    "text/javascript",
    "application/javascript",
    "application/json",
    "image/svg+xml",
    "image/x-icon",
    PACKED_ROWS,
)


def register(app: Dash) -> None:
    """Compress every answer that shrinks."""
    app.server.config.update(
        COMPRESS_ALGORITHM=["br", "gzip"],
        COMPRESS_MIMETYPES=list(_COMPRESSED),
        COMPRESS_BR_LEVEL=_BROTLI_LEVEL,
        COMPRESS_CACHE_BACKEND=_StaticCache,
        COMPRESS_CACHE_KEY=_cache_key,
        COMPRESS_STREAMS=False,
    )
    Compress(app.server)
    # Before the answers to all others.
    app.server.after_request(_compress_frames)
    app.server.after_request(partial(_compress_static, {}))


def _compress_frames(response: flask.Response) -> flask.Response:
    """Compress planes of runs at the level that spares the most time of them all."""
    if flask.request.endpoint == _FRAMES and flask.request.accept_encodings["br"] == 1:
        response.set_data(brotli.compress(response.get_data(), quality=_LEVEL_OF_FRAMES))
        response.headers["Content-Encoding"] = "br"
    return response


def _compress_static(compressed: dict[str, bytes], response: flask.Response) -> flask.Response:
    """Compress a script or style once, at a level that would delay other answers."""
    key, has_brotli = _cache_key(flask.request), flask.request.accept_encodings["br"] == 1
    is_whole = response.status_code == HTTPStatus.OK and "Content-Encoding" not in response.headers
    if not (key and has_brotli and is_whole and response.mimetype in _TEXTS):
        return response
    if key not in compressed:
        data = response.get_data()
        level = _LEVEL_OF_OTHERS if len(data) < _LARGE_BYTES else _LEVEL_OF_LARGE
        compressed[key] = brotli.compress(data, quality=level)
    response.set_data(compressed[key])
    response.headers["Content-Encoding"] = "br"
    etag, _ = response.get_etag()
    if etag is not None:  # each encoding has one of its own
        response.set_etag(f"{etag}:br")
    response.make_conditional(flask.request)
    return response


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
    if not is_for_everybody():
        return ""
    path, _ = check_fingerprint(request.path)
    # Flask opens "x/../a.mjs" and "./a.mjs" as a.mjs, so those must not be further keys either.
    return normpath(str(path))

"""Planes to draw."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.types import PlaneView
from tests.melm_studio.runs.helpers import blobs


def view_of(n_classes: int, *, held_out: float = 0.25, skewed: bool = False) -> PlaneView:
    """A random plane of overlapping classes in five dimensions."""
    data = blobs(n_rows=12 * n_classes, n_classes=n_classes)
    if skewed:
        np.exp(data.X, out=data.X)
    components, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 2)))
    return PlaneViewer(*data.split(held_out, random_state=0), gamma=1.0).view(components.T)


def decoded(values: Mapping[str, Any] | Sequence[float | None]) -> FloatArray:
    """The numbers of an encoded array, or of a plain one with None where a line ends."""
    if not isinstance(values, Mapping):
        return np.array(values, dtype=float)
    if values["dtype"] == "ellipse":
        angles = np.linspace(0, 2 * np.pi, 49)
        turned = values["cosine"] * np.cos(angles) + values["sine"] * np.sin(angles)
        return np.array(values["center"] + turned)
    return _values(values, base64.b64decode(values["bdata"]))


def arrays_in(body: bytes) -> dict[str, FloatArray]:
    """The arrays of `as_bytes`."""
    end = 4 + int.from_bytes(body[:4], "little")
    found = {}
    for name, header in json.loads(body[4:end]).items():
        start, end = end, end + int(header["dtype"][1]) * header["shape"][0]
        found[name] = _values(header, body[start:end])
    assert end == len(body)
    return found


def _values(header: Mapping[str, Any], raw: bytes) -> FloatArray:
    if "step" not in header:
        return np.frombuffer(raw, f"<{header['dtype']}").astype(np.float64)
    n_bytes = int(header["dtype"][1])
    planes = np.frombuffer(raw, np.uint8).reshape(n_bytes, -1).astype(np.int64)
    codes = np.cumsum(planes.T @ 256 ** np.arange(n_bytes)) % 256**n_bytes
    return np.where(codes == 0, np.nan, header["low"] + (codes - 1) * header["step"])


def unpacked(text: str) -> Any:
    """What a replay holds for its script."""
    return json.loads(gzip.decompress(base64.b64decode(text)))


def points(trace: Mapping[str, Any]) -> FloatArray:
    """The points of a trace of a frame, shape (n_points, 2)."""
    return np.column_stack([decoded(trace["x"]), decoded(trace["y"])])

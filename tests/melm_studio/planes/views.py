"""Planes to draw."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
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
    if values["dtype"] == "compact":
        return _decompressed(values)
    assert values["dtype"] == "f4"
    return np.frombuffer(base64.b64decode(values["bdata"]), "<f4").astype(np.float64)


def _decompressed(values: Mapping[str, Any]) -> FloatArray:
    halves = np.frombuffer(base64.b64decode(values["bdata"]), np.uint8).reshape(2, -1)
    differences = halves[0] + 256 * halves[1].astype(np.int64)
    codes = np.cumsum(differences) % 2**16
    return np.where(codes == 0, np.nan, values["low"] + (codes - 1) * values["step"])


def points(trace: Mapping[str, Any]) -> FloatArray:
    """The points of a trace of a frame, shape (n_points, 2)."""
    return np.column_stack([decoded(trace["x"]), decoded(trace["y"])])


def unpacked_points(body: bytes) -> FloatArray:
    """The points of `packed_points`, shape (n, 2)."""
    heads = np.frombuffer(body, "<f8", count=4).reshape(2, 2)
    planes = np.frombuffer(body, np.uint8, offset=32).reshape(2, 3, -1).astype(np.int64)
    codes = planes[:, 0] + 2**8 * planes[:, 1] + 2**16 * planes[:, 2]
    return (heads[:, :1] + heads[:, 1:] * codes).T


def unpacked_rows(body: bytes) -> tuple[IntArray, IntArray, IntArray]:
    """The numbers, classes and held-out marks of `packed_rows`."""
    planes = np.frombuffer(body, np.uint8).reshape(7, -1).astype(np.int64)
    numbers = np.cumsum(planes[:4].T @ 256 ** np.arange(4))
    return numbers, planes[4] + 256 * planes[5], planes[6] == 1

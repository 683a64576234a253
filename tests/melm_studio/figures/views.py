"""Planes to draw."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_studio.views.plane_view import PlaneViewer
from melm_studio.views.types import PlaneView
from tests.melm_studio.worker.helpers import blobs


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

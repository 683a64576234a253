"""What a frame draws: its encoded arrays as numbers, and which points its lines enclose."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray


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
    """The arrays of `melm_studio.planes.encoding.as_bytes`."""
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


def points(trace: Mapping[str, Any]) -> FloatArray:
    """The points of a trace of a frame, shape (n_points, 2)."""
    return np.column_stack([decoded(trace["x"]), decoded(trace["y"])])


def enclosed(lines: FloatArray, at: FloatArray) -> npt.NDArray[np.bool_]:
    """Which points closed lines enclose an odd number of times.

    Parameters
    ----------
    lines : ndarray of shape (n_vertices, 2)
        Rows of nan separate them.
    at : ndarray of shape (n_points, 2)
    """
    (x0, y0), (x1, y1) = lines[:-1].T, lines[1:].T
    x, y = at[:, :1], at[:, 1:]
    crosses = (y0 > y) != (y1 > y)  # nowhere at a gap, whose other end is nan
    crosses &= np.isfinite(y0) & np.isfinite(y1)
    rises = np.where(crosses, y1 - y0, 1.0)
    is_beyond = crosses & (x < x0 + (y - y0) * (x1 - x0) / rises)
    odd: npt.NDArray[np.bool_] = is_beyond.sum(axis=1) % 2 == 1
    return odd

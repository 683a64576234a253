"""Planes to draw."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import numpy as np

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


def unpacked(text: str) -> Any:
    """What a replay holds for its script."""
    return json.loads(gzip.decompress(base64.b64decode(text)))

"""Contours as filled regions."""

from __future__ import annotations

import numpy as np
from matplotlib.path import Path

from melm_core.base import FloatArray


def loops(contours: FloatArray) -> list[FloatArray]:
    """Split lines that are separated by rows of nan, (n_vertices, 2), into one array each."""
    is_gap = np.isnan(contours[:, 0])
    parts = np.split(contours, np.flatnonzero(is_gap))
    lines = [part[~np.isnan(part[:, 0])] for part in parts]
    return [line for line in lines if len(line) > 2]


def region(lines: list[FloatArray]) -> Path:
    """Return the region of one level as a path.

    Lines around a hole run the other way, as contourpy orients them, so a fill leaves holes out.
    """
    return Path.make_compound_path(*(Path(line, closed=True) for line in lines))

"""Contours as filled regions: closed lines, each with the holes that belong to it."""

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


def regions(lines: list[FloatArray]) -> list[Path]:
    """Return each line around higher density as a path, with the holes at its level cut out.

    Parameters
    ----------
    lines : list of ndarray of shape (n_vertices, 2)
        Closed; those around higher density run one way and those around lower the other, as
        contourpy orients them.

    Returns
    -------
    list of Path
        Regions of higher levels lie within those of lower ones, so translucent fills add up toward
        the core.
    """
    by_size = sorted(lines, key=lambda line: abs(_area(line)))
    if not by_size:
        return []
    # The largest line has nothing around it, so it is no hole.
    way = np.sign(_area(by_size[-1]))
    outer = [line for line in by_size if np.sign(_area(line)) == way]
    holes = [line for line in reversed(by_size) if np.sign(_area(line)) != way]
    cut: list[list[FloatArray]] = [[] for _ in outer]
    for hole in holes:
        for line, known in zip(outer, cut, strict=True):
            # A hole within a hole belongs to a lower level, whose outer line is larger.
            if _holds(line, hole) and not any(_holds(other, hole) for other in known):
                known.append(hole)
                break
    return [
        Path.make_compound_path(*(Path(part, closed=True) for part in (line, *known)))
        for line, known in zip(outer, cut, strict=True)
    ]


def _area(line: FloatArray) -> float:
    """The signed area, positive if the line runs counterclockwise."""
    x, y = (line - line.mean(axis=0)).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _holds(line: FloatArray, other: FloatArray) -> bool:
    return bool(Path(line).contains_point(other[0]))

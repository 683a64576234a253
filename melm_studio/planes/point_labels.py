"""Placement of the names of points so that they can be read."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from melm_core.base import FloatArray, IntArray
from melm_studio.tables import shortened

_LONGEST_NAME = 24
# The smallest plot of points on the page, in a dialog on a telephone.
_WIDTH, _HEIGHT = 300.0, 280.0
_LETTER, _LINE, _GAP = 6.6, 17.0, 7.0  # of text of 13 pixels

# The corner of the text, as shares of its width and height from the point, and a sign of the gap.
_SIDES: Mapping[str, tuple[float, float, int, int]] = MappingProxyType(
    {
        "middle right": (0.0, -0.5, 1, 0),
        "middle left": (-1.0, -0.5, -1, 0),
        "top center": (-0.5, 0.0, 0, 1),
        "bottom center": (-0.5, -1.0, 0, -1),
        "top right": (0.0, 0.0, 0, 1),
        "top left": (-1.0, 0.0, 0, 1),
        "bottom right": (0.0, -1.0, 0, -1),
        "bottom left": (-1.0, -1.0, 0, -1),
    }
)


def point_labels(
    points: FloatArray, names: Sequence[str], order: IntArray, bounds: FloatArray
) -> tuple[list[str], list[str]]:
    """Names of points that neither overlap each other nor leave the plot.

    Parameters
    ----------
    points : ndarray of shape (n_points, 2)
    names : sequence of str, (n_points,)
    order : ndarray of int, shape (n_wanted,)
        The points that are to be named, the most important first. A name goes where it covers the
        fewest points; one that has no room on any side is left out.
    bounds : ndarray of shape (2, 2)
        The lower and upper bounds of the plot, one row each.

    Returns
    -------
    texts : list of str, (n_points,)
        Empty for a point without a name.
    positions : list of str, (n_points,)
        Plotly's ``textposition``.

    Examples
    --------
    >>> points, bounds = np.array([[0.5, 0.5], [0.5, 0.51]]), np.array([[0, 0], [1, 1]])
    >>> texts, positions = point_labels(points, ["a", "b"], np.arange(2), bounds)
    >>> texts, positions[1] == positions[0]
    (['a', 'b'], False)
    """
    texts, positions = [""] * len(points), ["middle right"] * len(points)
    pixels = (points - bounds[0]) / (bounds[1] - bounds[0]) * [_WIDTH, _HEIGHT]
    taken: list[FloatArray] = []
    for point in order.tolist():
        text = shortened(names[point], _LONGEST_NAME)
        boxes = {side: _box(pixels[point], text, side) for side in _sides(pixels[point])}
        free = [
            side
            for side, box in boxes.items()
            if _is_inside(box) and not any(_overlap(box, other) for other in taken)
        ]
        if not free:
            continue
        side = min(free, key=lambda side: _n_covered(boxes[side], pixels))  # the first of equals
        taken.append(boxes[side])
        texts[point], positions[point] = html.escape(text, quote=False), side
    return texts, positions


def _sides(pixel: FloatArray) -> list[str]:
    """The sides to try, that with more room first."""
    sides = list(_SIDES)
    return sides if pixel[0] < _WIDTH / 2 else [sides[1], sides[0], *sides[2:]]


def _box(pixel: FloatArray, text: str, side: str) -> FloatArray:
    """The lower left and the upper right corner of a name."""
    across, along, right, up = _SIDES[side]
    size = np.array([_LETTER * len(text), _LINE])
    corner = pixel + size * [across, along] + _GAP * np.array([right, up])
    return np.array([corner, corner + size])


def _is_inside(box: FloatArray) -> bool:
    return bool((box[0] >= 0).all() and (box[1] <= [_WIDTH, _HEIGHT]).all())


def _n_covered(box: FloatArray, pixels: FloatArray) -> int:
    """Count the points below a name."""
    return int(((pixels > box[0]) & (pixels < box[1])).all(axis=1).sum())


def _overlap(first: FloatArray, second: FloatArray) -> bool:
    return bool((first[0] < second[1]).all() and (second[0] < first[1]).all())

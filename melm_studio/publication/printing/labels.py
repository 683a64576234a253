"""Places names so that they lie within the axes and do not overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from melm_core.base import FloatArray

_GAP = 2.0  # points between an anchor and its name
_TURNS = np.radians([0, 20, -20, 45, -45, 75, -75, 110, -110, 150, -150, 180])
_DISTANCES = (0.0, 8.0, 18.0, 30.0)
_EDGE = 2.0  # points between a name and the edge of the axes
_BETWEEN = np.array([4.0, 0.0])  # points between two names on a line

# In square points that two names share: a name over a point to be kept free, one that lies nearer
# to the anchor of another name, and each point of distance from its own.
_COVERED, _MISTAKEN, _AWAY = 4.0, 12.0, 1.0


@dataclass(frozen=True, eq=False)
class Label:
    """A name to be placed.

    Attributes
    ----------
    text : str
    anchor : ndarray of shape (2,)
        In points from the lower left corner of the axes.
    size : ndarray of shape (2,)
        Width and height of the text in points.
    direction : ndarray of shape (2,)
        Where the name lies, seen from its anchor; zero to center it there.
    """

    text: str
    anchor: FloatArray
    size: FloatArray
    direction: FloatArray


def place_labels(
    labels: Sequence[Label], area: FloatArray, kept_free: Sequence[FloatArray] = ()
) -> list[FloatArray]:
    """Return the center of every name, the first ones nearest to where they belong.

    Parameters
    ----------
    labels : sequence of Label
    area : ndarray of shape (2,)
        Width and height of the axes in points.
    kept_free : sequence of ndarray of shape (2,)
        Points, such as tips of arrows, that names should not cover.

    Returns
    -------
    list of ndarray of shape (2,)
    """
    anchors = [label.anchor for label in labels]
    placed: list[tuple[FloatArray, FloatArray]] = []
    for label in labels:
        candidates = [_inside(center, label.size, area) for center in _candidates(label)]
        others = [anchor for anchor in anchors if anchor is not label.anchor]
        costs = [
            sum(_overlap(center, label.size, *other) for other in placed)
            + _COVERED * _n_covered(center, label.size, kept_free)
            + _MISTAKEN * _is_nearer(center, label, others)
            + _AWAY * distance(center, label.size, label.anchor)
            for center in candidates
        ]
        # The first of the best, which is nearest to where the name belongs.
        placed.append((candidates[int(np.argmin(costs))], label.size))
    return [center for center, _ in placed]


def _candidates(label: Label) -> list[FloatArray]:
    """Centers beside the anchor, those in the direction of the name first."""
    length = float(np.linalg.norm(label.direction))
    heading = label.direction / length if length else np.array([0.0, 1.0])
    beside = [
        label.anchor + _reach(turned, label.size, further) * turned
        for further in _DISTANCES
        for turned in (_turned(heading, angle) for angle in _TURNS)
    ]
    return beside if length else [label.anchor, *beside]


def _reach(direction: FloatArray, size: FloatArray, further: float) -> float:
    """How far the center is from the anchor for the box to end beside it."""
    with np.errstate(divide="ignore"):
        half = np.min(size / 2 / np.abs(direction))
    return float(half) + _GAP + further


def _turned(direction: FloatArray, angle: float) -> FloatArray:
    cos, sin = np.cos(angle), np.sin(angle)
    turned: FloatArray = np.array([[cos, -sin], [sin, cos]]) @ direction
    return turned


def _inside(center: FloatArray, size: FloatArray, area: FloatArray) -> FloatArray:
    half = np.minimum(size / 2 + _EDGE, area / 2)
    return np.clip(center, half, area - half)


def _overlap(one: FloatArray, size: FloatArray, other: FloatArray, other_size: FloatArray) -> float:
    """The area that two boxes share, with the space between them, in square points."""
    sides = (size + other_size) / 2 + _BETWEEN - np.abs(one - other)
    return float(np.prod(np.maximum(sides, 0.0)))


def _is_nearer(center: FloatArray, label: Label, others: Sequence[FloatArray]) -> bool:
    """Whether the box of a name is nearer to another anchor than to its own."""
    own = distance(center, label.size, label.anchor)
    return any(distance(center, label.size, other) < own for other in others)


def distance(center: FloatArray, size: FloatArray, point: FloatArray) -> float:
    """Return how far a point is from a box, given by its center and size."""
    return float(np.linalg.norm(np.maximum(np.abs(point - center) - size / 2, 0.0)))


def _n_covered(center: FloatArray, size: FloatArray, points: Sequence[FloatArray]) -> float:
    return float(sum(bool(np.all(np.abs(point - center) < size / 2)) for point in points))

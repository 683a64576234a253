"""The view of classes on a line: their densities, their rows in strips below, the thresholds.

Heights are relative to the highest density. The rows of each class lie in a strip of their own
below the line, spread within it so that they can be distinguished.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from melm_core.base import FloatArray
from melm_core.density import DensityRule, class_thresholds

LINE_POINTS = 400

_BEYOND_WIDTHS = 3.0
_STRIPS_BEGIN = 0.06
_STRIPS_HEIGHT = 0.6
_TALLEST_STRIP = 0.1
_ARROW_STEP = 0.07
_PATH_HEIGHT = 0.8 * _ARROW_STEP
_THRESHOLD_HEIGHT = 1.04

# Multiples of the golden ratio spread any number of rows evenly and deterministically.
_GOLDEN = 0.6180339887498949


def density_curves(rule: DensityRule) -> list[FloatArray]:
    """The density of each class as a closed line of shape (LINE_POINTS + 2, 2).

    Without the floor of all classes, which is alike for all: so curves cross at thresholds.

    Parameters
    ----------
    rule : DensityRule
        Of one component.
    """
    points = np.concatenate(rule.classes.rows)[:, 0]
    margin = _BEYOND_WIDTHS * float(np.sqrt(rule.classes.covariances.max()))
    x = np.linspace(points.min() - margin, points.max() + margin, LINE_POINTS)
    heights = np.exp(rule.log_mixtures(x[:, None]))  # (LINE_POINTS, n_classes)
    heights /= heights.max()
    base = [[x[-1], 0.0], [x[0], 0.0]]
    return [np.vstack([np.column_stack([x, height]), base]) for height in heights.T]


def threshold_lines(rule: DensityRule) -> FloatArray:
    """Vertical lines where the class with the largest density changes, separated by rows of nan.

    Parameters
    ----------
    rule : DensityRule
        Of one component.
    """
    thresholds = class_thresholds(rule)
    lines = np.full((len(thresholds), 3, 2), np.nan)
    lines[:, :2, 0] = thresholds[:, None]
    lines[:, :2, 1] = 0.0, _THRESHOLD_HEIGHT
    return lines.reshape(-1, 2)


def in_strips(rows: Sequence[FloatArray]) -> list[FloatArray]:
    """Place the rows of each class (n_rows, 1) in the strip of the class: (n_rows, 2) each."""
    height = _strip_height(len(rows))
    return [
        np.column_stack([part[:, 0], _strip_middle(code, height) + height * _spread(len(part))])
        for code, part in enumerate(rows)
    ]


def in_top_strip(rows: FloatArray) -> FloatArray:
    """Place rows without a class, (n_rows, 1 or more), between the line and the strips."""
    heights = _STRIPS_BEGIN * (_spread(len(rows)) - 0.5)
    return np.column_stack([rows[:, 0], heights])


def arrow_lanes(n_arrows: int, n_classes: int) -> FloatArray:
    """Heights of the arrows, one below the other and all below the strips."""
    height = _strip_height(n_classes)
    top = _strip_middle(n_classes, height) - max(0.0, 0.5 * (_ARROW_STEP - height))
    lanes: FloatArray = top - _ARROW_STEP * np.arange(n_arrows, dtype=np.float64)
    return lanes


def paths_in_lanes(paths: FloatArray, origins: FloatArray, shares: FloatArray) -> FloatArray:
    """Draw the curves of features in the lanes of their arrows, the larger values higher.

    Parameters
    ----------
    paths : ndarray of shape (n_arrows, n_vertices, 1)
        How far each feature moves a row along the line; nan of straight features.
    origins : ndarray of shape (n_arrows, 2)
        Of the arrows.
    shares : ndarray of shape (n_vertices,)
        The share of the rows with smaller values at each vertex.

    Returns
    -------
    ndarray of shape (n_arrows, n_vertices, 2)
    """
    along = origins[:, :1] + paths[..., 0]
    up = origins[:, 1:] + _PATH_HEIGHT * (shares - 0.5)
    return np.stack([along, np.where(np.isnan(along), np.nan, up)], axis=2)


def _strip_height(n_classes: int) -> float:
    return min(_TALLEST_STRIP, _STRIPS_HEIGHT / n_classes)


def _strip_middle(code: int, height: float) -> float:
    return -_STRIPS_BEGIN - height * (code + 0.5)


def _spread(n_rows: int) -> FloatArray:
    """Offsets within 0.35 of the middle."""
    steps = np.arange(n_rows, dtype=np.float64)
    spread: FloatArray = 0.7 * ((steps * _GOLDEN) % 1.0 - 0.5)
    return spread

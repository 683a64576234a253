"""The outlines of classes: regions in a plane, densities on a line, and the box that holds them.

On a line, heights are relative to the highest density. The rows of each class lie in a strip of
their own below it, spread within it so that they can be distinguished.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import contourpy
import numpy as np

from melm_core.base import FloatArray
from melm_core.density import (
    ClassDensities,
    ClassRegions,
    DensityRule,
    class_thresholds,
    density_regions,
)

# Each contour encloses one of these shares of a class.
CONTOUR_SHARES = (0.5, 0.8, 0.95)
GRID_LINES = 72

# The central part of the rows, and how far beyond it a picture reaches for the others, as a share
# of its side: two rows far away do not make all the others small.
CENTRAL = (0.005, 0.995)
REACH = 0.3
_MARGIN = 0.03
# How many times as wide as high a picture is at most, and as high as wide: on a screen, on a phone.
_MOST_SIDES = np.array([2.0, 1.5])
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


def plane_contours(classes: ClassDensities) -> list[tuple[FloatArray, tuple[int, ...]]]:
    """Lines around the `plane_regions` of each class, the innermost first; see `region_lines`."""
    return list(map(region_lines, plane_regions(classes)))


def plane_regions(classes: ClassDensities) -> list[ClassRegions]:
    """The regions that hold CONTOUR_SHARES of each class in a plane, see `density_regions`.

    Parameters
    ----------
    classes : ClassDensities
        Projected into the plane.
    """
    return density_regions(classes, CONTOUR_SHARES, GRID_LINES)


def region_lines(regions: ClassRegions) -> tuple[FloatArray, tuple[int, ...]]:
    """The lines around the regions of a class, the innermost first.

    Returns
    -------
    contours : ndarray of shape (n_vertices, 2)
        Rows of nan separate lines.
    levels : tuple of int
        The vertices at which the lines of the next share begin.
    """
    grid = regions.grid
    generator = _generator(grid.x, grid.y, np.log(grid.density))
    lines_of_levels = [_joined(generator.lines(level)) for level in regions.log_levels]
    contours: FloatArray = np.concatenate(lines_of_levels) @ np.linalg.inv(grid.root)
    ends = np.cumsum([len(lines) for lines in lines_of_levels])
    return contours, tuple(ends[:-1].tolist())


def simplified(
    contours: FloatArray, levels: Sequence[int], tolerance: float
) -> tuple[FloatArray, tuple[int, ...]]:
    """The lines around the regions of a class by fewer vertices.

    Parameters
    ----------
    contours, levels : ndarray of shape (n_vertices, 2), sequence of int
        As `region_lines` returns them.
    tolerance : float
        How far a vertex that is left out may be from the line, at most.

    Returns
    -------
    contours, levels : ndarray of shape (n_kept, 2), tuple of int

    Notes
    -----
    D. H. Douglas and T. K. Peucker (1973), "Algorithms for the reduction of the number of points
    required to represent a digitized line or its caricature", Cartographica 10(2).

    Examples
    --------
    >>> line = np.array([[0.0, 0.0], [1.0, 0.01], [2.0, 0.0], [2.0, 2.0], [np.nan, np.nan]])
    >>> simplified(line, (), 0.1)[0][:, 0].tolist()
    [0.0, 2.0, 2.0, nan]
    """
    is_kept = np.isnan(contours[:, 0])
    ends = np.flatnonzero(is_kept)
    is_kept[np.concatenate([[0], ends[:-1] + 1])] = True
    is_kept[ends - 1] = True
    open_ends = np.flatnonzero(is_kept).tolist()
    stretches = list(pairwise(open_ends))
    while stretches:
        first, last = stretches.pop()
        between = contours[first + 1 : last] - contours[first]
        if not len(between):
            continue
        along = contours[last] - contours[first]
        length = np.hypot(*along)
        # From a closed line's only end, the distance to that.
        distances = (
            np.abs(between @ (-along[1], along[0])) / length if length else np.hypot(*between.T)
        )
        farthest = int(distances.argmax())
        if distances[farthest] > tolerance:
            middle = first + 1 + farthest
            is_kept[middle] = True
            stretches += [(first, middle), (middle, last)]
    n_kept = np.concatenate([[0], is_kept.cumsum()])
    return contours[is_kept], tuple(n_kept[list(levels)].tolist())


def _generator(
    x: FloatArray, y: FloatArray, values: FloatArray
) -> contourpy.SerialContourGenerator:
    # Of the time that `contour_generator` takes, four fifths are a search for masked values.
    return contourpy.SerialContourGenerator(
        *np.meshgrid(x, y),
        values,
        np.zeros(values.shape, dtype=bool),
        corner_mask=False,
        line_type=contourpy.LineType.Separate,
        fill_type=contourpy.FillType.OuterOffset,
        quad_as_tri=False,
        z_interp=contourpy.ZInterp.Linear,
        x_chunk_size=0,
        y_chunk_size=0,
    )


def _joined(lines: Iterable[Any]) -> FloatArray:
    gap = np.full((1, 2), np.nan)
    joined: FloatArray = np.concatenate([part for line in lines for part in (line, gap)] or [gap])
    return joined


def central_box(
    rows: Sequence[FloatArray], outlines: Sequence[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Corners of a box that holds all rows and outlines, unless some lie far from the others.

    Each side ends at the outermost row or outline, but at most `REACH` of the side beyond the
    quantiles `CENTRAL` of the rows. Where rows are left out, it ends shortly beyond the quantile.

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_rows, 2)
        At least one row in all.
    outlines : sequence of ndarray of shape (n_vertices, 2)
        Vertices; rows of nan separate lines.

    Returns
    -------
    lower, upper : ndarray of shape (2,)

    Examples
    --------
    >>> rows = np.column_stack([np.arange(1000.0), np.arange(1000.0)])
    >>> rows[0] = -1e6
    >>> lower, upper = central_box([rows], [])
    >>> bool(lower[0] > -100), float(upper[0])
    (True, 999.0)
    """
    points = np.concatenate(rows)
    low, high = np.quantile(points, CENTRAL, axis=0)
    side = high - low
    vertices = np.concatenate([points, *outlines])
    lower = _end(low, side, points.min(axis=0), np.nanmin(vertices, axis=0), -1)
    upper = _end(high, side, points.max(axis=0), np.nanmax(vertices, axis=0), 1)
    return lower, upper


def box_of_regions(
    rows: Sequence[FloatArray], outlines: Sequence[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Corners of the `central_box`, widened until no picture of it cuts a region.

    A region that reaches into the box, or into what a picture of another shape shows beside it, is
    held as a whole; one wholly beyond that is left out, as its rows are.

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_rows, 2)
        At least one row in all.
    outlines : sequence of ndarray of shape (n_vertices, 2)
        Vertices of regions; rows of nan separate the lines around them.

    Returns
    -------
    lower, upper : ndarray of shape (2,)

    Examples
    --------
    >>> near, far = np.array([[-1.0, 0.5], [9.0, 0.5]]), np.array([[50.0, 0.5], [51.0, 0.5]])
    >>> rows = np.column_stack([np.linspace(0.0, 1.0, 100), np.linspace(0.0, 1.0, 100)])
    >>> lower, upper = box_of_regions([rows], [near, far])
    >>> float(lower[0]), float(upper[0])
    (-1.0, 9.0)
    """
    lower, upper = central_box(rows, outlines)
    lowest, highest = _line_boxes(outlines)
    while True:
        sides = upper - lower
        beside = np.maximum(0.0, _MOST_SIDES * sides[::-1] - sides) / 2
        reaches_in = np.all((lowest < upper + beside) & (highest > lower - beside), axis=1)
        widened = (
            np.minimum(lower, lowest[reaches_in].min(axis=0, initial=np.inf)),
            np.maximum(upper, highest[reaches_in].max(axis=0, initial=-np.inf)),
        )
        if np.array_equal(widened, (lower, upper)):
            return lower, upper
        lower, upper = widened


def _line_boxes(outlines: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The corners of the box of each line, (n_lines, 2) each."""
    gap = np.full((1, 2), np.nan)
    vertices = np.concatenate([part for lines in outlines for part in (lines, gap)] or [gap])
    is_vertex = np.all(np.isfinite(vertices), axis=1)
    begins = is_vertex & ~np.concatenate([[False], is_vertex[:-1]])
    if not is_vertex.any():
        return np.empty((0, 2)), np.empty((0, 2))
    starts, vertices = np.flatnonzero(begins[is_vertex]), vertices[is_vertex]
    return np.minimum.reduceat(vertices, starts), np.maximum.reduceat(vertices, starts)


def _end(
    quantile: FloatArray, side: FloatArray, rows: FloatArray, vertices: FloatArray, sign: int
) -> FloatArray:
    """One end of both axes: that of the rows if it is near, and of the outlines as far as near."""
    reach = REACH * side
    is_near = sign * (rows - quantile) <= np.where(side > 0, reach, np.inf)
    near = np.where(is_near, rows, quantile + sign * _MARGIN * side)
    most = np.where(is_near, quantile + sign * reach, near)
    outline = sign * np.minimum(sign * vertices, sign * most)
    ends: FloatArray = sign * np.maximum(sign * near, sign * outline)
    return ends


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

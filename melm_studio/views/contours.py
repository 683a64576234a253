"""The extent of classes: contours of their densities, and the box that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import contourpy
import numpy as np

from melm_core.base import FloatArray
from melm_core.density import (
    ClassSeries,
    KernelClasses,
    NearRows,
    density_on_grid,
    inverse_root,
    mass_levels,
)

# Each contour encloses one of these shares of the mass of a class.
CONTOUR_SHARES = (0.5, 0.8, 0.95)
GRID_LINES = 72

# A contour of 95 % of the mass ends well within this many kernel widths beyond the outermost row.
_MARGIN_WIDTHS = 3.0

# The central part of the rows, and how far beyond it a picture reaches for the others, as a share
# of its side: two rows far away do not make all the others small.
CENTRAL = (0.005, 0.995)
REACH = 0.3
_MARGIN = 0.03


def plane_contours(classes: KernelClasses) -> list[tuple[FloatArray, tuple[int, ...]]]:
    """The `class_contours` of every class in a plane, from the transforms of its rows if known."""
    if classes.near:
        return list(map(_near_contours, classes.near, classes.covariances))
    if classes.series is None or not classes.series.has_densities:
        return list(map(class_contours, classes.rows, classes.covariances))
    return [
        _series_contours(classes.series, code, covariance)
        for code, covariance in enumerate(classes.covariances)
    ]


def class_contours(rows: FloatArray, covariance: FloatArray) -> tuple[FloatArray, tuple[int, ...]]:
    """Lines around CONTOUR_SHARES of the mass of a class, the innermost first.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, 2)
    covariance : ndarray of shape (2, 2)
        Kernel covariance in the plane.

    Returns
    -------
    contours : ndarray of shape (n_vertices, 2)
        Rows of nan separate lines.
    levels : tuple of int
        The vertices at which the lines of the next share begin.
    """
    # In coordinates in which the kernel is isotropic, the sum over a grid is separable.
    root, _ = inverse_root(covariance)
    round_rows = rows @ root
    lower, upper = round_rows.min(axis=0) - _MARGIN_WIDTHS, round_rows.max(axis=0) + _MARGIN_WIDTHS
    x, y = (np.linspace(lower[axis], upper[axis], GRID_LINES) for axis in (0, 1))
    density = density_on_grid(x, y, round_rows, np.eye(2))
    return _lines_around(x, y, density, root)


def _series_contours(
    series: ClassSeries, code: int, covariance: FloatArray
) -> tuple[FloatArray, tuple[int, ...]]:
    x, y, density = series.density_on_grid(code, covariance, GRID_LINES)
    return _lines_around(x, y, density, series.root)


def _near_contours(near: NearRows, covariance: FloatArray) -> tuple[FloatArray, tuple[int, ...]]:
    x, y, density = near.density_on_grid(covariance, GRID_LINES, _MARGIN_WIDTHS)
    return _lines_around(x, y, density, near.root)


def _lines_around(
    x: FloatArray, y: FloatArray, density: FloatArray, root: FloatArray
) -> tuple[FloatArray, tuple[int, ...]]:
    """The lines in the plane, whose points times `root` are the coordinates of the grid."""
    generator = _generator(x, y, density)
    regions = [_joined(generator.lines(level)) for level in mass_levels(density, CONTOUR_SHARES)]
    contours: FloatArray = np.concatenate(regions) @ np.linalg.inv(root)
    ends = np.cumsum([len(region) for region in regions])
    return contours, tuple(ends[:-1].tolist())


def _generator(
    x: FloatArray, y: FloatArray, density: FloatArray
) -> contourpy.SerialContourGenerator:
    # Of the time that `contour_generator` takes, four fifths are a search for masked values.
    return contourpy.SerialContourGenerator(
        *np.meshgrid(x, y),
        density,
        np.zeros(density.shape, dtype=bool),
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

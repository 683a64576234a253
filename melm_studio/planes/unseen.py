"""Rows where planes that never saw them put them: what the picture of a run shows at rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from melm_core.base import FloatArray, IntArray
from melm_core.density import DensityRule, PlaceRegions
from melm_core.diagnostics import class_ellipses
from melm_studio.planes.contours import (
    CONTOUR_SHARES,
    GRID_LINES,
    box_of_regions,
    central_box,
    region_lines,
)
from melm_studio.planes.line import density_curves, in_strips, threshold_lines
from melm_studio.planes.types import ClassView, PlaneView
from melm_studio.tables import LabeledData

# Of the regions of a class as fitted, what stays beside the unseen places as an outline.
_OUTLINED = 1


@dataclass(frozen=True, eq=False)
class UnseenRows:
    """The rows of a run where planes that were fitted without them put them.

    Attributes
    ----------
    places : ndarray of shape (n_rows, n_components)
        Along the components, from the mean of the rows; nan of rows that no fold held out.
    components : ndarray of shape (n_components, n_features)
        Of the plane of all rows; orthonormal.
    y : ndarray of shape (n_rows,)
        Class codes.
    row_numbers : ndarray of shape (n_rows,)
        In the file.
    groups : ndarray of shape (n_rows,) or None
        Rows with the same number depend on each other.
    """

    places: FloatArray
    components: FloatArray
    y: IntArray
    row_numbers: IntArray
    groups: IntArray | None

    @classmethod
    def of(cls, data: LabeledData, places: FloatArray, components: FloatArray) -> Self:
        """The unseen places of all rows of a run, in their order."""
        return cls(places, components, data.y, data.row_numbers, data.groups)

    def along(self, axes: FloatArray) -> FloatArray:
        """The places along axes of the plane, (n_axes, n_features); shape (n_rows, n_axes)."""
        places: FloatArray = self.places @ (axes @ self.components.T).T
        return places

    def of_rows(self, values: FloatArray, row_numbers: IntArray) -> FloatArray:
        """What of values of all rows is that of some rows, by their numbers in the file."""
        order = np.argsort(self.row_numbers, kind="stable")
        at = np.searchsorted(self.row_numbers, row_numbers, sorter=order)
        found: FloatArray = values[order[at]]
        return found


def with_unseen_rows(
    view: PlaneView,
    unseen: UnseenRows,
    axes: FloatArray,
    *,
    drawn: Sequence[IntArray],
    train: LabeledData,
    gamma: float,
) -> PlaneView:
    """A view of fitted rows as one of unseen places, on axes that hold both.

    Parameters
    ----------
    view : PlaneView
        Of the same plane, as fitted.
    unseen : UnseenRows
    axes : ndarray of shape (n_axes, n_features)
        That are drawn: one of a line, two of a plane.
    drawn : sequence of ndarray
        Row numbers of the drawn rows of each class.
    train : LabeledData
        The rows, centered, as they were fitted.
    gamma : float
        Kernel width of the class densities.
    """
    points = unseen.along(axes)
    is_known = np.isfinite(points).all(axis=1)
    known, y = points[is_known], unseen.y[is_known]
    groups = None if unseen.groups is None else unseen.groups[is_known]
    of_class = [unseen.of_rows(points, numbers) for numbers in drawn]
    ways = unseen.of_rows(points, train.row_numbers) - train.X @ axes.T
    moves = float(np.nanmean(np.linalg.norm(ways, axis=1)))
    if len(axes) == 1:
        return _line(view, known, y, of_class=of_class, gamma=gamma, moves=moves)
    regions = PlaceRegions.of(known, y, CONTOUR_SHARES, groups, gamma=gamma)
    contours = list(map(region_lines, regions.on_grid(GRID_LINES)))
    placed = [rows[np.isfinite(rows).all(axis=1)] for rows in of_class]
    lower, upper = box_of_regions(placed, [lines for lines, _ in contours])
    views = tuple(
        ClassView(
            rows,
            np.empty((0, 2)),
            *lines,
            class_ellipses(known[y == code]),
            known[y == code].mean(axis=0, keepdims=True),
            fitted_region=part.regions[_OUTLINED],
            name_place=_densest(regions, code, known[y == code]),
        )
        for code, (part, rows, lines) in enumerate(
            zip(view.classes, of_class, contours, strict=True)
        )
    )
    return _on_both(view, replace(view, classes=views, moves=moves), lower, upper)


def held_by_both(fitted: PlaneView, unseen: PlaneView) -> PlaneView:
    """A view as fitted on the axes of the one of unseen places, so that nothing jumps between."""
    return replace(fitted, lower=unseen.lower, upper=unseen.upper)


def _line(
    view: PlaneView,
    known: FloatArray,
    y: IntArray,
    *,
    of_class: list[FloatArray],
    gamma: float,
    moves: float,
) -> PlaneView:
    rule = DensityRule.of(known, y, gamma=gamma)
    curves, rows = density_curves(rule), in_strips(of_class)
    placed = [own[np.isfinite(own).all(axis=1)] for own in rows]
    lower, upper = central_box(placed, curves)
    views = tuple(
        ClassView(own, np.empty((0, 2)), curve, fitted_region=part.contours)
        for part, own, curve in zip(view.classes, rows, curves, strict=True)
    )
    seen = replace(view, classes=views, thresholds=threshold_lines(rule), moves=moves)
    return _on_both(view, seen, lower, upper)


def _on_both(
    fitted: PlaneView, unseen: PlaneView, lower: FloatArray, upper: FloatArray
) -> PlaneView:
    low, high = np.minimum(fitted.lower, lower), np.maximum(fitted.upper, upper)
    return replace(unseen, lower=low, upper=high)


def _densest(regions: PlaceRegions, code: int, rows: FloatArray) -> FloatArray:
    """Where most rows of a class are, clear of the others: one of its own places.

    The middle of a class that is a ring, or in two parts, may be amid another one.
    """
    logs = np.column_stack(
        [regions.log_density(each, rows) for each in range(len(regions.classes.rows))]
    )
    own = logs[:, code]
    clear = own - np.logaddexp.reduce(logs, axis=1)
    place: FloatArray = rows[int(np.argmax(own + clear))]
    return place

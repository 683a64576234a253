"""Rows where planes that never saw them put them: what the picture of a run shows at rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from melm_core.base import FloatArray, IntArray, thinned
from melm_core.density import DensityRule, PlaceRegions, RegionShare
from melm_core.diagnostics import ConfidenceEllipses
from melm_studio.planes.class_outlines import (
    CONTOUR_SHARES,
    GRID_LINES,
    box_of_regions,
    central_box,
    density_curves,
    in_strips,
    region_lines,
    threshold_lines,
)
from melm_studio.planes.types import PlaneView
from melm_studio.tables import LabeledData

# Of the regions of a class as fitted, what stays beside the unseen places as an outline.
_OUTLINED = 1
# Unseen places that take less than this share of the picture as fitted are drawn closer.
_LEAST_SIDE = 1 / 3
# Rows of a class among which its name finds a place.
_MOST_PLACES_OF_A_NAME = 500
# Of a class without any unseen place.
_NO_LINE = np.empty((0, 2))
_NO_REGIONS: dict[str, Any] = {
    "contours": _NO_LINE,
    "levels": (0,) * (len(CONTOUR_SHARES) - 1),
    "ellipses": None,
    "centroid": _NO_LINE,
}


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
    is_held_out : bool
        Whether they are rows that the plane itself holds out, which it draws at these places.
    """

    places: FloatArray
    components: FloatArray
    y: IntArray
    row_numbers: IntArray
    groups: IntArray | None
    is_held_out: bool = False

    @classmethod
    def of(cls, data: LabeledData, places: FloatArray, components: FloatArray) -> Self:
        """The unseen places of all rows of a run, in their order."""
        return cls(places, components, data.y, data.row_numbers, data.groups)

    @classmethod
    def of_held_out(cls, rows: LabeledData, components: FloatArray) -> Self:
        """The rows that a plane holds out, centered."""
        of_rows = (rows.y, rows.row_numbers, rows.groups)
        return cls(rows.X @ components.T, components, *of_rows, is_held_out=True)

    def along(self, axes: FloatArray) -> FloatArray:
        """The places along axes of the plane, (n_axes, n_features); shape (n_rows, n_axes)."""
        places: FloatArray = self.places @ (axes @ self.components.T).T
        return places

    def of_rows(self, values: FloatArray, row_numbers: IntArray) -> FloatArray:
        """Return values of some rows, by their numbers in the file, out of those of all."""
        order = np.argsort(self.row_numbers, kind="stable")
        positions = np.searchsorted(self.row_numbers, row_numbers, sorter=order)
        selected: FloatArray = values[order[positions]]
        return selected

    def shares(
        self, axes: FloatArray, fitted: Sequence[FloatArray], gamma: float
    ) -> list[RegionShare]:
        """Return shares that regions hold of their places, each left out, and of rows as fitted.

        Parameters
        ----------
        axes : ndarray of shape (n_axes, n_features)
            That are drawn.
        fitted : sequence of ndarray of shape (n_rows, n_axes)
            The rows of each class where the plane of the run puts them.
        gamma : float
            Kernel width of the class densities.

        Returns
        -------
        list of RegionShare
            Class by class, with ascending shares; none of regions that are not known.
        """
        classes = _Classes.of(self, axes)
        if not classes.codes:
            return []
        regions, region_shares = classes.regions(gamma), []
        for index, code in enumerate(classes.codes):
            training = regions.hold(index, fitted[code]).mean(axis=0)
            region_shares += [
                RegionShare(code, *of_one)
                for of_one in zip(
                    regions.shares, training.tolist(), regions.held[index].tolist(), strict=True
                )
                if np.isfinite(of_one[-1])
            ]
        return region_shares


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes of which a place is known along some axes, and these places.

    Attributes
    ----------
    codes : list of int
    places : ndarray of shape (n_known, n_axes)
    at : ndarray of shape (n_known,)
        Which of the codes each place has.
    groups : ndarray of shape (n_known,) or None
    """

    codes: list[int]
    places: FloatArray
    at: IntArray
    groups: IntArray | None

    @classmethod
    def of(cls, unseen: UnseenRows, axes: FloatArray) -> Self:
        places = unseen.along(axes)
        is_known = np.isfinite(places).all(axis=1)
        codes, class_of_row = np.unique(unseen.y[is_known], return_inverse=True)
        groups = None if unseen.groups is None else unseen.groups[is_known]
        return cls(codes.tolist(), places[is_known], class_of_row, groups)

    def regions(self, gamma: float) -> PlaceRegions:
        """The regions that hold `CONTOUR_SHARES` of each."""
        return PlaceRegions.of(self.places, self.at, CONTOUR_SHARES, self.groups, gamma=gamma)

    def of_code(self, code: int) -> FloatArray:
        """The places of a class."""
        places: FloatArray = self.places[self.at == self.codes.index(code)]
        return places


def with_unseen_rows(
    view: PlaneView,
    unseen: UnseenRows,
    axes: FloatArray,
    *,
    drawn: Sequence[IntArray],
    train: LabeledData,
    gamma: float,
) -> PlaneView:
    """A view of fitted rows as one of unseen places.

    On axes that hold both, unless they would be too small to be seen on these: with far more
    features than rows, planes put the rows that they have not seen close to the middle.

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
    rows = view if unseen.is_held_out else _moved(view, unseen, axes, drawn, train)
    classes = _Classes.of(unseen, axes)
    if len(axes) == 1:
        return _line(view, rows, classes, gamma)
    return _plane(view, rows, classes, gamma)


def _moved(
    view: PlaneView,
    unseen: UnseenRows,
    axes: FloatArray,
    drawn: Sequence[IntArray],
    train: LabeledData,
) -> PlaneView:
    """A view with its rows at their unseen places."""
    points = unseen.along(axes)
    of_class = [unseen.of_rows(points, numbers) for numbers in drawn]
    ways = unseen.of_rows(points, train.row_numbers) - train.X @ axes.T
    rows = in_strips(of_class) if len(axes) == 1 else of_class
    parts = tuple(
        replace(part, train=points_of_class, held_out=np.empty((0, 2)))
        for part, points_of_class in zip(view.classes, rows, strict=True)
    )
    moves = float(np.nanmean(np.linalg.norm(ways, axis=1)))
    return replace(view, classes=parts, moves=moves)


def _plane(view: PlaneView, rows: PlaneView, classes: _Classes, gamma: float) -> PlaneView:
    regions = classes.regions(gamma) if classes.codes else None
    on_grid = regions.on_grid(GRID_LINES) if regions else []
    contours = dict(zip(classes.codes, map(region_lines, on_grid), strict=True))
    lower, upper = box_of_regions(_drawn_rows(rows), [lines for lines, _ in contours.values()])
    views, missing = [], []
    for code, (part, as_fitted) in enumerate(zip(rows.classes, view.classes, strict=True)):
        outlined = replace(part, fitted_region=as_fitted.regions[_OUTLINED])
        if regions is None or code not in contours:
            views.append(replace(outlined, **_NO_REGIONS))
            missing.append((code, CONTOUR_SHARES[0]))
            continue
        places, index = classes.of_code(code), classes.codes.index(code)
        lines, levels = contours[code]
        views.append(
            replace(
                outlined,
                contours=lines,
                levels=levels,
                ellipses=ConfidenceEllipses.of(places),
                centroid=places.mean(axis=0, keepdims=True),
                name_place=_densest(regions, index, places),
            )
        )
        unknown = np.isnan(regions.log_levels[index])
        if unknown.any():
            missing.append((code, CONTOUR_SHARES[int(unknown.argmax())]))
    seen = replace(rows, classes=tuple(views), missing=tuple(missing))
    share = (upper - lower).max() / (view.upper - view.lower).max()
    if share < _LEAST_SIDE and view.arrows.paths is None:
        return _closer(seen, lower, upper, share)
    return _on_both(view, seen, lower, upper)


def _closer(seen: PlaneView, lower: FloatArray, upper: FloatArray, share: float) -> PlaneView:
    """The view of a part of the axes, with arrows that take as much of it as of the whole."""
    arrows = seen.arrows
    tips = arrows.origins + share * (arrows.tips - arrows.origins)
    arrows = replace(arrows, tips=tips, scale=share * arrows.scale)
    return replace(
        seen,
        arrows=arrows,
        lower=np.min([lower, *tips], axis=0),
        upper=np.max([upper, *tips], axis=0),
    )


def held_by_both(fitted: PlaneView, unseen: PlaneView) -> PlaneView:
    """A view as fitted on axes that hold the unseen places as well, so that it does not jump."""
    return _on_both(unseen, fitted, fitted.lower, fitted.upper)


def _line(view: PlaneView, rows: PlaneView, classes: _Classes, gamma: float) -> PlaneView:
    if not classes.codes:
        return view
    rule = DensityRule.of(classes.places, classes.at, gamma=gamma)
    curves = dict(zip(classes.codes, density_curves(rule), strict=True))
    lower, upper = central_box(_drawn_rows(rows), list(curves.values()))
    views = tuple(
        replace(part, contours=curves.get(code, _NO_LINE), fitted_region=as_fitted.contours)
        for code, (part, as_fitted) in enumerate(zip(rows.classes, view.classes, strict=True))
    )
    seen = replace(rows, classes=views, thresholds=threshold_lines(rule))
    return _on_both(view, seen, lower, upper)


def _drawn_rows(view: PlaneView) -> list[FloatArray]:
    """The rows of a view that have a place, by class and part."""
    parts = [rows for part in view.classes for rows in (part.train, part.held_out)]
    return [rows[np.isfinite(rows).all(axis=1)] for rows in parts]


def _on_both(other: PlaneView, view: PlaneView, lower: FloatArray, upper: FloatArray) -> PlaneView:
    """A view on axes that hold a box and another view."""
    low, high = np.minimum(other.lower, lower), np.maximum(other.upper, upper)
    return replace(view, lower=low, upper=high)


def _densest(regions: PlaceRegions, code: int, rows: FloatArray) -> FloatArray:
    """Return the densest place of a class, clear of the others: one of its own places.

    The middle of a class that is a ring, or in two parts, may be amid another one.
    """
    rows = thinned(rows, _MOST_PLACES_OF_A_NAME)
    logs = np.column_stack(
        [regions.log_density(each, rows) for each in range(len(regions.classes.rows))]
    )
    of_class = logs[:, code]
    clear = of_class - np.logaddexp.reduce(logs, axis=1)
    place: FloatArray = rows[int(np.argmax(of_class + clear))]
    return place

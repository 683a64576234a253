"""Draws a panel on matplotlib's axes: contours, points, and arrows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba_array
from matplotlib.patches import PathPatch

from melm_core.base import FloatArray
from melm_studio.figures.publication.marks import INK, ClassMark
from melm_studio.figures.publication.panel import FigurePanel
from melm_studio.figures.publication.regions import loops, region
from melm_studio.views.publication.style import FigureStyle
from melm_studio.views.types import ClassView

# More points than this make a vector graphic slow to open; they become an image within it.
MOST_VECTOR_POINTS = 5_000

_FILL, _LINE, _TRAIN, _HELD_OUT = 0.1, 0.75, 0.8, 0.95
_ABOVE_CONTOURS, _ABOVE_POINTS = 2, 3
_INSET = 0.012  # of a side, so that a mark at the edge is not cut

# Type of this size goes with lines and points of these sizes.
_FONT_PT, _LINE_PT, _ARROW_PT, _HEAD_PT = 8.0, 0.7, 0.9, 6.0
_POINT_PT = ((400, 3.2), (1_000, 2.6), (np.inf, 2.0))  # by the number of points


def draw_layers(
    axes: Axes, panel: FigurePanel, marks: Sequence[ClassMark], style: FigureStyle
) -> None:
    """Draw the layers of a panel that hold no text."""
    unit = style.font / _FONT_PT
    size = unit * point_size(panel)
    is_image = sum(map(len, _all_points(panel))) > MOST_VECTOR_POINTS
    for code, (part, mark) in enumerate(zip(panel.view.classes, marks, strict=True)):
        if "contours" in style.layers and panel.is_shown(code):
            _draw_contours(axes, part, mark, unit)
        if "points" in style.layers:
            train, held_out = panel.opacities(code)
            _draw_points(axes, part.train, mark, size, _TRAIN * train, is_image=is_image)
            _draw_held_out(axes, part.held_out, mark, size, _HELD_OUT * held_out, is_image=is_image)
    if "points" in style.layers and panel.marks_outside:
        _mark_outside(axes, panel, marks, size)
    if "contours" in style.layers:
        _draw_thresholds(axes, panel.view.thresholds, unit)
    if "arrows" in style.layers:
        _draw_arrows(axes, panel, unit)


def point_size(panel: FigurePanel) -> float:
    """Return the diameter of a point in points of type, smaller where there are many."""
    n_points = sum(map(len, _all_points(panel)))
    return next(size for most, size in _POINT_PT if n_points <= most)


def outside(panel: FigurePanel, ranges: FloatArray) -> list[FloatArray]:
    """Return the points of each class beyond the axes, training rows first, (n_points, 2) each."""
    points = [np.concatenate([part.train, part.held_out]) for part in panel.view.classes]
    return [rows[_is_beyond(rows, ranges)] for rows in points]


def drawn_arrows(panel: FigurePanel) -> slice:
    """Return which arrows are drawn, of those of the view."""
    return slice(panel.n_arrows)


def _all_points(panel: FigurePanel) -> list[FloatArray]:
    return [rows for part in panel.view.classes for rows in (part.train, part.held_out)]


def _draw_contours(axes: Axes, part: ClassView, mark: ClassMark, unit: float) -> None:
    """Regions of higher levels lie within those of lower ones: their fills add up."""
    for lines in map(loops, part.regions):
        if lines:
            axes.add_patch(PathPatch(region(lines), facecolor=mark.color, alpha=_FILL, linewidth=0))
    outlines = LineCollection(
        loops(part.contours),
        colors=mark.color,
        alpha=_LINE,
        linewidths=_LINE_PT * unit,
        gid="contours",
    )
    axes.add_collection(outlines, autolim=False)


def _draw_points(
    axes: Axes,
    points: FloatArray,
    mark: ClassMark,
    size: float,
    opacity: FloatArray,
    *,
    is_image: bool,
) -> None:
    axes.scatter(
        points[:, 0],
        points[:, 1],
        s=size**2,
        marker=mark.marker,
        facecolors=to_rgba_array(mark.color, opacity),
        linewidths=0,
        zorder=_ABOVE_CONTOURS,
        rasterized=is_image,
        gid="train",
    )


def _draw_held_out(
    axes: Axes,
    points: FloatArray,
    mark: ClassMark,
    size: float,
    opacity: FloatArray,
    *,
    is_image: bool,
) -> None:
    """Open markers, as large as the filled ones."""
    axes.scatter(
        points[:, 0],
        points[:, 1],
        s=(0.85 * size) ** 2,
        marker=mark.marker,
        facecolors="none",
        edgecolors=list(map(tuple, to_rgba_array(mark.color, opacity))),
        linewidths=0.2 * size,
        zorder=_ABOVE_CONTOURS,
        rasterized=is_image,
        gid="held_out",
    )


def _is_beyond(points: FloatArray, ranges: FloatArray) -> npt.NDArray[np.bool_]:
    is_beyond: npt.NDArray[np.bool_] = (points < ranges[:, 0]) | (points > ranges[:, 1])
    return is_beyond[:, 0] | is_beyond[:, 1]


def _mark_outside(axes: Axes, panel: FigurePanel, marks: Sequence[ClassMark], size: float) -> None:
    """Triangles at the edge that point to rows beyond it, as on the page."""
    ranges = np.array([axes.get_xlim(), axes.get_ylim()])
    inset = _INSET * (ranges[:, 1] - ranges[:, 0])
    for mark, points in zip(marks, outside(panel, ranges), strict=True):
        places = np.clip(points, ranges[:, 0] + inset, ranges[:, 1] - inset)
        across, up = (points - places).T
        angles = np.degrees(np.arctan2(-across, up)).round(-1)  # a marker for each direction
        for angle in np.unique(angles):
            axes.scatter(
                places[angles == angle, 0],
                places[angles == angle, 1],
                s=(1.3 * size) ** 2,
                marker=(3, 0, int(angle)),
                facecolors=mark.color,
                linewidths=0,
                zorder=_ABOVE_POINTS,
                gid="outside",
            )


def _draw_thresholds(axes: Axes, thresholds: FloatArray, unit: float) -> None:
    if len(thresholds):
        axes.plot(*thresholds.T, color=INK, linewidth=_LINE_PT * unit, linestyle=(0, (4, 3)))


def _draw_arrows(axes: Axes, panel: FigurePanel, unit: float) -> None:
    arrows, drawn = panel.view.arrows, drawn_arrows(panel)
    for origin, tip in zip(arrows.origins[drawn], arrows.tips[drawn], strict=True):
        arrow = axes.annotate(
            "",
            xy=tip,
            xytext=origin,
            annotation_clip=False,
            zorder=_ABOVE_POINTS,
            arrowprops={
                "arrowstyle": "-|>,head_length=0.4,head_width=0.18",
                "mutation_scale": _HEAD_PT * unit,
                "linewidth": _ARROW_PT * unit,
                "color": INK,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        if arrow.arrow_patch is not None:  # ends at the edge of a picture that is zoomed in
            arrow.arrow_patch.set_clip_path(axes.patch)

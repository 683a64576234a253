"""Draws a panel on matplotlib's axes: contours, points, and arrows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba_array
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from melm_core.base import FloatArray
from melm_studio.figures.publication.marks import INK, ClassMark
from melm_studio.figures.publication.panel import FigurePanel
from melm_studio.figures.publication.regions import loops, regions
from melm_studio.views.publication.style import FigureStyle

# More points than this make a vector graphic slow to open; they become an image within it.
MOST_VECTOR_POINTS = 5_000

_FILL, _LINE, _TRAIN, _HELD_OUT = 0.1, 0.75, 0.8, 0.95
_ABOVE_CONTOURS, _ABOVE_POINTS = 2, 3

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
            _draw_contours(axes, part.contours, mark, unit, is_line=not panel.has_equal_units)
        if "points" in style.layers:
            train, held_out = panel.opacities(code)
            _draw_points(axes, part.train, mark, size, _TRAIN * train, is_image=is_image)
            _draw_held_out(axes, part.held_out, mark, size, _HELD_OUT * held_out, is_image=is_image)
    if "contours" in style.layers:
        _draw_thresholds(axes, panel.view.thresholds, unit)
    if "arrows" in style.layers:
        _draw_arrows(axes, panel, unit)


def point_size(panel: FigurePanel) -> float:
    """Return the diameter of a point in points of type, smaller where there are many."""
    n_points = sum(map(len, _all_points(panel)))
    return next(size for most, size in _POINT_PT if n_points <= most)


def drawn_arrows(panel: FigurePanel) -> slice:
    """Return which arrows are drawn, of those of the view."""
    return slice(panel.n_arrows)


def _all_points(panel: FigurePanel) -> list[FloatArray]:
    return [rows for part in panel.view.classes for rows in (part.train, part.held_out)]


def _draw_contours(
    axes: Axes, contours: FloatArray, mark: ClassMark, unit: float, *, is_line: bool
) -> None:
    lines = loops(contours)
    # The density of one component is a single line, whichever way it runs.
    filled = [Path(line, closed=True) for line in lines] if is_line else regions(lines)
    for region in filled:
        axes.add_patch(PathPatch(region, facecolor=mark.color, alpha=_FILL, linewidth=0))
    outlines = LineCollection(
        lines, colors=mark.color, alpha=_LINE, linewidths=_LINE_PT * unit, gid="contours"
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


def _draw_thresholds(axes: Axes, thresholds: FloatArray, unit: float) -> None:
    if len(thresholds):
        axes.plot(*thresholds.T, color=INK, linewidth=_LINE_PT * unit, linestyle=(0, (4, 3)))


def _draw_arrows(axes: Axes, panel: FigurePanel, unit: float) -> None:
    arrows, drawn = panel.view.arrows, drawn_arrows(panel)
    for origin, tip in zip(arrows.origins[drawn], arrows.tips[drawn], strict=True):
        axes.annotate(
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

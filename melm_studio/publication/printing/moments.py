"""Draws means of classes, and ellipses of classes and means, on matplotlib's axes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from melm_core.base import FloatArray
from melm_studio.planes.types import ClassView
from melm_studio.publication.printing.marks import ClassMark
from melm_studio.publication.printing.panel import FigurePanel
from melm_studio.publication.style import Layer

_ABOVE_POINTS = 3
DASHES = (0, (4, 2))
# In points of type, at the size of type that goes with them.
_LINE_PT, _EDGE_PT, _MARK_PT = 0.9, 0.7, 6.0


def draw_moments(
    axes: Axes,
    panel: FigurePanel,
    marks: Sequence[ClassMark],
    layers: Collection[Layer],
    unit: float,
) -> None:
    """Draw those of the layers that describe the classes by their means and covariances.

    Parameters
    ----------
    axes : Axes
    panel : FigurePanel
    marks : sequence of ClassMark
    layers : collection of str
        Of these, "class_ellipses", "mean_ellipses" and "centroids" are drawn.
    unit : float
        The size of lines and marks, relative to the default.
    """
    for code, (part, mark) in enumerate(zip(panel.view.classes, marks, strict=True)):
        if panel.is_shown(code):
            _draw_class(axes, part, mark, layers, unit)


def _draw_class(
    axes: Axes, part: ClassView, mark: ClassMark, layers: Collection[Layer], unit: float
) -> None:
    if "class_ellipses" in layers:
        _outline(axes, part.outline("rows"), mark, unit).set(linestyle=DASHES, gid="class_ellipses")
    if "mean_ellipses" in layers:
        _outline(axes, part.outline("mean"), mark, unit).set(gid="mean_ellipses")
    if "centroids" in layers and len(part.centroid):
        axes.scatter(
            part.centroid[:, 0],
            part.centroid[:, 1],
            s=(_MARK_PT * unit) ** 2,
            marker="P",
            facecolors=mark.color,
            edgecolors="white",
            linewidths=_EDGE_PT * unit,
            zorder=_ABOVE_POINTS,
            gid="centroids",
        )


def _outline(axes: Axes, outline: FloatArray, mark: ClassMark, unit: float) -> Line2D:
    (line,) = axes.plot(
        *outline.T, color=mark.color, linewidth=_LINE_PT * unit, zorder=_ABOVE_POINTS
    )
    return line

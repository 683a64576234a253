"""Layout of the panels and the legend of a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from melm_core.base import FloatArray
from melm_studio.publication.printing.names import one_line
from melm_studio.publication.printing.panel import (
    FAINT_INK,
    INK,
    MARKERS,
    ClassMark,
    FigurePanel,
    class_marks,
)
from melm_studio.publication.style import FigureStyle

HELD_OUT = "held out"
_LONGEST = 32
_MARKER = 0.65  # of the size of the type
_GAP_PT = 4.0
_Entry = tuple[str, ClassMark, bool]  # name, mark, whether the marker is filled


@dataclass(frozen=True)
class Box:
    """A rectangle in points, from the lower left corner of the figure."""

    left: float
    bottom: float
    width: float
    height: float

    def inside(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Return the rectangle without margins."""
        return Box(
            self.left + left,
            self.bottom + bottom,
            self.width - left - right,
            self.height - bottom - top,
        )


def grid(area: Box, n: int, gap: float) -> list[Box]:
    """Divide an area among panels, in as many columns as makes them largest.

    Parameters
    ----------
    area : Box
    n : int
        Number of panels.
    gap : float
        Points between them.

    Returns
    -------
    list of Box
        By row, the top row first.
    """
    n_columns = max(range(1, n + 1), key=lambda columns: min(_cell(area, n, columns, gap)))
    width, height = _cell(area, n, n_columns, gap)
    return [
        Box(
            area.left + (i % n_columns) * (width + gap),
            area.bottom + area.height - height - (i // n_columns) * (height + gap),
            width,
            height,
        )
        for i in range(n)
    ]


def _cell(area: Box, n: int, n_columns: int, gap: float) -> tuple[float, float]:
    """Width and height of a panel."""
    n_rows = -(-n // n_columns)
    return (
        (area.width - (n_columns - 1) * gap) / n_columns,
        (area.height - (n_rows - 1) * gap) / n_rows,
    )


def with_equal_units(box: FloatArray, width: float, height: float) -> FloatArray:
    """Widen ranges about their middles until a unit is as long on both axes, as the page does.

    Parameters
    ----------
    box : ndarray of shape (2, 2)
        [[x low, x high], [y low, y high]].
    width, height : float
        Lengths of the axes.
    """
    lengths = np.array([width, height])
    unit = float(np.max((box[:, 1] - box[:, 0]) / lengths))
    half, middle = unit * lengths / 2, box.mean(axis=1)
    return np.column_stack([middle - half, middle + half])


@dataclass(frozen=True)
class _Content:
    """The entries of a legend, and the columns that they are values of."""

    entries: list[_Entry]
    heading: str


def add_legend(
    figure: Figure,
    page: Box,
    panels: Sequence[FigurePanel],
    style: FigureStyle,
    drawable: Callable[[str], str],
) -> Box:
    """Add the legend, and return the area that it leaves for the panels."""
    content = _Content(_entries(panels, style), _columns(panels))
    if style.legend == "none" or not content.entries:
        return page
    legend = _legend(figure, content, 1, style, drawable)
    if style.legend == "below":
        legend = _as_wide_as_fits(figure, content, page.width, style, drawable)
    figure.add_artist(legend)
    width, height = _extent(legend, figure)
    if style.legend == "below":
        return page.inside(0, height + _GAP_PT, 0, 0)
    return page.inside(0, 0, width + _GAP_PT, 0)


def _as_wide_as_fits(
    figure: Figure,
    content: _Content,
    width: float,
    style: FigureStyle,
    drawable: Callable[[str], str],
) -> Legend:
    """Return the legend with as many columns as the page has room for."""
    legend = _legend(figure, content, 1, style, drawable)
    n_columns = min(len(content.entries), max(1, int(3 * width // _extent(legend, figure)[0])))
    while n_columns > 1:
        legend = _legend(figure, content, n_columns, style, drawable)
        if _extent(legend, figure)[0] <= width:
            return legend
        n_columns -= 1
    return _legend(figure, content, 1, style, drawable)


def _entries(panels: Sequence[FigurePanel], style: FigureStyle) -> list[_Entry]:
    """List the classes, or the values of columns, and the marker of held-out rows."""
    colors, shapes = panels[0].colors, panels[0].shapes
    shown = _classes(panels, style) if colors is None else []
    if colors is not None:
        shown = [(entry.text, ClassMark(entry.mark, "o"), True) for entry in colors.marks.legend]
    if shapes is not None:
        shown += [
            (entry.text, ClassMark(INK, MARKERS[entry.mark]), True) for entry in shapes.marks.legend
        ]
    has_held_out = any(len(part.held_out) for panel in panels for part in panel.view.classes)
    if has_held_out and "points" in style.layers:
        shown.append((HELD_OUT, ClassMark(FAINT_INK, "o"), False))
    return shown


def _classes(panels: Sequence[FigurePanel], style: FigureStyle) -> list[_Entry]:
    """List the classes that a panel shows in full."""
    names = panels[0].class_names
    return [
        (name, mark, True)
        for code, (name, mark) in enumerate(zip(names, class_marks(len(names), style), strict=True))
        if any(panel.is_shown(code) for panel in panels)
    ]


def _columns(panels: Sequence[FigurePanel]) -> str:
    """Name the columns that give points their colors and shapes."""
    columns = {"Color": panels[0].colors, "shape": panels[0].shapes}
    named = [f"{what}: {marks.name}" for what, marks in columns.items() if marks is not None]
    text = ", ".join(named)
    return text[:1].upper() + text[1:]


def _legend(
    figure: Figure,
    content: _Content,
    n_columns: int,
    style: FigureStyle,
    drawable: Callable[[str], str],
) -> Legend:
    size = _MARKER * style.font
    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker=mark.marker,
            markersize=size,
            color=mark.color,
            fillstyle="full" if is_filled else "none",
            markeredgewidth=0 if is_filled else 0.15 * size,
        )
        for _, mark, is_filled in content.entries
    ]
    legend = Legend(
        figure,
        handles,
        [
            f"entry {i}" for i in range(len(content.entries))
        ],  # replaced below: names may hold markup
        loc="lower center" if style.legend == "below" else "center right",
        ncols=n_columns,
        frameon=False,
        borderaxespad=0.3,
        borderpad=0.2,
        handletextpad=0.2,
        columnspacing=1.0,
        handlelength=1.2,
        labelspacing=0.3,
    )
    for text, (name, _, _) in zip(legend.get_texts(), content.entries, strict=True):
        text.set_parse_math(False)
        text.set_text(drawable(one_line(name, _LONGEST)))
    if content.heading:
        legend.set_title("columns")
        legend.get_title().set_parse_math(False)
        legend.get_title().set_text(drawable(one_line(content.heading, 2 * _LONGEST)))
    return legend


def _extent(legend: Legend, figure: Figure) -> tuple[float, float]:
    """Width and height in points."""
    box = legend.get_window_extent()
    scale = 72.0 / float(figure.dpi)
    return box.width * scale, box.height * scale

"""SVG pictures of panels with bars, lines and points."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from melm_core.base import FloatArray

# The palette of Okabe and Ito, which is safe for color-blind readers.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442", "#000000")
_INK, _FRAME = "#444", "#bbb"
_WIDTH, _HEIGHT = 240, 180
_MARGIN_LEFT, _MARGIN_TOP, _MARGIN_BOTTOM, _MARGIN_RIGHT = 46, 26, 34, 10
_MARGIN_SHARE = 0.03


@dataclass(frozen=True, eq=False)
class Line:
    """A polyline through vertices, shape (n_vertices, 2); a row of NaN starts a new line."""

    vertices: FloatArray
    color: str = COLORS[0]
    is_dashed: bool = False


@dataclass(frozen=True, eq=False)
class Points:
    """Dots at places, shape (n_points, 2)."""

    places: FloatArray
    color: str = COLORS[0]


@dataclass(frozen=True, eq=False)
class Bars:
    """Bars of `heights` (n,) between neighboring `edges` (n + 1,)."""

    edges: FloatArray
    heights: FloatArray
    color: str = COLORS[0]


Mark = Line | Points | Bars
Place = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Panel:
    """Marks in a frame; the axes show the smallest and largest values.

    A panel without marks has no frame, only a legend.
    """

    title: str
    marks: Sequence[Mark] = field(default=())
    x_label: str = ""
    with_axes: bool = True
    legend: Sequence[tuple[str, str]] = ()


def picture(panels: Sequence[Panel], n_columns: int = 5, *, scale: float = 1.0) -> str:
    """Arrange panels in rows of `n_columns`, scaled by `scale`; empty without panels."""
    if not panels:
        return ""
    width, height = _WIDTH * scale, _HEIGHT * scale
    n_columns = min(n_columns, len(panels))
    n_rows = -(-len(panels) // n_columns)
    drawn = [
        f'<g transform="translate({i % n_columns * width:.0f} {i // n_columns * height:.0f})">'
        f"{_panel(panel, width, height)}</g>"
        for i, panel in enumerate(panels)
    ]
    size = f"{n_columns * width:.0f} {n_rows * height:.0f}"
    head = (
        f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{n_columns * width:.0f}"'
    )
    font = 'font-family="system-ui, sans-serif" font-size="11"'
    background = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([f"<svg {head} {font}>", background, *drawn, "</svg>"]) + "\n"


def _panel(panel: Panel, width: float, height: float) -> str:
    inner = np.array([width - _MARGIN_LEFT - _MARGIN_RIGHT, height - _MARGIN_TOP - _MARGIN_BOTTOM])
    legend = [
        _text(_MARGIN_LEFT + 6, _MARGIN_TOP + 14 + 13 * i, word, "start", color)
        for i, (word, color) in enumerate(panel.legend)
    ]
    return "\n".join([*(_framed_marks(panel, inner) if panel.marks else ()), *legend])


def _framed_marks(panel: Panel, inner: FloatArray) -> list[str]:
    lower, upper = _bounds(panel)

    def placed(points: FloatArray) -> FloatArray:
        share = (points - lower) / (upper - lower)
        flipped = np.column_stack([share[:, 0], 1.0 - share[:, 1]])
        result: FloatArray = flipped * inner + (_MARGIN_LEFT, _MARGIN_TOP)
        return result

    return [
        f'<rect x="{_MARGIN_LEFT}" y="{_MARGIN_TOP}" width="{inner[0]:.0f}" '
        f'height="{inner[1]:.0f}" fill="none" stroke="{_FRAME}"/>',
        _text(_MARGIN_LEFT + inner[0] / 2, _MARGIN_TOP - 8, panel.title, "middle"),
        *(_mark(mark, placed) for mark in panel.marks),
        *(_axes(panel, lower, upper, inner) if panel.with_axes else ()),
    ]


def _axes(panel: Panel, lower: FloatArray, upper: FloatArray, inner: FloatArray) -> list[str]:
    left, right = _MARGIN_LEFT, _MARGIN_LEFT + inner[0]
    top, bottom = _MARGIN_TOP, _MARGIN_TOP + inner[1]
    return [
        _text(left, bottom + 14, f"{lower[0]:.3g}", "start"),
        _text(right, bottom + 14, f"{upper[0]:.3g}", "end"),
        _text((left + right) / 2, bottom + 26, panel.x_label, "middle"),
        _text(left - 4, bottom, f"{lower[1]:.3g}", "end"),
        _text(left - 4, top + 10, f"{upper[1]:.3g}", "end"),
    ]


def _mark(mark: Mark, placed: Place) -> str:
    if isinstance(mark, Line):
        return _line(mark, placed)
    return _points(mark, placed) if isinstance(mark, Points) else _bars(mark, placed)


def _line(line: Line, placed: Place) -> str:
    pieces = np.split(line.vertices, np.flatnonzero(np.isnan(line.vertices).any(axis=1)))
    paths = []
    for piece in pieces:
        whole = piece[~np.isnan(piece).any(axis=1)]
        if len(whole) > 1:
            paths.append("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in placed(whole)))
    dashes = ' stroke-dasharray="4 3"' if line.is_dashed else ""
    return f'<path d="{"".join(paths)}" fill="none" stroke="{line.color}"{dashes}/>'


def _points(points: Points, placed: Place) -> str:
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in placed(points.places))
    style = f'stroke="{points.color}" stroke-width="2.6" stroke-linecap="round" opacity="0.6"'
    return f'<path d="{dots}" fill="none" {style}/>'


def _bars(bars: Bars, placed: Place) -> str:
    lower = placed(np.column_stack([bars.edges[:-1], np.zeros(len(bars.heights))]))
    upper = placed(np.column_stack([bars.edges[1:], bars.heights]))
    boxes = "".join(
        f"M{x0:.1f} {y0:.1f}H{x1:.1f}V{y1:.1f}H{x0:.1f}Z"
        for (x0, y0), (x1, y1) in zip(lower, upper, strict=True)
    )
    return f'<path d="{boxes}" fill="{bars.color}"/>'


def _bounds(panel: Panel) -> tuple[FloatArray, FloatArray]:
    """Corners of the bounding box of all marks, with a margin if there are no axes."""
    corners = np.concatenate([_extent(mark) for mark in panel.marks])
    lower, upper = np.nanmin(corners, axis=0), np.nanmax(corners, axis=0)
    margin = np.where(
        upper > lower, 0.0 if panel.with_axes else _MARGIN_SHARE * (upper - lower), 0.5
    )
    return lower - margin, upper + margin


def _extent(mark: Mark) -> FloatArray:
    if isinstance(mark, Line):
        return mark.vertices
    if isinstance(mark, Points):
        return mark.places
    return np.array([[mark.edges[0], 0.0], [mark.edges[-1], mark.heights.max()]])


def _text(x: float, y: float, words: str, anchor: str, color: str = _INK) -> str:
    place = f'x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{color}"'
    return f"<text {place}>{html.escape(words)}</text>"

"""Prints figures, one panel or several with one legend, and trees of planes, as PDF, SVG or PNG."""

from __future__ import annotations

import gc
import io
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, PercentFormatter

from melm_core.base import UserError
from melm_studio.abandonment import go_on
from melm_studio.analyses.tree import Height, TreeArrays
from melm_studio.publication.printing.axes import draw_layers, outside
from melm_studio.publication.printing.layout import Box, add_legend, grid, with_equal_units
from melm_studio.publication.printing.names import (
    drawable,
    font_families,
    one_line,
    without_glyphs,
    write_names,
)
from melm_studio.publication.printing.panel import FRAME, INK, FigurePanel, class_marks
from melm_studio.publication.style import FORMATS, MM_PER_INCH, FigureFormat, FigureStyle
from melm_studio.tables import count

POINTS_PER_INCH = 72.0

# Text is measured at this resolution, whatever that of the file.
_LAYOUT_DPI = 300

_MARGIN_PT = 3.0
_SMALLEST_PT = 40.0  # a side of a panel
_LINE_HEIGHT = 1.35  # of the size of the type
_NUMBER_WIDTH = 2.8  # of numbers beside an axis, of the size of the type
_NUMBER_ROOM = 3.5  # between two numbers of an axis
_MOST_NUMBERS = 6
_TICK_PT, _TICK_WIDTH_PT = 2.0, 0.6
_WAIT_S = 20.0

# Matplotlib's settings and fonts are shared by all threads, so figures are drawn one at a time.
_turn = Lock()

_NO_ROOM = (
    "At {width:g} x {height:g} mm the legend and the titles leave no room for the plot. Enlarge "
    "the figure, choose smaller type, or leave out the legend."
)
_BUSY = "Other figures are being drawn. Try again in a moment."
_NO_PANEL = "A figure has at least one panel. The number supplied was 0."
_MISSING = (
    "No font here has {characters}, so this file shows a box instead. An SVG keeps the characters."
)
_INK, _FAINT, _BAND = "#212529", "#868e96", "#d9dcdf"
_MARKERS = "osD^PX*h"
_STYLE = FigureStyle(font=8)
_TITLES = {Height.ACCURACY: "held-out accuracy", Height.DIVERGENCE: "divergence (nats)"}
_LETTER_PT = 5.0


@dataclass(frozen=True)
class PrintedFigure:
    """A figure as a file.

    Attributes
    ----------
    content : bytes
    notes : tuple of str
        Sentences on what differs from the page.
    """

    content: bytes
    notes: tuple[str, ...] = ()


def print_figure(
    panels: Sequence[FigurePanel], style: FigureStyle, file_format: FigureFormat = "pdf"
) -> PrintedFigure:
    """Return a figure as a file; equal input gives equal bytes.

    Parameters
    ----------
    panels : sequence of FigurePanel
    style : FigureStyle
    file_format : str
        "pdf" (fonts embedded), "svg" or "png". In PDF and SVG text stays text.

    Raises
    ------
    UserError
        If the legend leaves no room for the panels, or other figures are being drawn.
    """
    missing = without_glyphs(_texts(panels)) if file_format != "svg" else ""
    with freed_figures(), print_settings(style):
        content, outside_note = _printed(panels, style, file_format, drawable if missing else str)
    missing_note = _MISSING.format(characters=" ".join(missing)) if missing else ""
    return PrintedFigure(content, tuple(filter(None, (missing_note, outside_note))))


def _printed(
    panels: Sequence[FigurePanel],
    style: FigureStyle,
    file_format: FigureFormat,
    shown: Callable[[str], str],
) -> tuple[bytes, str]:
    figure = _drawn(panels, style, shown)
    file = io.BytesIO()
    figure.savefig(
        file,
        format=file_format,
        dpi=style.dpi,
        transparent=style.background == "transparent",
        metadata=_undated(file_format),
    )
    return file.getvalue(), _outside_note(panels, figure)


@contextmanager
def freed_figures() -> Generator[None]:
    """Free the figures that a function called within has drawn and not returned.

    A figure is a cycle of references to tens of megabytes of pixels. Python counts objects, not
    bytes, so it would leave hundreds of megabytes until it next looks for cycles.
    """
    try:
        yield
    finally:
        gc.collect()


def save_figure(
    path: str | Path, panels: Sequence[FigurePanel], style: FigureStyle | None = None
) -> tuple[str, ...]:
    """Save a figure as a file, and return notes on it.

    Parameters
    ----------
    path : str or Path
        Ends with ".pdf", ".svg" or ".png".
    panels : sequence of FigurePanel
    style : FigureStyle, optional

    Returns
    -------
    tuple of str
        Sentences on what differs from the page.

    Raises
    ------
    UserError
        If the path has another ending, or as `print_figure` does.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from melm_studio.publication.printing import FigureStyle, panel_of_rows, save_figure
    >>> iris = load_iris()
    >>> X = iris.data - iris.data.mean(axis=0)
    >>> panel = panel_of_rows(
    ...     X,
    ...     iris.target,
    ...     PCA(n_components=2).fit(X).components_,
    ...     feature_names=iris.feature_names,
    ...     class_names=iris.target_names,
    ... )
    >>> save_figure(f"{tempfile.mkdtemp()}/iris.pdf", [panel], FigureStyle(width=85, height=70))
    ()
    """
    ending = Path(path).suffix.removeprefix(".").lower()
    for file_format in FORMATS:
        if ending == file_format:
            printed = print_figure(panels, style or FigureStyle(), file_format)
            Path(path).write_bytes(printed.content)
            return printed.notes
    raise UserError(
        f"A figure is saved as one of {', '.join(FORMATS)}. The name supplied was {str(path)!r}."
    )


def draw_figure(panels: Sequence[FigurePanel], style: FigureStyle) -> Figure:
    """Return a figure as matplotlib's, to be changed further.

    Raises
    ------
    UserError
        As `print_figure` does.
    """
    with print_settings(style):
        return _drawn(panels, style, str)


@contextmanager
def print_settings(style: FigureStyle) -> Generator[None]:
    """Settings of matplotlib for figures of a style, for one thread at a time."""
    if not _turn.acquire(timeout=_WAIT_S):
        raise UserError(_BUSY)
    settings: dict[str, Any] = {
        "font.family": font_families(),
        "font.size": style.font,
        "pdf.fonttype": 42,  # TrueType, which stays text that can be searched and edited
        "svg.fonttype": "none",
        "svg.hashsalt": "",  # ids that do not change from one file to the next
        "axes.edgecolor": FRAME,
        "axes.linewidth": 0.6,
        "text.color": INK,
    }
    try:
        with warnings.catch_warnings(), matplotlib.style.context(["default", settings]):
            # Text of an SVG is measured in a font of this machine and drawn in one of the reader's.
            warnings.filterwarnings("ignore", message=r"Glyph .* missing from font")
            yield
    finally:
        _turn.release()


def _drawn(
    panels: Sequence[FigurePanel], style: FigureStyle, shown: Callable[[str], str]
) -> Figure:
    if not panels:
        raise UserError(_NO_PANEL)
    size = (style.width / MM_PER_INCH, style.height / MM_PER_INCH)
    figure = Figure(figsize=size, dpi=_LAYOUT_DPI)
    FigureCanvasAgg(figure)
    page = Box(0, 0, *(POINTS_PER_INCH * side for side in size)).inside(*(4 * [_MARGIN_PT]))
    area = add_legend(figure, page, panels, style, shown)
    for panel, cell in zip(panels, grid(area, len(panels), style.font), strict=True):
        go_on()
        _draw_panel(figure, panel, cell, style, shown)
    return figure


def _draw_panel(
    figure: Figure, panel: FigurePanel, cell: Box, style: FigureStyle, shown: Callable[[str], str]
) -> None:
    line = _LINE_HEIGHT * style.font
    has_title = style.panel_titles and bool(panel.title)
    titles = panel.axis_titles if style.axis_titles else ("", "")
    beside, below = (line if title else 0.0 for title in (titles[1], titles[0]))
    box = cell.inside(beside, below, 0, line if has_title else 0)
    inner = box.inside(_NUMBER_WIDTH * style.font, line, 0, 0)
    has_numbers = style.axis_titles and min(inner.width, inner.height) >= _SMALLEST_PT
    box = inner if has_numbers else box
    if min(box.width, box.height) < _SMALLEST_PT:
        raise UserError(_NO_ROOM.format(width=style.width, height=style.height))
    axes = figure.add_axes(_fractions(figure, box), xticks=[], yticks=[])
    axes.patch.set_visible(False)
    ranges = panel.box
    if panel.has_equal_units:
        ranges = with_equal_units(ranges, box.width, box.height)
    axes.set(xlim=ranges[0], ylim=ranges[1])
    if has_numbers:
        _number(axes, box, style, is_plane=panel.has_equal_units)
    marks = class_marks(len(panel.class_names), style)
    draw_layers(axes, panel, marks, style)
    write_names(axes, panel, marks, style, shown)
    _write_titles(axes, (titles[0], titles[1]), panel.title if has_title else "", shown)


def _number(axes: Axes, box: Box, style: FigureStyle, *, is_plane: bool) -> None:
    """Number both axes, as far apart as the type has room for; below a density there is none."""
    for axis, length in ((axes.xaxis, box.width), (axes.yaxis, box.height)):
        most = max(1, min(_MOST_NUMBERS, int(length / (_NUMBER_ROOM * style.font))))
        low, high = axis.get_view_interval()
        least = low if is_plane or axis is axes.xaxis else 0.0
        numbers = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(low, high)
        axis.set_ticks([each for each in numbers if least <= each <= high])
    axes.tick_params(
        length=_TICK_PT, width=_TICK_WIDTH_PT, color=FRAME, labelcolor=INK, pad=_TICK_PT
    )


def _write_titles(
    axes: Axes, titles: tuple[str, str], heading: str, shown: Callable[[str], str]
) -> None:
    horizontal, vertical = (shown(one_line(title)) for title in titles)
    axes.set_xlabel(horizontal, labelpad=2, parse_math=False)
    axes.set_ylabel(vertical, labelpad=2, parse_math=False)
    axes.set_title(
        shown(one_line(heading, 80)), loc="left", pad=3, fontsize="medium", parse_math=False
    )


def _fractions(figure: Figure, box: Box) -> tuple[float, float, float, float]:
    width, height = (POINTS_PER_INCH * side for side in figure.get_size_inches())
    return (box.left / width, box.bottom / height, box.width / width, box.height / height)


def _texts(panels: Sequence[FigurePanel]) -> list[str]:
    """Return all text of a figure."""
    return [
        one_line(text)
        for panel in panels
        for text in (
            *panel.class_names,
            *panel.view.arrows.labels,
            panel.title,
            *panel.axis_titles,
        )
    ]


def _outside_note(panels: Sequence[FigurePanel], figure: Figure) -> str:
    """Say how many rows lie beyond the axes, where these have a mark."""
    n_outside = sum(
        len(points)
        for panel, axes in zip(panels, figure.axes, strict=True)
        if panel.marks_outside
        for points in outside(panel, np.array([axes.get_xlim(), axes.get_ylim()]))
    )
    return f"{count(n_outside, 'row')} outside, at the edge." if n_outside else ""


def _undated(file_format: FigureFormat) -> dict[str, Any]:
    """Metadata without the time, so that equal figures are equal files."""
    return {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}[file_format]


@dataclass(frozen=True, eq=False)
class TreePanel:
    """A tree to print.

    Attributes
    ----------
    title : str
    arrays : TreeArrays
    height : Height
    guessing : float
        The accuracy of guessing.
    """

    title: str
    arrays: TreeArrays
    height: Height
    guessing: float


def print_trees(
    panels: Sequence[TreePanel], size: tuple[float, float], file_format: FigureFormat = "svg"
) -> bytes:
    """Return trees side by side as a file.

    Parameters
    ----------
    panels : sequence of TreePanel
    size : tuple of float
        Width and height in mm.
    file_format : "svg", "pdf" or "png"
    """
    with freed_figures(), print_settings(_STYLE):
        return _printed_trees(panels, size, file_format)


def _printed_trees(
    panels: Sequence[TreePanel], size: tuple[float, float], file_format: FigureFormat
) -> bytes:
    width, height = (side / MM_PER_INCH for side in size)
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    places = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, panel in zip(places, panels, strict=True):
        _draw(axes, panel)
    file = io.BytesIO()
    metadata = {"Date": None} if file_format == "svg" else {}
    figure.savefig(file, format=file_format, dpi=200, metadata=metadata)
    return file.getvalue()


def _draw(axes: Axes, panel: TreePanel) -> None:
    tree = panel.arrays
    _set_axes(axes, panel)
    has_noise = np.isfinite(tree.noise).any(axis=0)
    if has_noise.any():
        noise = tree.noise[:, has_noise]
        low, high = np.nanmin(noise, axis=0), np.nanmax(noise, axis=0)
        axes.fill_between(tree.gammas[has_noise], low, high, color=_BAND, linewidth=0)
    if panel.height is Height.ACCURACY:
        axes.axhline(panel.guessing, color=_FAINT, linewidth=0.7, linestyle=":")
    _draw_merges(axes, tree)
    first = {planes[0]: letter for letter, planes in tree.named.items()}
    for branch in tree.branches:
        letter = next((first[plane] for plane in branch if plane in first), None)
        _draw_branch(axes, tree, list(branch), letter)


def _set_axes(axes: Axes, panel: TreePanel) -> None:
    gammas = panel.arrays.gammas
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(gammas.tolist()))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([f"{gamma:g}" for gamma in gammas])
    axes.set_xlabel("kernel width γ")
    axes.set_ylabel(_TITLES[panel.height])
    axes.set_title(panel.title, loc="left", fontsize="medium", parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    if panel.height is Height.ACCURACY:
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    else:
        axes.set_yscale("log")


def _draw_merges(axes: Axes, tree: TreeArrays) -> None:
    continued = {pair for branch in tree.branches for pair in pairwise(branch)}
    leads = {(i, int(to)) for i, to in enumerate(tree.narrowing) if to >= 0}
    leads |= {(int(to), i) for i, to in enumerate(tree.widening) if to >= 0}
    for pair in sorted(leads - continued):
        ends = list(pair)
        axes.plot(
            tree.gammas[tree.widths[ends]], tree.heights[ends], ":", color=_FAINT, linewidth=0.6
        )


def _draw_branch(axes: Axes, tree: TreeArrays, branch: list[int], letter: str | None) -> None:
    x, y = tree.gammas[tree.widths[branch]], tree.heights[branch]
    if letter is None:
        axes.plot(x, y, "o-", color=_FAINT, markersize=2, linewidth=0.6)
        return
    marker = _MARKERS[(ord(letter) - ord("A")) % len(_MARKERS)]
    axes.plot(x, y, f"{marker}-", color=_INK, markersize=4, linewidth=1.3, zorder=3)
    best = int(np.argmax(y))
    axes.annotate(
        letter,
        (x[best], y[best]),
        xytext=(0, _LETTER_PT),
        textcoords="offset points",
        ha="center",
        annotation_clip=False,
        weight="bold",
    )

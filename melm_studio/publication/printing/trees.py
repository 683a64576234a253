"""Trees of planes in print, side by side."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter

from melm_studio.analyses.tree import Height, TreeArrays
from melm_studio.publication.printing.draw import freed_figures, print_settings
from melm_studio.publication.style import MM_PER_INCH, FigureFormat, FigureStyle

_INK, _FAINT, _BAND = "#212529", "#868e96", "#d9dcdf"
_MARKERS = "osD^PX*h"
_STYLE = FigureStyle(font=8)
_TITLES = {Height.ACCURACY: "held-out accuracy", Height.DIVERGENCE: "divergence (nats)"}
_LETTER_PT = 5.0


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
        return _printed(panels, size, file_format)


def _printed(
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

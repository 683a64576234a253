"""Points colored and shaped by any column of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from melm_core.base import FloatArray
from melm_studio.figures.theme import THEMES, Scheme

# Whole numbers with at most this many values are categories: batches, days, doses.
MAX_CATEGORIES = 8

# Outliers of a column do not compress the colors of the others.
_CENTRAL = (0.01, 0.99)

# From cividis (Nuñez, Anderton and Renslow, 2018), whose order color-blind readers see too, without
# the end that is close to the background.
_SCALES = {
    Scheme.LIGHT: ("#00224e", "#35456c", "#666970", "#948e77", "#c8b866"),
    Scheme.DARK: ("#4a6ea9", "#7f8ca0", "#a5a18f", "#cfbf70", "#fee838"),
}
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down")
_OTHER = "other"
_MISSING = "missing"


class LegendEntry(Struct, frozen=True):
    """A value in the legend: its text, and the color or symbol that stands for it."""

    text: str
    mark: str


class Marks(Struct, frozen=True):
    """The colors or symbols of points.

    Attributes
    ----------
    marks : tuple of tuple of str
        One for each point of each trace.
    legend : tuple of LegendEntry
        Of a number, the lowest and highest color with those between.
    is_scale : bool
        Whether the legend is a scale of numbers.
    """

    marks: tuple[tuple[str, ...], ...]
    legend: tuple[LegendEntry, ...]
    is_scale: bool


def point_colors(traces: Sequence[pd.Series], scheme: Scheme) -> Marks:
    """Color points by the values of a column.

    Parameters
    ----------
    traces : sequence of Series
        The values of the points of each trace, numbers or texts.
    scheme : Scheme
    """
    values = pd.concat(list(traces))
    theme = THEMES[scheme]
    if _is_category(values):
        return _by_category(traces, values, theme.class_colors, theme.faint_ink)
    return _by_number(traces, values, scheme)


def point_symbols(traces: Sequence[pd.Series]) -> Marks:
    """Shape points by the values of a column; numbers by their quarters."""
    values = pd.concat(list(traces))
    if not _is_category(values):
        bins = pd.qcut(values, 4, duplicates="drop")
        labels = bins.cat.rename_categories(
            [f"{b.left:.4g} to {b.right:.4g}" for b in bins.cat.categories]
        )
        texts = labels.astype(object)
        cuts = np.cumsum([len(trace) for trace in traces])[:-1]
        traces = [pd.Series(part, dtype=object) for part in np.split(texts.to_numpy(), cuts)]
        values = pd.concat(traces)
    return _by_category(traces, values, SYMBOLS, SYMBOLS[-1])


def _is_category(values: pd.Series) -> bool:
    if values.dtype.kind != "f":
        return True
    known = values.dropna()
    return bool((known % 1 == 0).all()) and known.nunique() <= MAX_CATEGORIES


def _by_category(
    traces: Sequence[pd.Series], values: pd.Series, marks: Sequence[str], other: str
) -> Marks:
    """The most frequent categories have a mark each, the others and missing ones the last."""
    texts = _texts(values)
    counts = texts.value_counts()
    n_own = len(counts) if len(counts) <= len(marks) - 1 else len(marks) - 1
    own = sorted(counts.index[:n_own])
    known = dict(zip(own, marks, strict=False))
    legend = [LegendEntry(text, mark) for text, mark in known.items()]
    if len(counts) > n_own:
        legend.append(LegendEntry(_OTHER, other))
    if texts.isna().any():
        legend.append(LegendEntry(_MISSING, other))
    found = tuple(tuple(known.get(text, other) for text in _texts(trace)) for trace in traces)
    return Marks(found, tuple(legend), is_scale=False)


def _by_number(traces: Sequence[pd.Series], values: pd.Series, scheme: Scheme) -> Marks:
    low, high = values.quantile(_CENTRAL)
    anchors = np.array([_rgb(color) for color in _SCALES[scheme]])
    missing = THEMES[scheme].faint_ink

    def colors(trace: pd.Series) -> tuple[str, ...]:
        shares = np.clip((trace.to_numpy() - low) / ((high - low) or 1.0), 0, 1)
        return tuple(missing if np.isnan(s) else _between(anchors, s) for s in shares)

    ticks = np.linspace(low, high, len(anchors))
    legend = tuple(
        LegendEntry(f"{tick:,.4g}", color)
        for tick, color in zip(ticks, _SCALES[scheme], strict=True)
    )
    return Marks(tuple(map(colors, traces)), legend, is_scale=True)


def _texts(values: pd.Series) -> pd.Series[Any]:
    if values.dtype.kind != "f":
        return values.astype(object)
    return values.map(lambda value: f"{value:.0f}", na_action="ignore").astype(object)


def _between(anchors: FloatArray, share: float) -> str:
    place = share * (len(anchors) - 1)
    below = min(int(place), len(anchors) - 2)
    rgb = anchors[below] + (place - below) * (anchors[below + 1] - anchors[below])
    return "#" + "".join(f"{round(part):02x}" for part in rgb)


def _rgb(color: str) -> npt.NDArray[np.float64]:
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)

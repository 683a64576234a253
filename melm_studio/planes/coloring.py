"""Points colored and shaped by any column of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Struct

from melm_core.base import FloatArray
from melm_studio.planes.theme import SHAPES, THEMES, Scheme

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
# Colors of a scale; more cannot be told apart.
_STEPS = 201
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


@dataclass(frozen=True, eq=False)
class RowMarks:
    """The colors or symbols of rows, as codes.

    Attributes
    ----------
    palette : tuple of str
        At most 256 colors or symbols.
    codes : ndarray of uint8, shape (n_rows,)
        The place of each row's mark in the palette.
    legend, is_scale
        As those of `Marks`.
    """

    palette: tuple[str, ...]
    codes: npt.NDArray[np.uint8]
    legend: tuple[LegendEntry, ...]
    is_scale: bool

    def of_traces(self, traces: Iterable[npt.ArrayLike]) -> Marks:
        """Return the marks of the points of each trace, given by the positions of their rows."""
        palette = np.array(self.palette, dtype=object)
        marks = [palette[self.codes[np.asarray(rows, dtype=np.int64)]] for rows in traces]
        return Marks(tuple(map(tuple, marks)), self.legend, self.is_scale)


def point_colors(traces: Sequence[pd.Series], scheme: Scheme) -> Marks:
    """Color points by the values of a column.

    Parameters
    ----------
    traces : sequence of Series
        The values of the points of each trace, numbers or texts.
    scheme : Scheme
    """
    return row_colors(pd.concat(list(traces)), scheme).of_traces(_positions(traces))


def point_symbols(traces: Sequence[pd.Series]) -> Marks:
    """Shape points by the values of a column; numbers by their quarters."""
    return row_symbols(pd.concat(list(traces))).of_traces(_positions(traces))


def row_colors(values: pd.Series, scheme: Scheme) -> RowMarks:
    """Color rows by the values of a column, numbers or texts."""
    theme = THEMES[scheme]
    if _is_category(values):
        return _by_category(values, theme.class_colors, theme.faint_ink)
    return _by_number(values, scheme)


def row_symbols(values: pd.Series) -> RowMarks:
    """Shape rows by the values of a column; numbers by their quarters."""
    if not _is_category(values):
        bins = pd.qcut(values, 4, duplicates="drop")
        values = bins.cat.rename_categories(
            [f"{b.left:.4g} to {b.right:.4g}" for b in bins.cat.categories]
        ).astype(object)
    shapes = tuple(SHAPES)
    return _by_category(values, shapes, shapes[-1])


def _positions(traces: Sequence[pd.Series]) -> list[npt.NDArray[np.int64]]:
    ends = np.cumsum([len(trace) for trace in traces])
    return np.split(np.arange(ends[-1]), ends[:-1])


def _is_category(values: pd.Series) -> bool:
    if values.dtype.kind != "f":
        return True
    present = values.dropna()
    return bool((present % 1 == 0).all()) and present.nunique() <= MAX_CATEGORIES


def _by_category(values: pd.Series, marks: Sequence[str], other: str) -> RowMarks:
    """The most frequent categories have a mark each, the others and missing ones the last."""
    texts = _texts(values)
    counts = texts.value_counts()
    n_own = len(counts) if len(counts) <= len(marks) - 1 else len(marks) - 1
    frequent = sorted(counts.index[:n_own])
    legend = [LegendEntry(text, mark) for text, mark in zip(frequent, marks, strict=False)]
    if len(counts) > n_own:
        legend.append(LegendEntry(_OTHER, other))
    if texts.isna().any():
        legend.append(LegendEntry(_MISSING, other))
    places = pd.Index(frequent, dtype=object).get_indexer(pd.Index(texts, dtype=object))
    codes = np.where(places < 0, n_own, places).astype(np.uint8)
    return RowMarks((*marks[:n_own], other), codes, tuple(legend), is_scale=False)


def _by_number(values: pd.Series, scheme: Scheme) -> RowMarks:
    low, high = values.quantile(_CENTRAL)
    anchors = np.array([_rgb(color) for color in _SCALES[scheme]])
    shares = np.clip((values.to_numpy() - low) / ((high - low) or 1.0), 0, 1)
    steps = np.round(np.where(np.isnan(shares), 0, shares) * (_STEPS - 1))
    codes = np.where(np.isnan(shares), _STEPS, steps).astype(np.uint8)
    palette = [_between(anchors, share) for share in np.linspace(0, 1, _STEPS)]
    ticks = np.linspace(low, high, len(anchors))
    legend = tuple(
        LegendEntry(f"{tick:,.4g}", color)
        for tick, color in zip(ticks, _SCALES[scheme], strict=True)
    )
    return RowMarks((*palette, THEMES[scheme].faint_ink), codes, legend, is_scale=True)


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

"""The figures of a run: its plane with points, contours and arrows, and its objective's curve.

`empty_figure` gives the figure of a plane with its styles once; `plane_frame` gives the arrays of
one plane, a mapping for every trace of that figure in its order.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import numpy as np
import plotly.graph_objects as go

from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import EllipseOf
from melm_studio.planes.class_outlines import CONTOUR_SHARES
from melm_studio.planes.encoding import EllipseCoordinate
from melm_studio.planes.features import QUARTILES
from melm_studio.planes.theme import (
    FONT,
    THEMES,
    Scheme,
    Theme,
    class_color,
    class_name_color,
    class_shape,
    page_layout,
    translucent,
)
from melm_studio.planes.types import ClassView, PlaneView
from melm_studio.tables import shortened, told_apart

_LONGEST_NAME = 22
_PATH_DIGITS = 4
_MARK_SHARE = 0.012  # half the mark of a quartile, of the longest path

# Opacity of the region of each share: they add up towards the core.
_FILL = 0.11

# Traces after the points, which show no rows: of each class, and of all of them.
_N_UNDRAWN_OF_CLASS, _N_UNDRAWN = 4, 6

# Of both axes, which are in standard deviations; densities are relative and have no numbers.
_EQUAL_UNITS = {"scaleanchor": "x", "scaleratio": 1}

# Width and height of a name as shares of the plot.
_NAME_SIZE = (0.2, 0.045)
_Arrays = dict[str, Any]
_Encoder = Callable[[FloatArray | EllipseCoordinate], Any]


class PlaneTrace(StrEnum):
    """Kind of a trace in the figure of a plane."""

    CONTOUR = "contour"
    TRAIN = "train"
    HELD_OUT = "held_out"
    THRESHOLD = "threshold"
    FAINT_ARROWS = "faint_arrows"  # of features without a visible effect
    ARROW_LINES = "arrow_lines"
    ARROW_HEADS = "arrow_heads"
    OUTSIDE = "outside"
    CLASS_NAMES = "class_names"
    CLASS_ELLIPSE = "class_ellipse"
    MEAN_ELLIPSE = "mean_ellipse"
    CENTROID = "centroid"
    FITTED_OUTLINE = "fitted_outline"  # of rows that are drawn at unseen places


class CurveTrace(StrEnum):
    """Kind of a trace in the figure of a run's objective."""

    BAND = "band"
    STEPS = "steps"
    BEST = "best"
    HELD_OUT = "held_out"
    STARTS = "starts"
    RECORDS = "records"


def trace_meta(kind: PlaneTrace | CurveTrace, code: int | None = None) -> dict[str, str | int]:
    """The `meta` of a trace: its kind, and the code of its class where it belongs to one."""
    return {"kind": kind.value} | ({} if code is None else {"class": code})


def empty_figure(
    class_names: Sequence[str],
    n_points: int,
    scheme: Scheme = Scheme.LIGHT,
    *,
    n_components: int = 2,
) -> go.Figure:
    """The figure of one, two or three components, styled and without data."""
    theme = THEMES[scheme]
    codes = range(len(class_names))
    names = [html.escape(name, quote=False) for name in told_apart(class_names, _LONGEST_NAME)]
    size = 7 if n_points <= 400 else 6 if n_points <= 1_000 else 5
    figure = go.Figure(
        [
            *(_contour_trace(code, theme) for code in codes for _ in CONTOUR_SHARES),
            *(_points_trace(names[c], c, theme, size, is_held_out=False) for c in codes),
            *(_points_trace(names[c], c, theme, size, is_held_out=True) for c in codes),
            *(_ellipse_trace(PlaneTrace.CLASS_ELLIPSE, c, theme) for c in codes),
            *(_ellipse_trace(PlaneTrace.MEAN_ELLIPSE, c, theme) for c in codes),
            *(_centroid_trace(c, theme) for c in codes),
            *(_outline_trace(c, theme) for c in codes),
            _outside_trace(),
            _class_names(names, theme),
            _threshold_lines(theme),
            _arrow_lines(PlaneTrace.FAINT_ARROWS, theme.faint_ink),
            _arrow_lines(PlaneTrace.ARROW_LINES, theme.ink),
            _arrow_heads(theme),
        ]
    )
    return figure.update_layout(_layout(theme, is_square=n_components > 1))


def plane_frame(view: PlaneView, encode: _Encoder) -> list[_Arrays]:
    """The arrays of a plane, one mapping per trace of `empty_figure`."""
    shapes = [
        *(region for part in view.classes for region in _regions(part)),
        *(part.train for part in view.classes),
        *(part.held_out for part in view.classes),
    ]
    return [
        *({"x": encode(points[:, 0]), "y": encode(points[:, 1])} for points in shapes),
        *(_ellipse(part, "rows", encode) for part in view.classes),
        *(_ellipse(part, "mean", encode) for part in view.classes),
        *(_plain(part.centroid) for part in view.classes),
        *(_line_of(part.fitted_region, encode) for part in view.classes),
        {},  # which rows are outside depends on the axes on screen
        _plain(class_name_places(view)),
        _plain(view.thresholds),
        _plain(np.empty((0, 2))),  # which are faint depends on what features are worth
        _plain(_segments(view)),
        {**_plain(view.arrows.tips), "marker": {"angle": _angles(view)}},
    ]


def arrow_names(view: PlaneView) -> _Arrays:
    """The names beyond the tips of the arrows, for plotly; the page places its own.

    A name that would overlap that of a stronger feature is omitted.
    """
    across, up = (view.arrows.tips - view.arrows.origins).T
    sides = np.where(across >= 0, "right", "left")
    is_level = np.abs(up) < 0.4 * np.abs(across)
    heights = np.where(is_level, "middle", np.where(up > 0, "top", "bottom"))
    return {
        "text": [
            shown(name) if is_free else ""
            for name, is_free in zip(view.arrows.labels, _free(view), strict=True)
        ],
        "textposition": [f"{height} {side}" for height, side in zip(heights, sides, strict=True)],
    }


def arrow_handles(view: PlaneView, n_features: int) -> _Arrays:
    """Return feature, name and length of the loading of arrows, for the scripts that drag them.

    Where features bend, the values along the path of each, to `_PATH_DIGITS` significant digits.
    """
    arrows = view.arrows
    return {
        "features": arrows.features.tolist(),
        "names": arrows.names,
        "scale": arrows.scale,
        "of": n_features,
        **({} if arrows.values is None else {"values": _path_values(arrows.values)}),
        **({} if arrows.turns is None else {"labels": arrows.labels}),
    }


def _path_values(values: FloatArray) -> list[list[float] | None]:
    """One list an arrow; None of a straight one."""
    return [
        [float(f"{value:.{_PATH_DIGITS}g}") for value in path] if np.isfinite(path).all() else None
        for path in values.tolist()
    ]


def row_numbers(drawn: tuple[Sequence[IntArray], Sequence[IntArray]]) -> list[list[int]]:
    """The rows of the file that each trace of `empty_figure` shows, in its order."""
    train, held_out = drawn
    contours: list[list[int]] = [[] for _ in train for _ in CONTOUR_SHARES]
    n_others = _N_UNDRAWN_OF_CLASS * len(train) + _N_UNDRAWN
    others: list[list[int]] = [[] for _ in range(n_others)]
    return [*contours, *(rows.tolist() for rows in (*train, *held_out)), *others]


def limits(view: PlaneView) -> list[list[float]]:
    """The box around everything drawn, [[x low, x high], [y low, y high]], with a margin."""
    margin = 0.03 * (view.upper - view.lower)
    box: list[list[float]] = np.column_stack([view.lower - margin, view.upper + margin]).tolist()
    return box


def shown(name: str) -> str:
    """A name as a figure shows it: shortened, and with any markup escaped."""
    return html.escape(shortened(name, _LONGEST_NAME), quote=False)


def _ellipse(part: ClassView, of: EllipseOf, encode: _Encoder) -> _Arrays:
    """The outline of a class or of its mean; no array where the rows determine none."""
    if part.ellipses is None:
        return {}
    across, up = (EllipseCoordinate(part.ellipses, of, axis) for axis in (0, 1))
    return {"x": encode(across), "y": encode(up)}


def _line_of(points: FloatArray, encode: _Encoder) -> _Arrays:
    """The arrays of a line; none where there is no line."""
    return {"x": encode(points[:, 0]), "y": encode(points[:, 1])} if len(points) else {}


def _regions(part: ClassView) -> list[FloatArray]:
    """The contours by share, the outermost first; one component has a single line."""
    regions = part.regions[::-1]
    return regions + [np.empty((0, 2))] * (len(CONTOUR_SHARES) - len(regions))


def class_name_places(view: PlaneView) -> FloatArray:
    """Place the names of the classes: amid the training rows, or above the density."""
    place = _peak if _is_line(view) else _middle
    return np.array([place(part) for part in view.classes])


def _is_line(view: PlaneView) -> bool:
    return not view.classes[0].levels


def _middle(part: ClassView) -> FloatArray:
    if part.name_place is not None:
        return part.name_place
    rows = part.train if len(part.train) else part.held_out
    return rows.mean(axis=0) if len(rows) else np.full(2, np.nan)


def _peak(part: ClassView) -> FloatArray:
    if not len(part.contours):
        return _middle(part)
    peak: FloatArray = part.contours[np.nanargmax(part.contours[:, 1])]
    return peak


def _plain(points: FloatArray) -> _Arrays:
    """Plain numbers, which the script that drags arrows reads; None where a line ends."""
    numbers = points.astype(object)
    numbers[np.isnan(points)] = None
    return {"x": numbers[:, 0].tolist(), "y": numbers[:, 1].tolist()}


def _segments(view: PlaneView) -> FloatArray:
    """Lines from origin to tip, each with its path, separated by rows of nan.

    All have as many vertices, so that an arrow can turn into that of another plane.
    """
    arrows = view.arrows
    lines = np.full((len(arrows.tips), 3, 2), np.nan)
    lines[:, 0], lines[:, 1] = arrows.origins, arrows.tips
    if arrows.paths is not None and len(arrows.tips):
        gap = np.full((len(arrows.tips), 1, 2), np.nan)
        # Of a line, the axes have no common unit: a mark is across its path on screen.
        unit = view.upper - view.lower if _is_line(view) else np.ones(2)
        marks = (mark * unit for mark in _quartile_marks(arrows.paths / unit))
        lines = np.concatenate([lines, arrows.paths, gap, *marks], axis=1)
    return lines.reshape(-1, 2)


def _quartile_marks(paths: FloatArray) -> Iterator[FloatArray]:
    """A short line across each path at each quartile, (n_arrows, 3, 2) with a gap at its end."""
    extent = np.nanmax(np.ptp(paths, axis=1), initial=0.0)  # of straight features, nan
    for quartile in QUARTILES:
        along = paths[:, quartile + 1] - paths[:, quartile - 1]
        lengths = np.linalg.norm(along, axis=1, keepdims=True)
        across = np.column_stack([-along[:, 1], along[:, 0]]) / np.where(lengths > 0, lengths, 1.0)
        ends = [paths[:, quartile] + sign * _MARK_SHARE * extent * across for sign in (-1.0, 1.0)]
        yield np.stack([*ends, np.full_like(across, np.nan)], axis=1)


def _angles(view: PlaneView) -> list[float]:
    """By how many degrees heads turn along their arrows, clockwise from upwards."""
    across, up = (view.arrows.tips - view.arrows.origins).T
    angles: list[float] = np.degrees(np.arctan2(across, up)).round(1).tolist()
    return angles


def _free(view: PlaneView) -> list[bool]:
    """Return which tips are clear of every stronger one, given the size of a name in the plot."""
    if len(np.unique(view.arrows.origins, axis=0)) > 1:
        return [True] * len(view.arrows.tips)  # each lies in a lane of its own
    room = np.array(_NAME_SIZE) * (view.upper - view.lower).max()
    free: list[bool] = []
    for i, tip in enumerate(view.arrows.tips):
        stronger = view.arrows.tips[:i][free]
        free.append(not np.any(np.all(np.abs(stronger - tip) < room, axis=1)))
    return free


def _contour_trace(code: int, theme: Theme) -> go.Scatter:
    color = class_color(code, theme)
    return go.Scatter(
        meta=trace_meta(PlaneTrace.CONTOUR, code),
        mode="lines",
        line={"color": translucent(color, 0.6), "width": 1.1},
        fill="toself",
        fillcolor=translucent(color, _FILL),
        hoverinfo="skip",
    )


def _ellipse_trace(kind: PlaneTrace, code: int, theme: Theme) -> go.Scatter:
    """The outline of a class, or of its mean, off until it is asked for."""
    is_mean = kind is PlaneTrace.MEAN_ELLIPSE
    line = {"color": class_color(code, theme), "width": 2 if is_mean else 1.4}
    return go.Scatter(
        meta=trace_meta(kind, code),
        mode="lines",
        line=line if is_mean else {**line, "dash": "dash"},
        hoverinfo="skip",
        visible=False,
    )


def _outline_trace(code: int, theme: Theme) -> go.Scatter:
    """Outline the rows of a class as fitted, beside the places at which they are drawn."""
    color = translucent(class_color(code, theme), 0.7)
    return go.Scatter(
        meta=trace_meta(PlaneTrace.FITTED_OUTLINE, code),
        mode="lines",
        line={"color": color, "width": 1.2, "dash": "dash"},
        hoverinfo="skip",
    )


def _centroid_trace(code: int, theme: Theme) -> go.Scatter:
    """The mean of a class, off until it is asked for."""
    edge = {"width": 1.5, "color": theme.surface}
    return go.Scatter(
        meta=trace_meta(PlaneTrace.CENTROID, code),
        mode="markers",
        marker={"symbol": "cross", "size": 13, "color": class_color(code, theme), "line": edge},
        hoverinfo="skip",
        visible=False,
    )


def _points_trace(
    name: str,
    code: int,
    theme: Theme,
    size: int,
    *,
    is_held_out: bool,
) -> go.Scatter:
    shape = class_shape(code)
    color = class_color(code, theme)
    return go.Scatter(
        meta=trace_meta(PlaneTrace.HELD_OUT if is_held_out else PlaneTrace.TRAIN, code),
        mode="markers",
        name=f"{name}, held out" if is_held_out else name,
        marker={
            "color": translucent(color, 0.95 if is_held_out else 0.8),
            "size": size,
            "symbol": f"{shape}-open" if is_held_out else shape,
            "line": {"width": 1.3 if is_held_out else 0, "color": theme.surface},
        },
        hovertemplate="%{fullData.name}<extra></extra>",
    )


def _arrow_lines(kind: PlaneTrace, color: str) -> go.Scatter:
    is_faint = kind is PlaneTrace.FAINT_ARROWS
    return go.Scatter(
        meta=trace_meta(kind),
        mode="lines",
        line={"color": color, "width": 1.0 if is_faint else 1.6},
        opacity=0.5 if is_faint else 0.85,
        hoverinfo="skip",
    )


def _arrow_heads(theme: Theme) -> go.Scatter:
    return go.Scatter(
        meta=trace_meta(PlaneTrace.ARROW_HEADS),
        mode="markers+text",
        marker={"symbol": "arrow", "size": 9, "color": theme.ink},
        textfont={"size": 12, "color": theme.ink, "family": FONT},
        cliponaxis=False,
        hoverinfo="skip",
    )


def _outside_trace() -> go.Scatter:
    """Marks at the edge for rows beyond the picture; a script sets places, colors and angles."""
    return go.Scatter(
        meta=trace_meta(PlaneTrace.OUTSIDE),
        mode="markers",
        marker={"symbol": "arrow", "size": 9},
        cliponaxis=False,
    )


def _class_names(names: Sequence[str], theme: Theme) -> go.Scatter:
    colors = [class_name_color(code, theme) for code in range(len(names))]
    return go.Scatter(
        meta=trace_meta(PlaneTrace.CLASS_NAMES),
        mode="text",
        text=names,
        textposition="middle center",
        textfont={"size": 15, "color": colors, "family": FONT, "weight": 600},
        cliponaxis=False,
        hoverinfo="skip",
    )


def _threshold_lines(theme: Theme) -> go.Scatter:
    line = {"color": theme.ink, "width": 1.2, "dash": "dash"}
    meta = trace_meta(PlaneTrace.THRESHOLD)
    return go.Scatter(meta=meta, mode="lines", line=line, hoverinfo="skip")


def _layout(theme: Theme, *, is_square: bool) -> dict[str, Any]:
    axis = {
        "showticklabels": True,
        "tickfont": {"size": 11, "color": theme.faint_ink, "family": FONT},
        "ticks": "",
        "gridcolor": theme.grid,
        "zeroline": False,
        "title": None,
    }
    return {
        "xaxis": axis,
        "yaxis": {**axis, **(_EQUAL_UNITS if is_square else {"showticklabels": False})},
        "margin": {"r": 4, "t": 4},
        **page_layout(theme.ink),
        "showlegend": False,
        "dragmode": "pan",
        "hovermode": "closest",
    }


def curve_figure(scheme: Scheme = Scheme.LIGHT, objective: str = "") -> go.Figure:
    """The curve of an objective, styled and without data; x is the number of the plane.

    `objective` names the quantity on the curve.
    """
    theme = THEMES[scheme]
    axis = {
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"size": 12, "color": theme.faint_ink},
    }
    return go.Figure(
        _traces(theme),
        {
            "xaxis": {**axis, "nticks": 8},
            "yaxis": {**axis, "nticks": 4, "showgrid": True, "gridcolor": theme.grid},
            "annotations": [_caption(theme, objective)] if objective else [],
            "margin": {"l": 44, "r": 14, "t": 18 if objective else 6, "b": 20},
            **page_layout(theme.faint_ink),
            "showlegend": False,
        },
    )


def _traces(theme: Theme) -> list[go.Scatter]:
    """The lines and the marks of the curve, without data, the uppermost last."""
    return [
        _band(theme),
        # For the curious: what counts are the best planes.
        _line(CurveTrace.STEPS, "this step", color=translucent(theme.faint_ink, 0.18), width=1.0),
        _line(CurveTrace.BEST, "best so far", color=theme.ink, width=2.2, shape="hv"),
        _line(
            CurveTrace.HELD_OUT,
            "held-out rows",
            color=theme.held_out,
            width=2.0,
            dash="dash",
            shape="hv",
        ),
        _marks(CurveTrace.STARTS, "new start", "line-ns-open", size=8, color=theme.faint_ink),
        _marks(CurveTrace.RECORDS, "new best", "circle", size=5, color=theme.ink),
    ]


def _line(trace: CurveTrace, name: str, **line: Any) -> go.Scatter:
    return go.Scatter(meta=trace_meta(trace), name=name, mode="lines", line=line)


def _band(theme: Theme) -> go.Scatter:
    """Around held-out values, one standard error to both sides."""
    return go.Scatter(
        meta=trace_meta(CurveTrace.BAND),
        name="standard error",
        mode="lines",
        fill="toself",
        fillcolor=translucent(theme.held_out, 0.18),
        line={"color": translucent(theme.held_out, 0.0), "width": 0},
    )


def _marks(trace: CurveTrace, name: str, symbol: str, **marker: Any) -> go.Scatter:
    marker["symbol"] = symbol
    return go.Scatter(meta=trace_meta(trace), name=name, mode="markers", marker=marker)


def _caption(theme: Theme, objective: str) -> dict[str, Any]:
    """The name of the objective above the curve."""
    return {
        "text": objective,
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "font": {"size": 12, "color": theme.faint_ink},
    }

"""A kernel machine in a plane, its approximation, and the ROC curves of both on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from melm_core.base import FloatArray
from melm_core.kernel_machines import Mode
from melm_studio.planes.decision_surface import DecisionSurface, RocCurve
from melm_studio.planes.theme import (
    THEMES,
    TRANSPARENT,
    Scheme,
    Theme,
    class_color,
    class_shape,
    page_layout,
    translucent,
)
from melm_studio.planes.types import ProjectedRows

_MACHINE, _APPROXIMATION, _ROC = 1, 2, 3

# Percentile of the absolute decision values from which the color is full.
_FULL_COLOR = 90.0

_MOST_POINTS = 600


def surface_figure(
    surface: DecisionSurface, rows: ProjectedRows, code: int, scheme: Scheme = Scheme.LIGHT
) -> go.Figure:
    """The machine, its approximation with modes and axes, and the ROC curves of both, if any.

    Parameters
    ----------
    surface : DecisionSurface
    rows : ProjectedRows
        The rows that the machine was fitted to.
    code : int
        The class that the machine separates from the others.
    scheme : Scheme
    """
    theme = THEMES[scheme]
    curves = _roc_traces(surface, theme)
    titles = ("Kernel machine", _modes_in_words(surface))
    figure = make_subplots(3 if curves else 2, 1, subplot_titles=titles, vertical_spacing=0.08)
    values = (surface.machine_values, surface.approximation_values)
    strongest = float(np.percentile(np.abs(surface.machine_values), _FULL_COLOR))
    for row, field in zip((_MACHINE, _APPROXIMATION), values, strict=True):
        traces = (
            _heat(surface, field, strongest, code, theme),
            _zero_line(surface, field, theme),
            *_points(rows, code, theme),
        )
        figure.add_traces(traces, rows=row, cols=1)
    modes = surface.approximation.modes
    figure.add_traces((_axes(modes, theme), _modes(modes, theme)), rows=_APPROXIMATION, cols=1)
    if curves:
        figure.add_traces(curves, rows=_ROC, cols=1)
        _lay_out_roc(figure, theme)
    return _laid_out(figure, surface, theme)


def _modes_in_words(surface: DecisionSurface) -> str:
    n_modes, n_parts = len(surface.approximation.modes), surface.approximation.n_components
    modes = "1 mode" if n_modes == 1 else f"{n_modes} modes"
    return modes if n_parts == n_modes else f"{modes} of {n_parts} separable parts"


def _heat(
    surface: DecisionSurface, values: FloatArray, strongest: float, code: int, theme: Theme
) -> go.Heatmap:
    color = class_color(code, theme)
    return go.Heatmap(
        x=surface.x,
        y=surface.y,
        z=values,
        zmin=-strongest,
        zmax=strongest,
        colorscale=[
            [0.0, translucent(theme.faint_ink, 0.45)],
            [0.5, translucent(theme.faint_ink, 0.0)],
            [0.5, translucent(color, 0.0)],
            [1.0, translucent(color, 0.6)],
        ],
        zsmooth="best",
        showscale=False,
        hovertemplate="%{z:.3g}<extra></extra>",
    )


def _zero_line(surface: DecisionSurface, values: FloatArray, theme: Theme) -> go.Contour:
    return go.Contour(
        x=surface.x,
        y=surface.y,
        z=values,
        contours={"start": 0.0, "end": 0.0, "size": 1.0, "coloring": "lines"},
        colorscale=[[0.0, theme.ink], [1.0, theme.ink]],
        line={"width": 2.4},
        showscale=False,
        hoverinfo="skip",
    )


def _points(rows: ProjectedRows, code: int, theme: Theme) -> list[go.Scatter]:
    """The class and the rest, thinned evenly if there are many rows."""
    step = max(1, len(rows.train) // _MOST_POINTS)
    seen, is_of_class = rows.train[::step], rows.train_y[::step] == code
    colors = (theme.faint_ink, class_color(code, theme))
    shapes = ("circle-open", class_shape(code))
    return [
        go.Scatter(
            x=seen[is_of_class == side, 0],
            y=seen[is_of_class == side, 1],
            mode="markers",
            marker={"size": 4, "color": translucent(color, 0.75), "symbol": shape},
            hoverinfo="skip",
        )
        for side, color, shape in zip((False, True), colors, shapes, strict=True)
    ]


def _axes(modes: Sequence[Mode], theme: Theme) -> go.Scatter:
    """One standard deviation to both sides of every component, along its independent axes."""
    gap = np.full((1, 2), np.nan)
    segments = [
        np.vstack([part.mean - axis, part.mean + axis, gap])
        for mode in modes
        for part in mode.components
        for axis in part.axes
    ]
    lines = np.concatenate(segments or [gap])
    line = {"color": theme.ink, "width": 1.6}
    return go.Scatter(x=lines[:, 0], y=lines[:, 1], mode="lines", line=line, hoverinfo="skip")


def _modes(modes: Sequence[Mode], theme: Theme) -> go.Scatter:
    places = np.reshape([mode.location for mode in modes], (-1, 2))
    return go.Scatter(
        x=places[:, 0],
        y=places[:, 1],
        mode="markers+text",
        marker={
            "size": 17,
            "color": theme.surface,
            "line": {"width": 1.6, "color": theme.ink},
        },
        text=["+" if mode.sign > 0 else "−" for mode in modes],
        textfont={"size": 14, "color": theme.ink},
        customdata=[len(mode.members) for mode in modes],
        hovertemplate="mode of %{customdata} centers<extra></extra>",
    )


def _roc_traces(surface: DecisionSurface, theme: Theme) -> list[go.Scatter]:
    """The curves and the diagonal of guessing; none without held-out rows."""
    if surface.machine_roc is None or surface.approximation_roc is None:
        return []
    chance = go.Scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": theme.grid, "width": 1}, hoverinfo="skip"
    )
    solid = {"color": theme.faint_ink, "width": 5}
    dashed = {"color": theme.class_colors[1], "width": 2.2}
    return [
        chance,
        _roc_line(surface.machine_roc, "machine", solid),
        _roc_line(surface.approximation_roc, "modes", dashed),
    ]


def _roc_line(curve: RocCurve, name: str, line: dict[str, object]) -> go.Scatter:
    return go.Scatter(
        x=curve.false_positive_rates,
        y=curve.true_positive_rates,
        name=f"{name}, AUC {curve.auc:.3f}",
        mode="lines",
        line={**line, "shape": "hv"},
        showlegend=True,
        hovertemplate="%{x:.3f}, %{y:.3f}<extra>" + name + "</extra>",
    )


def _lay_out_roc(figure: go.Figure, theme: Theme) -> None:
    rate = {"range": [-0.02, 1.02], "gridcolor": theme.grid, "zeroline": False, "nticks": 3}
    figure.update_xaxes(title="false positive rate, held out", **rate, row=_ROC, col=1)
    figure.update_yaxes(title="true positive rate", **rate, row=_ROC, col=1)


def _laid_out(figure: go.Figure, surface: DecisionSurface, theme: Theme) -> go.Figure:
    plane = {"showticklabels": False, "ticks": "", "showgrid": False, "zeroline": False}
    ranges = [[axis[0], axis[-1]] for axis in (surface.x, surface.y)]
    for row in (_MACHINE, _APPROXIMATION):
        figure.update_xaxes(range=ranges[0], **plane, row=row, col=1)
        figure.update_yaxes(range=ranges[1], **plane, row=row, col=1)
    figure.update_xaxes(matches="x", row=_APPROXIMATION, col=1)
    figure.update_yaxes(matches="y", row=_APPROXIMATION, col=1)
    return figure.update_layout(
        margin={"l": 8, "r": 8, "t": 34, "b": 40},
        **page_layout(theme.ink),
        showlegend=True,
        legend={"x": 1.0, "y": 0.02, "xanchor": "right", "bgcolor": TRANSPARENT},
        dragmode="pan",
    ).update_traces(showlegend=False, selector=lambda trace: not trace.name)

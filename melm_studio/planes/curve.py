"""The curve of the objective along a run: every step, the best so far, starts and records."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from melm_studio.planes.theme import THEMES, Scheme, Theme, page_layout, translucent
from melm_studio.planes.traces import CurveTrace, trace_meta


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

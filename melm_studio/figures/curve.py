"""The curve of the objective along a run: every step, the best so far, starts and records."""

from __future__ import annotations

import plotly.graph_objects as go

from melm_studio.figures.theme import THEMES, Scheme, page_layout
from melm_studio.figures.traces import CurveTrace, trace_meta


def curve_figure(scheme: Scheme = Scheme.LIGHT, objective: str = "") -> go.Figure:
    """The curve of an objective, styled and without data; x is the number of the plane.

    `objective` names the quantity on the curve.
    """
    theme = THEMES[scheme]
    steps = go.Scatter(
        meta=trace_meta(CurveTrace.STEPS),
        name="this step",
        mode="lines",
        line={"color": theme.faint_ink, "width": 1.2},
    )
    best = go.Scatter(
        meta=trace_meta(CurveTrace.BEST),
        name="best so far",
        mode="lines",
        line={"color": theme.ink, "width": 2.2, "shape": "hv"},
    )
    held_out = go.Scatter(
        meta=trace_meta(CurveTrace.HELD_OUT),
        name="held-out rows",
        mode="lines+markers",
        line={"color": theme.class_colors[1], "width": 1.6},
        marker={"size": 3, "color": theme.class_colors[1]},
    )
    starts = go.Scatter(
        meta=trace_meta(CurveTrace.STARTS),
        name="new start",
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 8, "color": theme.faint_ink},
    )
    records = go.Scatter(
        meta=trace_meta(CurveTrace.RECORDS),
        name="new best",
        mode="markers",
        marker={"symbol": "circle", "size": 5, "color": theme.ink},
    )
    caption = {
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
    axis = {
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"size": 12, "color": theme.faint_ink},
    }
    return go.Figure(
        [steps, best, held_out, starts, records],
        {
            "xaxis": {**axis, "nticks": 8},
            "yaxis": {**axis, "nticks": 4, "showgrid": True, "gridcolor": theme.grid},
            "annotations": [caption] if objective else [],
            "margin": {"l": 44, "r": 14, "t": 18 if objective else 6, "b": 20},
            **page_layout(theme.faint_ink),
            "showlegend": False,
        },
    )

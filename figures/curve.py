"""The objective along a run: every step, and the best so far."""

from __future__ import annotations

import plotly.graph_objects as go

from figures.theme import FONT, THEMES, Scheme

# Positions of the traces, and of the cursor among the shapes.
STEPS, BEST, UNSEEN = 0, 1, 2


def curve_figure(scheme: Scheme = Scheme.LIGHT, objective: str = "") -> go.Figure:
    """The figure of an objective's curve, styled and without data; x counts the planes shown.

    `objective` says in a few words what is drawn.
    """
    theme = THEMES[scheme]
    steps = go.Scatter(
        name="this step",
        mode="lines",
        line={"color": theme.faint_ink, "width": 1.2},
        hovertemplate="%{y:.4g}<extra>this step</extra>",
    )
    best = go.Scatter(
        name="best so far",
        mode="lines",
        line={"color": theme.ink, "width": 2.2, "shape": "hv"},
        hovertemplate="%{y:.4g}<extra>best so far</extra>",
    )
    unseen = go.Scatter(
        name="unseen rows",
        mode="lines+markers",
        line={"color": theme.class_colours[1], "width": 1.6},
        marker={"size": 3},
        hovertemplate="%{y:.4g}<extra>unseen rows</extra>",
    )
    cursor = {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": 0,
        "x1": 0,
        "y0": 0,
        "y1": 1,
        "line": {"color": theme.ink, "width": 1.2, "dash": "dot"},
    }
    caption = {
        "text": objective,
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "font": {"size": 11, "color": theme.faint_ink},
    }
    axis = {"showgrid": False, "zeroline": False, "showticklabels": False, "fixedrange": True}
    return go.Figure(
        [steps, best, unseen],
        {
            "xaxis": axis,
            "yaxis": {
                **axis,
                "showticklabels": True,
                "nticks": 3,
                "side": "right",
                "tickfont": {"size": 11, "color": theme.faint_ink},
            },
            "shapes": [cursor],
            "annotations": [caption] if objective else [],
            "margin": {"l": 41, "r": 40, "t": 20 if objective else 6, "b": 2},
            "paper_bgcolor": "rgba(0, 0, 0, 0)",
            "plot_bgcolor": "rgba(0, 0, 0, 0)",
            "font": {"family": FONT, "color": theme.faint_ink},
            "showlegend": False,
            "hovermode": "x",
        },
    )

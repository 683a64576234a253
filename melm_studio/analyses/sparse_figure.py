"""Held-out accuracy by the number of features that a plane has."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from melm_studio.planes.theme import THEMES, Scheme, Theme, page_layout, translucent
from melm_studio.runs.records.sparse_report import SparseSize


def sparse_figure(
    sizes: Sequence[SparseSize],
    guessing: float,
    sufficient: int | None = None,
    scheme: Scheme = Scheme.LIGHT,
) -> go.Figure:
    """Accuracy over the number of features: held out with its band, training as a dashed line.

    Parameters
    ----------
    sizes : sequence of SparseSize
    guessing : float
        The accuracy of guessing.
    sufficient : int, optional
        The number of features that is marked.
    scheme : Scheme

    Examples
    --------
    >>> from melm_studio.runs.records.sparse_report import SparseSize
    >>> sizes = [SparseSize(n, 0.9, 0.8, 0.02, (0, 1), (1.0, 1.0)) for n in (4, 2)]
    >>> [trace.name for trace in sparse_figure(sizes, 0.5).data[1:]]
    ['training', 'held-out folds']
    """
    theme = THEMES[scheme]
    figure = go.Figure([_band(sizes, theme), *_lines(sizes, theme)])
    faint = {"color": theme.faint_ink, "width": 1}
    note = {"font": {"color": theme.faint_ink, "size": 12}, "showarrow": False}
    figure.add_hline(
        guessing,
        line=faint | {"dash": "dot"},
        annotation=note | {"text": "guessing", "x": 1, "xanchor": "right", "yanchor": "bottom"},
    )
    if sufficient:
        figure.add_vline(sufficient, line=faint | {"dash": "dash"})
    axis = {"zeroline": False, "gridcolor": theme.grid, "title_font_size": 13}
    numbers = [size.n_features for size in sizes]
    figure.update_xaxes(
        **axis,
        type="log",
        title_text="number of features",
        tickvals=numbers,
        ticktext=[f"{number:,}" for number in numbers],
    )
    figure.update_yaxes(**axis, title_text="balanced accuracy", tickformat=".0%")
    return figure.update_layout(
        margin={"l": 8, "r": 12, "t": 24, "b": 40},
        **page_layout(theme.ink),
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom"},
        hovermode="x unified",
        dragmode=False,
    )


def _band(sizes: Sequence[SparseSize], theme: Theme) -> go.Scatter:
    numbers = [size.n_features for size in sizes]
    upper = [size.held_out + size.standard_error for size in sizes]
    lower = [size.held_out - size.standard_error for size in sizes]
    return go.Scatter(
        x=[*numbers, *numbers[::-1]],
        y=[*upper, *lower[::-1]],
        fill="toself",
        fillcolor=translucent(theme.class_colors[0], 0.2),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
    )


def _lines(sizes: Sequence[SparseSize], theme: Theme) -> list[go.Scatter]:
    numbers = [size.n_features for size in sizes]
    lines = {
        "training": ([size.train for size in sizes], theme.faint_ink, "dash"),
        "held-out folds": ([size.held_out for size in sizes], theme.class_colors[0], "solid"),
    }
    return [
        go.Scatter(
            x=numbers,
            y=values,
            mode="lines+markers",
            name=name,
            line={"color": color, "width": 1.5, "dash": dash},
            hovertemplate="%{y:.1%}",
        )
        for name, (values, color, dash) in lines.items()
    ]

"""The importance of features to PLS-DA, and the S-plot of OPLS-DA."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from melm_core.base import FloatArray
from melm_studio.planes.figure import shown
from melm_studio.planes.point_labels import point_labels
from melm_studio.planes.theme import THEMES, Scheme, Theme, page_layout

MOST_BARS, MOST_NAMED = 24, 6
_REACH = 1.05  # of the axis of correlations


def importance_figure(
    importances: FloatArray, names: Sequence[str], scheme: Scheme = Scheme.LIGHT
) -> go.Figure:
    """Bars of the largest VIP, with a line at 1, that of an average feature.

    Parameters
    ----------
    importances : ndarray of shape (n_features,)
    names : sequence of str, (n_features,)
    scheme : Scheme
    """
    theme = THEMES[scheme]
    largest = np.argsort(importances)[-MOST_BARS:]
    places = list(range(len(largest)))
    bars = go.Bar(
        x=importances[largest],
        y=places,
        text=[html.escape(names[i], quote=False) for i in largest],
        textposition="none",
        orientation="h",
        marker={"color": theme.class_colors[0]},
        hovertemplate="%{text}: %{x:.2f}<extra></extra>",
    )
    figure = go.Figure([bars])
    figure.add_vline(1.0, line={"color": theme.ink, "width": 1, "dash": "dash"})
    figure.update_xaxes(title="VIP", gridcolor=theme.grid)
    ticks = [shown(names[i]) for i in largest]
    figure.update_yaxes(tickvals=places, ticktext=ticks, automargin=True, zeroline=False)
    return _laid_out(figure, theme)


def s_plot_figure(
    s_plot: FloatArray, names: Sequence[str], scheme: Scheme = Scheme.LIGHT
) -> go.Figure:
    """Correlation against covariance of each feature with the predictive score.

    Parameters
    ----------
    s_plot : ndarray of shape (2, n_features)
        Covariances and correlations.
    names : sequence of str, (n_features,)
    scheme : Scheme
    """
    theme = THEMES[scheme]
    covariances, correlations = s_plot
    strongest = np.argsort(-np.abs(covariances * correlations))[:MOST_NAMED]
    reach = 1.05 * float(np.abs(covariances).max(initial=0.0)) or 1.0
    bounds = np.array([[-reach, -_REACH], [reach, _REACH]])
    texts, positions = point_labels(s_plot.T, names, strongest, bounds)
    points = go.Scatter(
        x=covariances,
        y=correlations,
        mode="markers+text",
        text=texts,
        textposition=positions,
        customdata=[html.escape(name, quote=False) for name in names],
        marker={"color": theme.class_colors[0], "size": 8},
        hovertemplate="%{customdata}<br>covariance %{x:.3g}, correlation %{y:.2f}<extra></extra>",
    )
    figure = go.Figure([points])
    figure.update_xaxes(
        title="covariance with the predictive score", range=[-reach, reach], gridcolor=theme.grid
    )
    figure.update_yaxes(title="correlation", range=[-_REACH, _REACH], gridcolor=theme.grid)
    return _laid_out(figure, theme)


def _laid_out(figure: go.Figure, theme: Theme) -> go.Figure:
    figure.update_xaxes(zerolinecolor=theme.grid, title_font_size=13)
    figure.update_yaxes(zerolinecolor=theme.grid, title_font_size=13)
    return figure.update_layout(
        margin={"l": 8, "r": 8, "t": 8, "b": 40},
        **page_layout(theme.ink),
        showlegend=False,
        dragmode="pan",
        hovermode="closest",
    )

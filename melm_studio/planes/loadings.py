"""The loadings of a plane: features as points and, where they are ordered, as lines."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from melm_core.base import FloatArray
from melm_studio.planes.feature_ranking import ordered_numbers
from melm_studio.planes.point_labels import point_labels
from melm_studio.planes.theme import THEMES, Scheme, Theme, page_layout

# More points are a cloud, which takes long to draw; weaker ones lie at its center.
MOST_POINTS = 2_000
MOST_NAMED = 12
_MARGIN = 0.15
_LINES_SHARE = 0.4  # of the height


def loadings_figure(
    loadings: FloatArray,
    names: Sequence[str],
    titles: Sequence[str] = ("Component 1", "Component 2"),
    scheme: Scheme = Scheme.LIGHT,
) -> go.Figure:
    """A point for each feature and, above them where their names are ordered numbers, two lines.

    Parameters
    ----------
    loadings : ndarray of shape (n_features, 2)
        In the coordinates in which the plane is drawn; a point lies in the direction of the arrow
        of its feature.
    names : sequence of str, (n_features,)
    titles : sequence of str, (2,)
        Of the axes of the plane.
    scheme : Scheme

    Examples
    --------
    >>> figure = loadings_figure(np.array([[0.8, 0.1], [0.0, -0.5]]), ["flavanoids", "ash"])
    >>> [trace.mode for trace in figure.data]
    ['markers+text']
    """
    theme = THEMES[scheme]
    loadings = loadings.astype(np.float32)
    figure = go.Figure(_points(loadings, names, theme))
    lower, upper = _bounds(loadings)
    figure.update_xaxes(range=[lower[0], upper[0]], title=f"loading on {_of(titles[0])}")
    figure.update_yaxes(range=[lower[1], upper[1]], title=f"loading on {_of(titles[1])}")
    positions = ordered_numbers(names)
    if positions is not None:
        _add_lines(figure, loadings, positions, titles, theme)
    figure.update_xaxes(
        gridcolor=theme.grid, zerolinecolor=theme.faint_ink, zerolinewidth=1, title_font_size=13
    )
    figure.update_yaxes(
        gridcolor=theme.grid, zerolinecolor=theme.faint_ink, zerolinewidth=1, title_font_size=13
    )
    return figure.update_layout(
        margin={"l": 8, "r": 8, "t": 24, "b": 40},
        **page_layout(theme.ink),
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom"},
        showlegend=positions is not None,
        dragmode="pan",
        hovermode="closest",
    )


def _of(title: str) -> str:
    """The name of an axis without the share of variance that it explains."""
    name = title.partition(",")[0]
    return name[:1].lower() + name[1:]


def _points(loadings: FloatArray, names: Sequence[str], theme: Theme) -> go.Scatter:
    strongest = np.argsort(-np.linalg.norm(loadings, axis=1), kind="stable")[:MOST_POINTS]
    shown, strongest_names = loadings[strongest], [names[i] for i in strongest]
    order = np.arange(min(MOST_NAMED, len(shown)))
    texts, positions = point_labels(shown, strongest_names, order, _bounds(loadings))
    return go.Scatter(
        x=shown[:, 0],
        y=shown[:, 1],
        mode="markers+text",
        text=texts,
        textposition=positions,
        customdata=[html.escape(name, quote=False) for name in strongest_names],
        marker={"color": theme.class_colors[0], "size": 8, "opacity": 0.75},
        hovertemplate="%{customdata}<br>%{x:.3g}, %{y:.3g}<extra></extra>",
        showlegend=False,
    )


def _bounds(loadings: FloatArray) -> FloatArray:
    """Bounds that hold all points and the origin, with the same unit on both axes."""
    half = float(np.abs(loadings).max(initial=0.0)) or 1.0
    half *= 1.0 + _MARGIN
    return np.array([[-half, -half], [half, half]])


def _add_lines(
    figure: go.Figure,
    loadings: FloatArray,
    positions: list[float],
    titles: Sequence[str],
    theme: Theme,
) -> None:
    """The loadings along the numbers that name the features, above the points."""
    for column, (title, dash) in enumerate(zip(titles, ("solid", "dash"), strict=True)):
        figure.add_scatter(
            x=positions,
            y=loadings[:, column],
            mode="lines",
            name=_of(title),
            line={"color": theme.class_colors[column], "width": 1.5, "dash": dash},
            hovertemplate="%{x:g}: %{y:.3g}<extra></extra>",
            xaxis="x2",
            yaxis="y2",
        )
    figure.update_layout(
        yaxis={"domain": [0.0, 1.0 - _LINES_SHARE - 0.1]},
        xaxis2={"anchor": "y2", "title": "feature"},
        yaxis2={"anchor": "x2", "domain": [1.0 - _LINES_SHARE, 1.0], "title": "loading"},
    )

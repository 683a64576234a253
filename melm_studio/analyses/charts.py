"""Shared parts of charts of analyses, as dictionaries: workers do not load plotly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from melm_studio.planes.theme import Theme, page_layout, translucent

_SHARE = ".0%"


def axis(theme: Theme, title: str = "", **more: Any) -> dict[str, Any]:
    """Return an axis with its title; `more` has what is particular to it."""
    text = {"title": {"text": title, "font": {"size": 13}, "standoff": 15}} if title else {}
    return {"zeroline": False, "gridcolor": theme.grid, "automargin": True, **text, **more}


def accuracies(theme: Theme) -> dict[str, Any]:
    """Return an axis of balanced accuracies."""
    return axis(theme, "balanced accuracy", tickformat=_SHARE)


def layout(theme: Theme, **more: Any) -> dict[str, Any]:
    """Return the layout of a chart, whose legend stands above it; `more` has its axes."""
    return {
        **page_layout(theme.ink),
        "margin": {"l": 8, "r": 12, "t": 24, "b": 40},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom"},
        "dragmode": False,
        **more,
    }


def line(x: Sequence[Any], y: Sequence[float], name: str, **look: Any) -> dict[str, Any]:
    """Return a line with a mark at each point; `look` has its color and its dash."""
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines+markers",
        "name": name,
        "line": {"width": 1.5, **look},
        "hovertemplate": "%{y:.1%}",
    }


def points(
    places: Sequence[Sequence[float]], name: str, texts: Sequence[str] = (), **look: Any
) -> dict[str, Any]:
    """Return marks at places, each with its text if there are any; `look` has their marker."""
    hover = {"text": texts, "hovertemplate": "%{text}"} if texts else {"hoverinfo": "skip"}
    x, y = ([place[number] for place in places] for number in (0, 1))
    marks = {"mode": "markers", "marker": {"size": 7, **look}}
    return {"type": "scatter", "x": x, "y": y, "name": name, **marks, **hover}


def band(
    x: Sequence[float], lower: Sequence[float], upper: Sequence[float], color: str
) -> dict[str, Any]:
    """Return what lies between two lines."""
    return {
        "type": "scatter",
        "x": [*x, *x[::-1]],
        "y": [*upper, *lower[::-1]],
        "fill": "toself",
        "fillcolor": translucent(color, 0.2),
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
    }


def across(
    theme: Theme, lines: Iterable[tuple[float, str]], up: Iterable[tuple[float, str]] = ()
) -> list[dict[str, Any]]:
    """Return faint lines across the chart at values, and up at others, each with its dash."""
    faint = {"color": theme.faint_ink, "width": 1}
    level = {"type": "line", "xref": "x domain", "yref": "y", "x0": 0, "x1": 1}
    upright = {"type": "line", "xref": "x", "yref": "y domain", "y0": 0, "y1": 1}
    return [
        *(level | {"y0": x, "y1": x, "line": faint | {"dash": dash}} for x, dash in lines),
        *(upright | {"x0": x, "x1": x, "line": faint | {"dash": dash}} for x, dash in up),
    ]


def guessing_note(theme: Theme, guessing: float) -> dict[str, Any]:
    """Return the word beside the line of guessing."""
    return {
        "text": "guessing",
        "font": {"color": theme.faint_ink, "size": 12},
        "showarrow": False,
        "x": 1,
        "xref": "x domain",
        "xanchor": "right",
        "y": guessing,
        "yref": "y",
        "yanchor": "bottom",
    }

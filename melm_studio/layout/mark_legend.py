"""The legend of points that are colored or shaped by a column."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import data
from melm_studio.planes.coloring import Marks
from melm_studio.planes.theme import SHAPES


def mark_legend(column: str, marks: Marks) -> list[Component]:
    """The column above its scale, or above its values, on which a script selects their rows."""
    title = html.Div(column, className="mark-title")
    if marks.is_scale:
        colors = ", ".join(entry.mark for entry in marks.legend)
        scale = {"background": f"linear-gradient(to right, {colors})"}
        ends = [html.Span(marks.legend[at].text) for at in (0, -1)]
        return [
            title,
            html.Div(
                [
                    html.Div(className="mark-scale", style=scale),
                    html.Div(ends, className="mark-ends"),
                ]
            ),
        ]
    entries = [
        html.Button(
            [_sample(entry.mark), entry.text],
            type="button",
            className="mark-entry",
            title=f"Select the rows with {column} {entry.text}",
            **data(selects=entry.mark),
        )
        for entry in marks.legend
    ]
    return [title, html.Ul([html.Li(entry) for entry in entries])]


def _sample(mark: str) -> Component:
    """A symbol, or a color."""
    if mark in SHAPES:
        return html.Span(SHAPES[mark].glyph, className="glyph")
    return html.Span(className="swatch", style={"background": mark})

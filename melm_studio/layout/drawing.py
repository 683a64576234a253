"""The dialog in which a table is painted; a script opens it, paints and asks for the table."""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.buttons import button
from melm_studio.layout.run_dialogs import dialog_frame
from melm_studio.layout.shell.markup import Element
from melm_studio.workspace.drawing import CLASSES

_SIZES = (50, 100, 200, 400, 1_000)
_CANVAS = (
    "Canvas. Paint with the pointer; or move the brush by the arrow keys, paint with Space, choose "
    "the class by 1, 2 or 3, and undo with Backspace."
)


def drawing_dialog() -> Component:
    """The dialog, closed until a script opens it."""
    sizes = [html.Option(f"{n_rows:,}", value=str(n_rows)) for n_rows in _SIZES]
    rows = html.Select([html.Option("As painted", value=""), *sizes], name="rows")
    run = html.Button("Hide and run", type="submit", className="button is-primary")
    parts = [
        html.Canvas(tabIndex="0", role="application", **aria(label=_CANVAS), **_part("canvas")),
        html.Div(
            [
                *(_class(code, name) for code, name in enumerate(CLASSES)),
                button("Undo", **_part("undo")),
                button("Clear", **_part("clear")),
            ],
            className="drawing-row",
        ),
        html.P(role="status", **_part("words")),
        html.Div([html.Label([html.Span("Rows"), rows]), run], className="drawing-row"),
    ]
    return dialog_frame(
        ids.DRAWING, "dialog drawing-dialog", "Draw a table", _part, [html.Form(parts)]
    )


def _class(code: int, name: str) -> Component:
    choice = Element("input", type="radio", name="class", value=code, checked=code == 0)
    swatch = html.Span(className="swatch circle", style={"background": f"var(--class-{code})"})
    return html.Label([choice, swatch, html.Span(name)])


def _part(name: str) -> dict[str, Any]:
    return data(drawing=name)

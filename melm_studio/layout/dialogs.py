"""Dialogs, closed until a script opens them: files, a figure for print, a painted table.

Scripts fill them, paint in them, and request what they are for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.elements import LINEAR, Element, aria, button, data, icon_button
from melm_studio.publication.style import (
    COLUMN_MM,
    FORMATS,
    LAYERS,
    TWO_COLUMNS_MM,
    FigureStyle,
    Layer,
)
from melm_studio.workspace.data_source import CLASSES

DOWNLOADS_TITLE = "Program and data"

# The files of a plane: name, label, what the run must be, content.
_FILES = (
    ("script.py", "Python script", LINEAR, "Places new rows without the studio"),
    ("model.json", "Model (JSON)", LINEAR, "The plane and its preparation, for other programs"),
    ("points.csv", "Projected points (CSV)", "", "Every row in the plane"),
    ("components.csv", "Components (CSV)", LINEAR, "The loadings of every feature"),
)

# From the name of an element to the attribute by which a script finds it in the dialog.
Part = Callable[[str], dict[str, Any]]
DEFAULTS = FigureStyle()
# Width and height of common sizes in millimeters, and their names.
SIZES = {
    f"{COLUMN_MM:g}x{COLUMN_MM:g}": f"One column, {COLUMN_MM:g} mm",
    f"{TWO_COLUMNS_MM:g}x{0.65 * TWO_COLUMNS_MM:g}": f"Two columns, {TWO_COLUMNS_MM:g} mm",
    "254x143": "Slide, 254 x 143 mm",
    "": "Own size",
}
LAYER_NAMES: dict[Layer, str] = {
    "contours": "Contours",
    "points": "Points",
    "arrows": "Arrows with names",
    "names": "Class names on the clouds",
    "class_ellipses": "95 % of each class, if normal",
    "mean_ellipses": "95 % for each mean, if normal",
    "centroids": "Means of the classes",
}
_LEGENDS = {"below": "Below", "right": "Right", "none": "None"}
_PALETTES = {"color": "Color", "gray": "Shades of gray"}
_BACKGROUNDS = {"white": "White", "transparent": "Transparent"}
_WHICH = {"one": "This run", "all": "All runs side by side"}
_ROWS_OF_DRAWING = (50, 100, 200, 400, 1_000)
_CANVAS = (
    "Canvas. Paint with the pointer; or move the brush by the arrow keys, paint with Space, choose "
    "the class by 1, 2 or 3, and undo with Backspace."
)


def dialog_frame(
    component_id: str, class_name: str, title: str, part: Part, content: Sequence[Component]
) -> Component:
    """A dialog with a head above its content, closed until a script opens it."""
    return html.Dialog(
        [dialog_head(component_id, title, part), *content],
        id=component_id,
        className=class_name,
        **aria(labelledby=_title_id(component_id)),
    )


def dialog_head(component_id: str, title: str, part: Part) -> Component:
    """The title of a dialog, which names it, and the button that closes it."""
    return html.Div(
        [
            html.H2(title, id=_title_id(component_id), **part("title")),
            icon_button("close", "Close", **data(closes=component_id)),
        ],
        className="dialog-head row",
    )


def _title_id(component_id: str) -> str:
    return f"{component_id}-title"


def downloads_dialog() -> Component:
    """The files of the plane on screen, closed until a script opens it and sets their addresses."""
    return dialog_frame(
        ids.DOWNLOADS,
        "dialog",
        DOWNLOADS_TITLE,
        _part_of_downloads,
        [
            html.P("Of the plane on screen.", className="hint"),
            html.Ul(
                [
                    html.Li(
                        [
                            html.A(label, download="", **data(file=file, needs=needed)),
                            html.Small(meaning),
                        ]
                    )
                    for file, label, needed, meaning in _FILES
                ],
                className="downloads",
            ),
        ],
    )


def _part_of_downloads(name: str) -> dict[str, Any]:
    return data(downloads=name)


def figure_dialog() -> Component:
    """The dialog, closed until a script opens it."""
    form = html.Form(
        [
            html.Div([_preview(), _choices()], className="figure-body"),
            html.Div(
                [
                    html.P(
                        role="status", className="figure-words small", **_part_of_figure("words")
                    ),
                    _select("format", "Format", {name: name.upper() for name in FORMATS}),
                    html.Button(
                        "Save figure",
                        type="submit",
                        className="button is-primary",
                        **_part_of_figure("download"),
                    ),
                ],
                className="figure-foot row wrap",
            ),
        ],
        method="dialog",
    )
    return dialog_frame(
        ids.FIGURE, "dialog figure-dialog", "Figure for print", _part_of_figure, [form]
    )


def _part_of_figure(name: str) -> dict[str, Any]:
    return data(figure=name)


def figure_button() -> Component:
    """A button of Present that opens the dialog; elsewhere Share does."""
    return html.Button(
        "Figure",
        type="button",
        className="button",
        title="Save the picture for print: PDF, SVG or PNG",
        **data(figure_of="front"),
    )


def _preview() -> Component:
    return html.Div(
        html.Img(alt="Preview of the figure", **_part_of_figure("preview")),
        className="figure-preview",
    )


def _choices() -> Component:
    return html.Div(
        [
            _select("which", "Panels", _WHICH),
            _select("size", "Size", SIZES),
            html.Div(
                [
                    _number("width", "Width, mm", 20, 400, DEFAULTS.width),
                    _number("height", "Height, mm", 20, 400, DEFAULTS.height),
                    _number("font", "Type, pt", 4, 36, DEFAULTS.font),
                ],
                className="field-grid is-three",
            ),
            _select("legend", "Legend", _LEGENDS, DEFAULTS.legend),
            html.Fieldset(
                [
                    html.Legend("Layers"),
                    *(_check("layers", LAYER_NAMES[layer], layer) for layer in LAYERS),
                ]
            ),
            html.Details(
                [
                    html.Summary("More"),
                    _select("palette", "Colors", _PALETTES),
                    _select("background", "Background", _BACKGROUNDS),
                    _number("dpi", "Resolution of a PNG, dpi", 72, 1200, DEFAULTS.dpi),
                    _check("axis_titles", "Axis titles and numbers"),
                    _check("panel_titles", "Name of the run"),
                ]
            ),
        ],
        className="figure-choices stack",
    )


def _select(
    name: str, label: str, options: Mapping[str, str], value: str | None = None
) -> Component:
    choices = [html.Option(text, value=key, selected=key == value) for key, text in options.items()]
    return html.Label(
        [html.Span(label), html.Select(choices, name=name)], className="figure-field stack"
    )


def _number(name: str, label: str, low: float, high: float, value: float) -> Component:
    bounds = {"min": f"{low:g}", "max": f"{high:g}", "value": f"{value:g}"}
    field = Element("input", type="number", step="any", required=True, name=name, **bounds)
    return html.Label([html.Span(label), field], className="figure-field stack")


def _check(name: str, label: str, layer: Layer | None = None) -> Component:
    is_on = getattr(DEFAULTS, name) if layer is None else layer in DEFAULTS.layers
    box = Element("input", type="checkbox", name=name, value=layer, checked=is_on)
    return html.Label([box, html.Span(label)], className="figure-check row")


def drawing_dialog() -> Component:
    """The dialog, closed until a script opens it."""
    sizes = [html.Option(f"{n_rows:,}", value=str(n_rows)) for n_rows in _ROWS_OF_DRAWING]
    rows = html.Select([html.Option("As painted", value=""), *sizes], name="rows")
    run = html.Button("Hide and run", type="submit", className="button is-primary")
    parts = [
        html.Canvas(
            tabIndex="0", role="application", **aria(label=_CANVAS), **_part_of_drawing("canvas")
        ),
        html.Div(
            [
                *(_class(code, name) for code, name in enumerate(CLASSES)),
                button("Undo", **_part_of_drawing("undo")),
                button("Clear", **_part_of_drawing("clear")),
            ],
            className="drawing-row row",
        ),
        html.P(role="status", **_part_of_drawing("words")),
        html.Div([html.Label([html.Span("Rows"), rows]), run], className="drawing-row row"),
    ]
    return dialog_frame(
        ids.DRAWING, "dialog drawing-dialog", "Draw a table", _part_of_drawing, [html.Form(parts)]
    )


def _class(code: int, name: str) -> Component:
    choice = Element("input", type="radio", name="class", value=code, checked=code == 0)
    swatch = html.Span(className="swatch circle", style={"background": f"var(--class-{code})"})
    return html.Label([choice, swatch, html.Span(name)])


def _part_of_drawing(name: str) -> dict[str, Any]:
    return data(drawing=name)

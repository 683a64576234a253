"""The dialog of a figure for print: its size, its layers, a preview, and the file.

A script opens it, and requests preview and file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import data
from melm_studio.layout.run_dialogs import dialog_frame
from melm_studio.layout.shell.markup import Element
from melm_studio.publication.style import (
    COLUMN_MM,
    FORMATS,
    LAYERS,
    TWO_COLUMNS_MM,
    FigureStyle,
    Layer,
)

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


def figure_dialog() -> Component:
    """The dialog, closed until a script opens it."""
    form = html.Form(
        [
            html.Div([_preview(), _choices()], className="figure-body"),
            html.Div(
                [
                    html.P(role="status", className="figure-words", **_part("words")),
                    _select("format", "Format", {name: name.upper() for name in FORMATS}),
                    html.Button(
                        "Save figure",
                        type="submit",
                        className="button is-primary",
                        **_part("download"),
                    ),
                ],
                className="figure-foot",
            ),
        ],
        method="dialog",
    )
    return dialog_frame(ids.FIGURE, "dialog figure-dialog", "Figure for print", _part, [form])


def _part(name: str) -> dict[str, Any]:
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
        html.Img(alt="Preview of the figure", **_part("preview")),
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
                className="figure-row",
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
        className="figure-choices",
    )


def _select(
    name: str, label: str, options: Mapping[str, str], value: str | None = None
) -> Component:
    choices = [html.Option(text, value=key, selected=key == value) for key, text in options.items()]
    return html.Label([html.Span(label), html.Select(choices, name=name)], className="figure-field")


def _number(name: str, label: str, low: float, high: float, value: float) -> Component:
    bounds = {"min": f"{low:g}", "max": f"{high:g}", "value": f"{value:g}"}
    field = Element("input", type="number", step="any", required=True, name=name, **bounds)
    return html.Label([html.Span(label), field], className="figure-field")


def _check(name: str, label: str, layer: Layer | None = None) -> Component:
    is_on = getattr(DEFAULTS, name) if layer is None else layer in DEFAULTS.layers
    box = Element("input", type="checkbox", name=name, value=layer, checked=is_on)
    return html.Label([box, html.Span(label)], className="figure-check")

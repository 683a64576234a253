"""The tools over the picture of a run: dragging, layers, plane editing; scripts operate them."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.elements import (
    FLAT,
    LINEAR,
    PLANAR,
    SPACE,
    Element,
    aria,
    data,
    icon_button,
    needs,
    part,
    switch,
)

_DRAGS = {
    "pan": ("pan", "Pan"),
    "lasso": ("lasso", "Lasso: draw around rows to select them"),
    "select": ("box", "Box: drag a box over rows to select them"),
}


def picture_tools() -> Component:
    """The tools over the picture: what dragging does, the whole picture, and its layers."""
    return html.Div(
        [
            *drag_buttons(),
            icon_button("fit", "Show everything", **part("fit")),
            icon_button(
                "palette", "Color and shape by a column", **part("marks"), **data(opens="")
            ),
            _marks(),
            icon_button("layers", "Layers and arrows", **part("layers"), **data(opens="")),
            _layers(),
        ],
        className="picture-tools explore-only",
        role="toolbar",
        **part("picture-tools"),
        **aria(label="Picture"),
    )


def drag_buttons() -> list[Component]:
    """Return the buttons that choose what dragging does; a script presses them in every panel."""
    return [
        icon_button(icon, label, **data(drag=drag), **aria(pressed="false"))
        for drag, (icon, label) in _DRAGS.items()
    ]


def layer_switches() -> list[Component]:
    """The layers of every picture."""
    return [
        switch("contours", "Contours", "Regions that hold 50, 80 and 95 % of unseen rows"),
        switch("arrows", "Arrows", "The features with the largest loadings"),
        switch("names", "Class names", "The name of every class on its cloud"),
    ]


def more_layer_switches() -> list[Component]:
    """Layers that assume normal classes, off until they are asked for."""
    return [
        switch(
            "class_ellipses",
            "95 % of each class",
            "Ellipses in which 95 % of a class lie if it is normal; contours assume no shape",
            is_on=False,
        ),
        switch(
            "mean_ellipses",
            "95 % for each mean",
            "Ellipses in which the mean of a class lies with 95 % confidence, if it is normal",
            is_on=False,
        ),
        switch("centroids", "Means", "The mean of the training rows of each class", is_on=False),
    ]


def _layers() -> Component:
    """Layers, arrows and the view angle; a nonlinear projection has no arrows."""
    return html.Div(
        [
            html.Div(
                [
                    *layer_switches(),
                    switch("verdict", "Verdict", "What the held-out rows say, above the picture"),
                ],
                className="switches wrap",
            ),
            html.Div(more_layer_switches(), className="switches wrap", **needs(PLANAR)),
            html.Div(slider("Arrows shown", "arrow-limit", 0, 1, 1), **needs(LINEAR)),
            _arrow(),
            _direction(),
        ],
        className="tools popover",
        **part("tools"),
    )


def _marks() -> Component:
    """Return the legend of the colors and shapes of points; a script lists the columns."""
    fields = {"color-by": "Color by", "shape-by": "Shape by"}
    return html.Div(
        [
            html.Label(
                [html.Span(label), html.Select([], **part(name), **aria(label=label))],
                className="tool",
            )
            for name, label in fields.items()
        ],
        className="tools popover",
        **part("mark-tools"),
    )


def _arrow() -> Component:
    explanation = (
        "Drag the tip of an arrow in the plot, or select a feature and set its angle and length"
    )
    return html.Fieldset(
        [
            html.Legend("Move an arrow", title=explanation),
            html.Label(
                [
                    html.Span("Feature"),
                    # The options come with the plane.
                    html.Select([], **part("arrow"), **aria(label="Feature")),
                ],
                className="tool",
            ),
            slider("Angle", "angle", -180, 180, 0),
            slider("Length", "length", 0, 200, 0),
            slider("Place on its curve", "path-share", 1, 99, 50),
        ],
        **needs(LINEAR, FLAT),
    )


def _direction() -> Component:
    return html.Fieldset(
        [
            html.Legend("View angle"),
            slider("Azimuth", "side", -180, 180, 0),
            slider("Elevation", "up", -180, 180, 0),
            html.P("Or drag the plot. Shift-drag pans it.", className="hint"),
        ],
        **needs(SPACE),
    )


def slider(label: str, name: str, low: int, high: int, value: int, *, step: float = 1) -> Component:
    """A slider by that name with its label, and a field of its number, which a script connects."""
    bounds = {"min": low, "max": high, "step": f"{step:g}", "value": value}
    words = [html.Span(label), Element("input", type="range", **bounds, **part(name))]
    # Its bounds may change, and where the range ends it may say another number.
    number = {"step": f"{step:g}", "value": value, **aria(label=f"{label}, number")}
    both = [html.Label(words), Element("input", type="number", **number)]
    return html.Div(html.Div(both, className="numbered"), className="tool")

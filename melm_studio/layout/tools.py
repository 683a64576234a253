"""Plane editing: controls beside the plane of the run in front, filled by a script."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data, needs, part

# The features of a run; the script removes the controls that need others.
LINEAR = "linear"
FLAT = "flat"
SPACE = "space"


def tools() -> Component:
    """The controls of a panel; a nonlinear projection has no arrows to limit or move."""
    return html.Div(
        [_arrow_limit(), _kept(), _arrow(), _direction()],
        className="tools explore-only",
        **part("tools"),
    )


def _arrow_limit() -> Component:
    """The script sets the range, which depends on the plane."""
    return html.Div(_slider("Arrows shown", "arrow-limit", 0, 1, 1), **needs(LINEAR))


def _kept() -> Component:
    return html.Div(
        [
            _slider("Keep top features", "kept", 1, 2, 2),
            html.P(className="tool-words", role="status", **part("kept-words")),
        ],
        **needs(LINEAR),
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
            _slider("Angle", "angle", -180, 180, 0),
            _slider("Length", "length", 0, 200, 0),
        ],
        **needs(LINEAR, FLAT),
    )


def _direction() -> Component:
    return html.Fieldset(
        [
            html.Legend("View angle"),
            _slider("Azimuth", "side", -180, 180, 0),
            _slider("Elevation", "up", -180, 180, 0),
            html.P("Or drag the plot. Shift-drag pans it.", className="tool-words"),
        ],
        **needs(SPACE),
    )


def _slider(label: str, name: str, low: int, high: int, value: int) -> Component:
    # Dash has no plain range input: the script replaces this element by one.
    return html.Div(
        className="tool",
        **data(slider=name, label=label, low=str(low), high=str(high), value=str(value)),
    )

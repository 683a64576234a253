"""What takes a plane by hand: beside the picture of the run in front, filled by a script."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data, needs, part

# What a run has, by which the script knows what its panel needs.
LINEAR = "linear"
FLAT = "flat"
SPACE = "space"


def tools() -> Component:
    """The tools of a panel; a picture without features has arrows neither to hide nor to move."""
    return html.Div(
        [_arrow_limit(), _kept(), _arrow(), _direction()],
        className="tools explore-only",
        **part("tools"),
    )


def _arrow_limit() -> Component:
    """The range is set by the script, which knows how many arrows and features there are."""
    return html.Div(_slider("Arrows shown", "arrow-limit", 0, 1, 1), **needs(LINEAR))


def _kept() -> Component:
    return html.Div(
        [
            _slider("Features kept", "kept", 1, 2, 2),
            html.P(className="tool-words", role="status", **part("kept-words")),
        ],
        **needs(LINEAR),
    )


def _arrow() -> Component:
    explanation = "Drag the tip of an arrow in the picture, or choose it here and turn it"
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
            html.Legend("Look from"),
            _slider("Side", "side", -180, 180, 0),
            _slider("Above", "up", -180, 180, 0),
            html.P("Or drag the picture; with Shift, it is moved.", className="tool-words"),
        ],
        **needs(SPACE),
    )


def _slider(label: str, name: str, low: int, high: int, value: int) -> Component:
    # Dash has no plain range input: the script makes one of these marks.
    return html.Div(
        className="tool",
        **data(slider=name, label=label, low=str(low), high=str(high), value=str(value)),
    )

"""The dialog of T² and Q: which rows are far in the plane of a run, or off it, and why."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data

_EXPLANATION = (
    "T² is the distance from the center within the plane, Q the squared distance from it. One in a "
    "hundred rows like those of the table is beyond each line: dashed for training rows, dotted "
    "for held-out rows, which are open. Click a row, or choose it, to select it and to see why."
)


def distances_dialog() -> Component:
    """The dialog, closed until a script opens it and draws."""
    heading = f"{ids.DISTANCES}-title"
    return html.Dialog(
        [
            html.Div(
                [
                    html.H2("Distances of the rows from the plane", id=heading),
                    html.Button(
                        html.Span(className="icon icon-close"),
                        type="button",
                        className="button is-icon",
                        **data(distances="close"),
                        **aria(label="Close"),
                    ),
                ],
                className="dialog-head",
            ),
            html.P(role="status", className="distances-words", **data(distances="words")),
            html.Div(
                [
                    html.Div(role="img", className="distances-plot", **data(distances="plot")),
                    html.Div(
                        [
                            html.Label(
                                [
                                    html.Span("Row, farthest first"),
                                    html.Select([], **data(distances="rows")),
                                ],
                                className="distances-choice",
                            ),
                            html.P(role="status", **data(distances="row")),
                            html.Div(
                                role="img",
                                className="distances-plot",
                                **data(distances="contributions"),
                            ),
                        ]
                    ),
                ],
                className="distances-body",
            ),
            html.P(_EXPLANATION, className="hint"),
        ],
        id=ids.DISTANCES,
        className="distances",
        **aria(labelledby=heading),
    )

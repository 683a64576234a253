"""The dialog of T² and Q: which rows are far in the plane of a run, or off it, and why."""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import data
from melm_studio.layout.dialogs.frame import dialog_frame

_EXPLANATION = (
    "T² is the distance from the center within the plane, Q the squared distance from it. One in a "
    "hundred rows like those of the table is beyond each line: dashed for training rows, dotted "
    "for held-out rows, which are open. Click a row, or choose it, to select it and to see why."
)


def distances_dialog() -> Component:
    """The dialog, closed until a script opens it and draws."""
    return dialog_frame(
        ids.DISTANCES,
        "dialog distances",
        "Distances of the rows from the plane",
        _part,
        [
            html.P(role="status", className="distances-words", **_part("words")),
            html.Div(
                [
                    html.Div(role="img", className="distances-plot", **_part("plot")),
                    html.Div(
                        [
                            html.Label(
                                [
                                    html.Span("Row, farthest first"),
                                    html.Select([], **_part("rows")),
                                ],
                                className="distances-choice",
                            ),
                            html.P(role="status", **_part("row")),
                            html.Div(
                                role="img",
                                className="distances-plot",
                                **_part("contributions"),
                            ),
                        ]
                    ),
                ],
                className="distances-body",
            ),
            html.P(_EXPLANATION, className="hint"),
        ],
    )


def _part(name: str) -> dict[str, Any]:
    return data(distances=name)

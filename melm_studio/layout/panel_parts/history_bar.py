"""Below the picture of a run: the objective along the search, and by kernel width."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data, needs, part
from melm_studio.layout.buttons import button
from melm_studio.layout.panel_parts.tools import TREE

_CURVES = {"search": "Along the search", "gamma": "By γ"}


def history() -> Component:
    """The curve of a run, what replays it, and its scores."""
    return html.Div(
        [
            html.Div(
                [
                    html.Span(className="player", **part("player")),
                    html.Div(
                        [_tab(name, label) for name, label in _CURVES.items()],
                        className="segments explore-only",
                        role="group",
                        **aria(label="Curve"),
                    ),
                    html.Ul(className="curve-legend", **part("curve-legend")),
                    button("", "is-light gamma-advice", hidden=True, **part("gamma-advice")),
                    _tree_button(),
                    html.Div(className="position explore-only", **part("position")),
                    _numbers(),
                ],
                className="history-bar",
            ),
            html.Div(
                [
                    html.Div(className="curve", **part("curve")),
                    html.Div(className="cursor", **part("cursor")),
                    html.Div(className="scrubber", **part("scrubber")),
                ],
                className="curve-frame",
            ),
        ],
        className="history",
    )


def _tree_button() -> Component:
    names = {**part("curve-tree"), **needs(TREE)}
    return button("Tree of planes", "curve-tree explore-only", **names)


def _tab(name: str, label: str) -> Component:
    return html.Button(
        label,
        type="button",
        className="segment",
        **data(curve=name),
        **part("by-gamma" if name == "gamma" else "along-search"),
        **aria(pressed="false"),
    )


def _numbers() -> Component:
    """Every score for the training rows and, beside it, for the held-out rows."""
    return html.Dl(
        [
            *_score("Divergence", "divergence", "Cauchy-Schwarz divergence between the classes"),
            *_score("Accuracy", "accuracy", "Balanced accuracy of the class-density classifier"),
        ],
        className="numbers",
    )


def _score(label: str, field: str, meaning: str) -> list[Component]:
    return [
        html.Dt(label, title=meaning),
        html.Dd(
            [
                html.Span("–", className="value", **part(f"{field}-training")),
                html.Span("train", className="unit"),
                html.Span("–", className="value", **part(f"{field}-held-out")),
                html.Span("held out", className="unit"),
            ]
        ),
    ]

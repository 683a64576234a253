"""Beside the picture of a run: the features that separate the classes, and the selected rows."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data, needs, part
from melm_studio.layout.buttons import button
from melm_studio.layout.panel_parts.batch_card import batch_card
from melm_studio.layout.panel_parts.rows_card import new_rows_card, selection_card
from melm_studio.layout.panel_parts.tools import LINEAR, slider


def side() -> Component:
    """The side column; a script fills its lists."""
    return html.Div(
        [new_rows_card(), _features(), batch_card(), selection_card()],
        className="panel-side explore-only",
    )


def _features() -> Component:
    return html.Section(
        [
            html.Div(
                [
                    html.H3("What separates them"),
                    button("Classes", hidden=True, **part("feature-densities")),
                ],
                className="features-head",
            ),
            html.Div(className="features-line", **part("features-line")),
            html.Ol(className="features", **part("features"), **aria(label="Features")),
            html.P(className="hint", **part("features-more")),
            slider("Keep top features", "top-features", 1, 2, 2),
            html.Div(
                [
                    html.P(className="tool-words", role="status", **part("top-features-words")),
                    button("How few suffice?", "is-text", **data(analysis="sparse")),
                ],
                className="features-foot",
            ),
        ],
        className="side-card features-card",
        **needs(LINEAR),
    )

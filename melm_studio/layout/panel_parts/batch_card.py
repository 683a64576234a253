"""Beside the picture of a run whose table has batches: how well they are told apart."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_core.methods import BATCH_WEIGHT
from melm_studio.layout.attributes import aria, part, tip
from melm_studio.layout.panel_parts.tools import slider

# Finer steps are no other picture, and each is a refit.
_STEP = 0.25


def batch_card() -> Component:
    """Hidden until a plane has batches; a script fills it."""
    return html.Section(
        [
            html.H3("Batches", **tip(BATCH_WEIGHT.explanation)),
            html.P(className="tool-words", role="status", **part("batch-words")),
            html.Div(
                [
                    slider(
                        BATCH_WEIGHT.label,
                        "batch-weight",
                        int(BATCH_WEIGHT.minimum),
                        int(BATCH_WEIGHT.maximum),
                        int(BATCH_WEIGHT.default),
                        step=_STEP,
                    ),
                    html.Details(
                        [
                            html.Summary("What it costs"),
                            html.Div(className="trade-off", **part("trade-off")),
                        ],
                        **part("trade-off-details"),
                    ),
                ],
                **part("batch-tools"),
            ),
        ],
        className="side-card batch-card",
        hidden=True,
        **part("batch-card"),
        **aria(label="Batches"),
    )

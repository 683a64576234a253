"""What is known of a data set, in words, with the legend of its classes."""

from __future__ import annotations

from collections.abc import Sequence

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_core.datasets import LabelledData


def data_summary(data: LabelledData, swatches: Sequence[tuple[str, str]]) -> Component:
    """Name, size, classes with their colours, and what was done to the table.

    Parameters
    ----------
    data : LabelledData
    swatches : sequence of (colour, shape)
        How each class is drawn; the colour is a CSS value.
    """
    return dmc.Stack(
        [
            html.Div(
                [
                    dmc.Text(data.name, fw=600, className="data-name"),
                    dmc.Text(_size(data), size="sm", c="dimmed"),
                ]
            ),
            _legend(data, swatches),
            _steps(data.steps),
        ],
        gap="xs",
    )


def _size(data: LabelledData) -> str:
    n_samples, n_features = data.X.shape
    return f"{_grouped(n_samples)} rows, {n_features} features, {len(data.class_names)} classes"


def _legend(data: LabelledData, swatches: Sequence[tuple[str, str]]) -> Component:
    counts = [int((data.y == code).sum()) for code in range(len(data.class_names))]
    items = [
        html.Li(
            [
                html.Span(className=f"swatch {shape}", style={"backgroundColor": colour}),
                html.Span(name, className="class-name", title=name),
                html.Span(_grouped(count), className="count"),
            ]
        )
        for name, count, (colour, shape) in zip(data.class_names, counts, swatches, strict=True)
    ]
    return html.Ul(items, className="legend", **{"aria-label": "Classes"})


def _steps(steps: Sequence[str]) -> Component:
    return dmc.Accordion(
        dmc.AccordionItem(
            [
                dmc.AccordionControl("What was done to the table"),
                dmc.AccordionPanel(html.Ul([html.Li(step) for step in steps], className="steps")),
            ],
            value="steps",
        ),
        variant="default",
        chevronPosition="left",
        className="steps-accordion",
    )


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")

"""What is known of a data set, in words and figures, with the legend of its classes."""

from __future__ import annotations

from collections.abc import Sequence

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria
from melm_studio.layout.attributes import data as data_attributes
from melm_studio.tables import LabelledData, Summary

_DENSITY = "Share of the values in the table that are not zero."
_DIRECTIONS = (
    "How many principal directions hold 95 % of the variance, of all rows and of each class: the "
    "fewer they are, the flatter the data."
)


def data_summary(
    data: LabelledData, summary: Summary, swatches: Sequence[tuple[str, str]]
) -> Component:
    """Name, size, classes with their colours, and what was done to the table.

    Parameters
    ----------
    data : LabelledData
    summary : Summary
        Its figures, those of Table 1 of the MELM paper.
    swatches : sequence of (colour, shape)
        How each class is drawn; the colour is a CSS value.
    """
    return dmc.Stack(
        [
            html.Div(
                [
                    dmc.Text(data.name, fw=600, className="data-name"),
                    dmc.Text(_size(summary), size="sm", c="dimmed"),
                ]
            ),
            _figures(summary),
            _legend(data.class_names, summary, swatches),
            _steps(data.steps),
        ],
        gap="xs",
    )


def _size(summary: Summary) -> str:
    rows, features = _grouped(summary.n_samples), _grouped(summary.n_features)
    return f"{rows} rows, {features} features, {len(summary.class_sizes)} classes"


def _figures(summary: Summary) -> Component:
    is_sample = summary.n_rows_used < summary.n_samples
    counted = f" Counted in a sample of {_grouped(summary.n_rows_used)} rows." if is_sample else ""
    about = "\N{ALMOST EQUAL TO} " if is_sample else ""
    return html.Dl(
        [
            _figure("density", f"{summary.density:.2f}", _DENSITY),
            _figure(_d95(), f"{about}{_grouped(summary.n_directions)}", _DIRECTIONS + counted),
        ],
        className="key-figures",
    )


def _figure(term: str | list[str | Component], value: str, explanation: str) -> Component:
    explained = dmc.Tooltip(
        html.Span(term, tabIndex=0, className="explained"),
        label=explanation,
        multiline=True,
        w=240,
        events={"hover": True, "focus": True, "touch": True},
    )
    return html.Div([html.Dt(explained), html.Dd(value)])


def _d95() -> list[str | Component]:
    return ["d", html.Sup(".95")]


def _legend(
    names: Sequence[str], summary: Summary, swatches: Sequence[tuple[str, str]]
) -> Component:
    classes = zip(names, summary.class_sizes, summary.class_directions, swatches, strict=True)
    items = [
        html.Li(
            [
                html.Span(className=f"swatch {shape}", style={"backgroundColor": colour}),
                html.Button(
                    name,
                    type="button",
                    className="button is-text class-name",
                    title=f"Show {name} alone",
                    **data_attributes(class_=str(code)),
                    **aria(pressed="false"),
                ),
                html.Span(_grouped(size), className="count"),
                html.Span(_grouped(directions), className="count directions"),
            ]
        )
        for code, (name, size, directions, (colour, shape)) in enumerate(classes)
    ]
    head = html.Div(
        [html.Span("rows", className="count"), html.Span(_d95(), className="count directions")],
        className="legend-head",
    )
    return html.Div([head, html.Ul(items, className="legend", **aria(label="Classes"))])


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
        className="folded",
    )


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")

"""The summary of a data set, with the legend of its classes."""

from __future__ import annotations

from collections.abc import Sequence

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria
from melm_studio.layout.attributes import data as data_attributes
from melm_studio.tables import LabeledData, Summary, count, number

_FILLED = "Share of table cells that are not zero."
_COMPONENTS = (
    "Number of principal components that hold 95 % of the variance, of all rows and of each class: "
    "the fewer, the flatter the data."
)


def data_summary(
    data: LabeledData, summary: Summary, swatches: Sequence[tuple[str, str]]
) -> Component:
    """Name, size, classes with their colors, and how the table was prepared.

    Parameters
    ----------
    data : LabeledData
    summary : Summary
        Its key figures, those of Table 1 of the MELM paper.
    swatches : sequence of (color, shape)
        How each class is drawn; the color is a CSS value.
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
    rows, features = count(summary.n_samples, "row"), count(summary.n_features, "feature")
    return f"{rows}, {features}, {len(summary.class_sizes)} classes"


def _figures(summary: Summary) -> Component:
    is_sample = summary.n_rows_used < summary.n_samples
    sampled = f" Computed on a sample of {number(summary.n_rows_used)} rows." if is_sample else ""
    about = "\N{ALMOST EQUAL TO} " if is_sample else ""
    return html.Dl(
        [
            _figure("filled cells", f"{100 * summary.density:.0f} %", _FILLED),
            _figure(
                "components for 95 % of variance",
                f"{about}{number(summary.n_directions)}",
                _COMPONENTS + sampled,
            ),
        ],
        className="key-figures",
    )


def _figure(term: str, value: str, explanation: str) -> Component:
    explained = dmc.Tooltip(
        html.Span(term, tabIndex=0, className="explained"),
        label=explanation,
        multiline=True,
        w=240,
        events={"hover": True, "focus": True, "touch": True},
    )
    return html.Div([html.Dt(explained), html.Dd(value)])


def _legend(
    names: Sequence[str], summary: Summary, swatches: Sequence[tuple[str, str]]
) -> Component:
    classes = zip(names, summary.class_sizes, summary.class_directions, swatches, strict=True)
    items = [
        html.Li(
            [
                html.Span(className=f"swatch {shape}", style={"backgroundColor": color}),
                html.Button(
                    name,
                    type="button",
                    className="button is-text class-name",
                    title=f"Show only {name}",
                    **data_attributes(class_=str(code)),
                    **aria(pressed="false"),
                ),
                html.Span(number(size), className="count"),
                html.Span(number(directions), className="count directions"),
            ]
        )
        for code, (name, size, directions, (color, shape)) in enumerate(classes)
    ]
    head = html.Div(
        [
            html.Span("rows", className="count"),
            html.Span("PCs", className="count directions", title=_COMPONENTS),
        ],
        className="legend-head",
    )
    return html.Div([head, html.Ul(items, className="legend", **aria(label="Classes"))])


def _steps(steps: Sequence[str]) -> Component:
    return dmc.Accordion(
        dmc.AccordionItem(
            [
                dmc.AccordionControl("How the table was prepared"),
                dmc.AccordionPanel(html.Ul([html.Li(step) for step in steps], className="steps")),
            ],
            value="steps",
        ),
        variant="default",
        chevronPosition="left",
        className="folded",
    )

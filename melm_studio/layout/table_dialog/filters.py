"""The rows that are used: filters by the values of columns, and rows left out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.elements import aria, by_name
from melm_studio.tables import count
from melm_studio.workspace.table_choices import LEFT_OUT

MAX_OFFERED = 100  # at once; typing finds the others


def filters_tab() -> Component:
    """The filters, which are filled in when the tab is opened, and the form of a new one."""
    new = dmc.Group(
        [
            dmc.Select(
                id=ids.FILTER_COLUMN,
                label="Choose rows by",
                data=[],
                limit=MAX_OFFERED,
                size="sm",
                w=220,
                **by_name(),
            ),
            html.Div(id=ids.FILTER_VALUES),
        ],
        align="flex-end",
        gap="sm",
    )
    act = dmc.Group(
        [
            dmc.Button("Keep only these rows", id=ids.FILTER_KEEP, size="compact-sm"),
            dmc.Button(
                "Leave these rows out", id=ids.FILTER_DROP, variant="default", size="compact-sm"
            ),
        ],
        gap="xs",
        className="filter-actions",
    )
    return dmc.Stack(
        [html.Div(id=ids.FILTERS), new, act], gap="sm", pt="sm", className="filters-tab"
    )


def filter_list(words: Sequence[str], n_left_out: int, n_rows: str) -> Component:
    """The filters in words, each with a button that removes it.

    Parameters
    ----------
    words : sequence of str
        What each filter does.
    n_left_out : int
        Rows left out by hand.
    n_rows : str
        How many rows are used, in words.
    """
    items = [_item(text, ids.filter_removal(str(index))) for index, text in enumerate(words)]
    if n_left_out:
        text = f"without {count(n_left_out, 'row')} that you selected"
        items.append(_item(text, ids.filter_removal(LEFT_OUT)))
    return html.Div([html.P(n_rows), html.Ul(items, className="filters")])


def _item(text: str, component_id: dict[str, str]) -> Component:
    return html.Li(
        [
            html.Span(text),
            dmc.Button(
                "Remove",
                id=component_id,
                variant="default",
                size="compact-sm",
                **aria(label=f"Remove: {text}"),
            ),
        ]
    )


def value_choice(values: Sequence[tuple[str, str]]) -> Component:
    """The values of a column, of which some are chosen.

    Parameters
    ----------
    values : sequence of (str, str)
        Each value and what is shown for it.
    """
    return dmc.MultiSelect(
        id=ids.filter_part("values"),
        label="Values",
        data=[{"value": value, "label": label} for value, label in values],
        value=[],
        searchable=True,
        limit=MAX_OFFERED,
        size="sm",
        w=340,
    )


def range_choice(low: float, high: float) -> Component:
    """A range of numbers, open where a field is left empty; the ends of the column are shown."""
    fields = [
        dmc.NumberInput(
            id=ids.filter_part(name), label=label, placeholder=f"{end:.6g}", size="sm", w=130
        )
        for name, label, end in (("low", "From", low), ("high", "To", high))
    ]
    return dmc.Group(fields, gap="xs")

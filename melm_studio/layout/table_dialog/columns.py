"""The columns of the table: the role of each, and the choice of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.elements import aria
from melm_studio.tables import MAX_PIXELS, Column, count, number

ORDER_MARK = " < "  # between categories, from low to high
PAGE_LENGTH = 25

# The choice that each role of a column belongs to, and its name.
ROLES = {
    "label": ("label", "Label"),
    "numeric": ("feature", "Numeric feature"),
    "categorical": ("category", "Categorical feature"),
    "ordered": ("ordered", "Ordered category"),
    "name": ("name", "Name"),
    "info": ("info", "Info"),
    "group": ("group", "Group"),
    "batch": ("batch", "Batch"),
    "order": ("order", "Order"),
    "id": ("ignored", "Left out: identifier"),
    "constant": ("ignored", "Left out: constant"),
    "ignored": ("ignored", "Left out"),
}
_CHOICES = {
    "label": "Label",
    "feature": "Feature",
    "category": "Category",
    "ordered": "Ordered category",
    "name": "Name",
    "info": "Info",
    "group": "Group",
    "batch": "Batch",
    "order": "Order",
    "ignored": "Left out",
}


# What all columns that are found can become at once.
_BULK_CHOICES = ("feature", "info", "ignored")


def columns_tab() -> Component:
    """Search, the columns that are found, and what can be done with all of them."""
    return dmc.Stack(
        [_search(), html.Div(id=ids.COLUMNS_TABLE, className="wide"), _grid(), _pages()],
        gap="sm",
        pt="sm",
    )


def _search() -> Component:
    """Return the search for columns, which can give all that are found a role."""
    return dmc.Group(
        [
            dmc.TextInput(
                id=ids.COLUMNS_SEARCH,
                value="",
                debounce=250,
                placeholder="Search columns by name",
                size="sm",
                flex="1 1 220px",
                **aria(label="Search columns by name"),
            ),
            dmc.Select(
                id=ids.COLUMNS_ALL,
                data=[{"value": use, "label": _CHOICES[use]} for use in _BULK_CHOICES],
                value=None,
                placeholder="Role of all found",
                size="sm",
                w=190,
                disabled=True,
                **aria(label="Role of all columns that are found"),
            ),
        ],
        gap="xs",
    )


def _grid() -> Component:
    """The size of the images whose pixels the features are; hidden from tables with few."""
    return html.Div(
        dmc.TextInput(
            id=ids.GRID,
            value="",
            debounce=True,
            label="Features are the pixels of an image",
            description=(
                "Height x width, row by row, shown beside the plane; empty if they are none. "
                f"At most {number(MAX_PIXELS)} pixels."
            ),
            placeholder="8 x 8",
            size="sm",
            w=360,
        ),
        id=ids.GRID_FIELD,
        hidden=True,
    )


def _pages() -> Component:
    """Return the buttons that turn the pages of the table and discard the chosen roles."""
    return dmc.Group(
        [
            dmc.Pagination(id=ids.COLUMNS_PAGE, total=1, value=1, size="sm", withControls=False),
            dmc.Button(
                "Reset to detected roles",
                id=ids.COLUMNS_RESET,
                variant="default",
                size="compact-sm",
            ),
        ],
        justify="space-between",
    )


def columns_table(
    columns: Sequence[tuple[int, Column]],
    n_found: int,
    orders: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Component:
    """One row per column; each comes with its position in the table.

    Parameters
    ----------
    columns : sequence of (int, Column)
    n_found : int
        Columns that were found, of which these are a page.
    orders : mapping of str to sequence of str, optional
        The categories of ordered columns, from low to high.
    """
    if not columns:
        return dmc.Text("No column name contains this text.", size="sm", c="dimmed")
    heads = ("Column", "Role", "Reason", "Distinct values", "Missing")
    return html.Table(
        [
            html.Caption(_caption(columns, n_found)),
            html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])),
            html.Tbody(
                [_row(index, column, orders.get(column.name, ())) for index, column in columns]
            ),
        ],
        className="figures columns",
    )


def _caption(columns: Sequence[tuple[int, Column]], n_found: int) -> str:
    shown = len(columns)
    return count(n_found, "column") + (f", {shown} shown" if shown < n_found else "")


def _row(index: int, column: Column, order: Sequence[str]) -> Component:
    return html.Tr(
        [
            html.Th(column.name, scope="row", className="column-name"),
            html.Td(_choice(index, column)),
            html.Td(
                _order(index, column, order) if order else column.reason, className="column-reason"
            ),
            html.Td(number(column.n_values)),
            html.Td(number(column.n_missing)),
        ]
    )


def _order(index: int, column: Column, order: Sequence[str]) -> Component:
    """The categories from low to high, which can be put in another order."""
    return dmc.TextInput(
        id=ids.order(index),
        value=ORDER_MARK.join(order),
        debounce=True,
        size="xs",
        w=260,
        **aria(label=f"Order of {column.name}, from low to high"),
    )


def _choice(index: int, column: Column) -> Component:
    value, name = ROLES[column.role]
    options = [
        {
            "value": choice,
            "label": name if choice == value else label,
            "disabled": choice != value and not can_be(choice, column),
        }
        for choice, label in _CHOICES.items()
    ]
    return dmc.Select(
        id=ids.role(index),
        data=options,
        value=value,
        allowDeselect=False,
        size="xs",
        w=160,
        **aria(label=f"Role of {column.name}"),
    )


def can_be(choice: str, column: Column) -> bool:
    """Return whether a choice can be made for a column."""
    if column.is_pictures:
        return choice in ("info", "ignored")
    if choice == "label":
        return column.n_values >= 2
    return choice not in ("feature", "category", "ordered") or not column.exclusion_reason

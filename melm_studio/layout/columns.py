"""What every column of the table is used for, and the choice of something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids

PAGE_LENGTH = 25
MOST_CLASSES = 20

# How a column's role is called, and which of the three choices it belongs to.
ROLES = {
    "label": ("label", "Label"),
    "numeric": ("feature", "Feature, a number"),
    "categorical": ("feature", "Feature, categories"),
    "id": ("ignored", "Left out, an identifier"),
    "constant": ("ignored", "Left out, constant"),
    "ignored": ("ignored", "Left out"),
}
_CHOICES = {"label": "Label", "feature": "Feature", "ignored": "Left out"}


class Column(Protocol):
    """A column of the table; see `melm_studio.tables.column_roles.Column`."""

    name: str
    role: str
    reason: str
    n_values: int
    n_missing: int
    exclusion_reason: str


def columns_button() -> Component:
    """What opens the window."""
    return dmc.Button("Columns", id=ids.COLUMNS_OPEN, variant="default", size="compact-sm")


def columns_view() -> Component:
    """The window, closed until it is asked for."""
    return dmc.Modal(
        dmc.Stack(
            [
                dmc.TextInput(
                    id=ids.COLUMNS_SEARCH,
                    value="",
                    debounce=250,
                    placeholder="Find a column by its name",
                    size="sm",
                    **{"aria-label": "Find a column by its name"},
                ),
                html.P(id=ids.COLUMNS_ERROR, role="alert", className="alert"),
                html.Div(id=ids.COLUMNS_TABLE, className="wide"),
                dmc.Group(
                    [
                        dmc.Pagination(
                            id=ids.COLUMNS_PAGE, total=1, value=1, size="sm", withControls=False
                        ),
                        dmc.Button(
                            "Back to the guesses",
                            id=ids.COLUMNS_RESET,
                            variant="default",
                            size="compact-sm",
                        ),
                    ],
                    justify="space-between",
                ),
            ],
            gap="sm",
            pb="md",
        ),
        id=ids.COLUMNS,
        title="Columns of the table",
        size="min(860px, 96vw)",
        opened=False,
        keepMounted=True,
        closeButtonProps={"aria-label": "Close"},
    )


def columns_table(columns: Sequence[tuple[int, Column]], n_found: int) -> Component:
    """A row for each of the columns on this page, given with their places in the table."""
    if not columns:
        return dmc.Text("No column has such a name.", size="sm", c="dimmed")
    heads = ("Column", "Role", "Why", "Values", "Missing")
    return html.Table(
        [
            html.Caption(_caption(columns, n_found)),
            html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])),
            html.Tbody([_row(at, column) for at, column in columns]),
        ],
        className="figures columns",
    )


def _caption(columns: Sequence[tuple[int, Column]], n_found: int) -> str:
    shown = len(columns)
    return f"{_grouped(n_found)} columns" + (f", {shown} shown" if shown < n_found else "")


def _row(at: int, column: Column) -> Component:
    return html.Tr(
        [
            html.Th(column.name, scope="row", className="column-name"),
            html.Td(_choice(at, column)),
            html.Td(column.reason, className="column-reason"),
            html.Td(_grouped(column.n_values)),
            html.Td(_grouped(column.n_missing)),
        ]
    )


def _choice(at: int, column: Column) -> Component:
    value, words = ROLES[column.role]
    options = [
        {
            "value": choice,
            "label": words if choice == value else label,
            "disabled": choice != value and not _is_possible(choice, column),
        }
        for choice, label in _CHOICES.items()
    ]
    return dmc.Select(
        id=ids.role(at),
        data=options,
        value=value,
        allowDeselect=False,
        size="xs",
        w=190,
        **{"aria-label": f"Role of {column.name}"},
    )


def _is_possible(choice: str, column: Column) -> bool:
    if choice == "label":
        return 2 <= column.n_values <= MOST_CLASSES
    return choice != "feature" or not column.exclusion_reason


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")

"""The dialog of the table, and the button that opens it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.elements import aria, by_name
from melm_studio.layout.table_dialog.classes import classes_tab
from melm_studio.layout.table_dialog.columns import columns_tab
from melm_studio.layout.table_dialog.filters import filters_tab
from melm_studio.layout.table_dialog.recipe import recipe_tab
from melm_studio.tables import ReadOptions

TABS = {
    "columns": "Columns",
    "classes": "Classes",
    "rows": "Rows",
    "recipe": "Preparation",
    "file": "File",
}
_LIMITS = (
    ("auto", "As found"),
    ("half", "Half the limit below it: <0.5 is 0.25"),
    ("limit", "The limit: <0.5 is 0.5"),
    ("empty", "Empty"),
    ("indicator", "Half the limit, and a column that says so"),
    ("text", "Not numbers"),
)
_SAMPLES = (
    ("auto", "As found"),
    ("rows", "In the rows of the file"),
    ("columns", "In the columns of the file"),
)


def columns_button() -> Component:
    """The button that opens the dialog."""
    return html.Button(
        "Columns", id=ids.COLUMNS_OPEN, type="button", className="button is-text is-link"
    )


def recipe_button() -> Component:
    """The button that opens the dialog at the preparation, and says how it differs."""
    return html.Button(
        "Standardized", id=ids.RECIPE_OPEN, type="button", className="button is-text is-link"
    )


def table_dialog() -> Component:
    """The dialog, closed until its button is clicked."""
    panels = {
        "columns": columns_tab(),
        "classes": classes_tab(),
        "rows": filters_tab(),
        "recipe": recipe_tab(),
        "file": file_tab(),
    }
    close: Any = aria(label="Close")  # the annotation of the button names no ARIA attributes
    return dmc.Modal(
        dmc.Stack(
            [
                dcc.Store(id=ids.TABLE_SHOWN),
                html.P(id=ids.COLUMNS_ERROR, role="alert", className="alert"),
                dmc.Tabs(
                    [
                        dmc.TabsList([dmc.TabsTab(name, value=tab) for tab, name in TABS.items()]),
                        *(dmc.TabsPanel(panel, value=tab) for tab, panel in panels.items()),
                    ],
                    id=ids.TABLE_TAB,
                    value="columns",
                ),
            ],
            gap="xs",
            pb="md",
        ),
        id=ids.COLUMNS,
        title="Columns and classes of the table",
        size="min(860px, 96vw)",
        opened=False,
        keepMounted=True,
        closeButtonProps=close,
    )


def file_tab() -> Component:
    """The options of reading, which are filled in when the tab is opened."""
    return dmc.Box(html.Div(id=ids.FILE_FORM), pt="sm")


def file_form(sheets: Sequence[str], sheet: str, options: ReadOptions) -> Component:
    """The options of reading one file.

    Parameters
    ----------
    sheets : sequence of str
        Of a workbook.
    sheet : str
        The one that is read.
    options : ReadOptions
    """
    choice = [_sheet(sheets, sheet)] if len(sheets) > 1 else []
    return dmc.Stack(
        [
            *choice,
            _select(
                "limits",
                "Cells such as <0.5, >100 and n.d.",
                "Values below or above what could be measured.",
                _LIMITS,
                options.limits,
            ),
            _select(
                "samples",
                "Samples are",
                "A table of genes may have its samples in columns.",
                _SAMPLES,
                options.samples,
            ),
        ],
        gap="sm",
    )


def _select(
    option: str, label: str, description: str, choices: Sequence[tuple[str, str]], value: str
) -> Component:
    return dmc.Select(
        id=ids.read_option(option),
        label=label,
        description=description,
        data=[{"value": each, "label": text} for each, text in choices],
        value=value,
        allowDeselect=False,
        size="sm",
        w=360,
    )


def _sheet(sheets: Sequence[str], sheet: str) -> Component:
    return dmc.Select(
        id=ids.read_option("sheet"),
        label="Sheet",
        data=list(sheets),
        value=sheet,
        allowDeselect=False,
        size="sm",
        w=360,
        **by_name(),
    )

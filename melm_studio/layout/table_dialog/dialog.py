"""The dialog of the table, and the button that opens it."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.dialog import dialog
from melm_studio.layout.table_dialog.classes import classes_tab
from melm_studio.layout.table_dialog.columns import columns_tab
from melm_studio.layout.table_dialog.file import file_tab
from melm_studio.layout.table_dialog.filters import filters_tab
from melm_studio.layout.table_dialog.recipe import recipe_tab

TABS = {
    "columns": "Columns",
    "classes": "Classes",
    "rows": "Rows",
    "recipe": "Preparation",
    "file": "File",
}


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
    return dialog(
        ids.COLUMNS,
        "Columns and classes of the table",
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
        width=860,
    )

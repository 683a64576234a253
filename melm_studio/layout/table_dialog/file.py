"""How the file is read: its sheet, and cells beyond what was measured."""

from __future__ import annotations

from collections.abc import Sequence

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.tables import ReadOptions

_LIMITS = (
    ("text", "Not numbers"),
    ("limit", "The limit: <0.5 is 0.5"),
    ("half", "Half the limit below it: <0.5 is 0.25"),
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
            dmc.Select(
                id=ids.read_option("limits"),
                label="Cells such as <0.5 and >100",
                description="Values below or above what could be measured.",
                data=[{"value": value, "label": label} for value, label in _LIMITS],
                value=options.limits,
                allowDeselect=False,
                size="sm",
                w=360,
            ),
        ],
        gap="sm",
    )


def _sheet(sheets: Sequence[str], sheet: str) -> Component:
    return dmc.Select(
        id=ids.read_option("sheet"),
        label="Sheet",
        data=list(sheets),
        value=sheet,
        allowDeselect=False,
        searchable=True,
        size="sm",
        w=360,
    )

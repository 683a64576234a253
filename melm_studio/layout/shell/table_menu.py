"""The tables of the operator in the menu of samples."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.menus import menu_item, source_item
from melm_studio.operator_tables.published import PublishedTable
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import count

_BEING_READ = "Being read for the first time"


def table_items(tables: Sequence[PublishedTable]) -> list[Component]:
    """The tables with their sizes; those that cannot be chosen say why."""
    return [_item(table) for table in tables]


def _item(table: PublishedTable) -> Component:
    label = [html.Strong(table.name), html.Small(_explanation(table))]
    if not table.is_ready:
        return menu_item(label, disabled=True)
    return source_item(label, DataSource(kind="table", key=table.key, name=table.name))


def _explanation(table: PublishedTable) -> str:
    if table.problem:
        return table.problem
    if not table.is_ready:
        return _BEING_READ
    return f"{count(table.n_rows, 'row')}, {count(table.n_columns, 'column')}"

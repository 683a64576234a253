"""Menus: closed until their button is pressed; a script connects the two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data
from melm_studio.operator_tables.published import PublishedTable
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import count, shortened

_LONGEST_NAME = 36
_BEING_READ = "Being read for the first time"


def menu(
    label: str, items: Iterable[Component] = (), modifier: str = "", **properties: Any
) -> Component:
    """A menu, named by a label; without an id, it follows its button (`data-menu`)."""
    return html.Div(
        list(items),
        className=f"menu {modifier}".strip(),
        role="menu",
        **aria(label=label),
        **properties,
    )


def menu_item(label: Any, modifier: str = "", **properties: Any) -> Component:
    """One choice of a menu."""
    return html.Button(
        label,
        type="button",
        role="menuitem",
        className=f"menu-item {modifier}".strip(),
        **properties,
    )


def source_item(
    label: Any, source: DataSource, modifier: str = "", title: str | None = None, **properties: str
) -> Component:
    """The choice of data in a menu, by a script; `properties` are further `data-*` attributes."""
    written = msgspec.json.encode(source).decode()
    return menu_item(label, modifier, title=title, **data(source=written, **properties))


def menu_button(label: str, menu_id: str, **properties: Any) -> Component:
    """A button that opens a menu; a script connects the two."""
    return html.Button(
        named(label),
        type="button",
        className="button menu-button",
        **data(menu=menu_id),
        **properties,
    )


def named(label: str) -> list[Component]:
    """Return the text on the button of a menu; that of a long name is shown in full on hover."""
    return [
        html.Span(shortened(label, _LONGEST_NAME), className="menu-name", title=label),
        html.Span(className="icon icon-chevron"),
    ]


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

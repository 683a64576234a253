"""Menus: closed until their button is pressed; a script connects the two."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import shortened

_LONGEST_NAME = 36


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
    """What is on the button of a menu; the full text of a long name is shown on hover."""
    return [
        html.Span(shortened(label, _LONGEST_NAME), className="menu-name", title=label),
        html.Span(className="icon icon-chevron"),
    ]

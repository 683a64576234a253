"""Buttons that Mantine does not render."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria, data


def button(label: Any, modifiers: str = "", **properties: Any) -> Component:
    """A small button with a text."""
    return html.Button(label, type="button", className=f"button is-small {modifiers}", **properties)


def icon_button(icon: str, label: str, modifiers: str = "", **properties: Any) -> Component:
    """A button with an icon; the label is its name and its tooltip."""
    return html.Button(
        html.Span(className=f"icon icon-{icon}"),
        type="button",
        className=f"button is-icon {modifiers}",
        **{**aria(label=label), "title": label} | properties,
    )


def table_file(address: str, runs: Sequence[str] = ()) -> Component:
    """The link to a table as CSV, of these runs, which lies beside the tabs above it."""
    query = urlencode([("run", run) for run in runs])
    return html.A(
        "Save as CSV",
        href=f"{address}?{query}" if runs else address,
        download="",
        className="button is-small table-file",
    )


def switch(
    name: str, label: str, explanation: str, modifiers: str = "", *, is_on: bool = True
) -> Component:
    """A switch of the page's state by that name; a script turns it, and all others of its name."""
    return html.Button(
        label,
        type="button",
        role="switch",
        className=f"switch {modifiers}",
        title=explanation,
        **data(switch=name),
        **aria(checked=str(is_on).lower()),
    )

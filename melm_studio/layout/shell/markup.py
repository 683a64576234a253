"""Components as HTML: what no callback changes need not be rendered by Dash.

Dash visits every component that it renders with every change of every other one, so a page has as
few of them as it can.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any, cast

from dash.development.base_component import Component

# What React spells otherwise, beyond capitals.
_SPELLED = {"className": "class", "htmlFor": "for"}
_VOID = {"Br", "Hr", "Img", "Input"}
_DASH_OWN = {"children", "key"}


def markup(node: Any) -> str:
    """The HTML of a tree of Dash's HTML components, or of its text.

    Parameters
    ----------
    node : Component, str, number, None, or list of these

    Raises
    ------
    ValueError
        If a component is none of `dash.html`.

    Examples
    --------
    >>> from dash import html
    >>> markup(html.P(["1 < 2 ", html.Em("so far", className="dim")], hidden=True))
    '<p hidden>1 &lt; 2 <em class="dim">so far</em></p>'
    """
    if node is None:
        return ""
    if isinstance(node, list | tuple):
        return "".join(map(markup, node))
    if not isinstance(node, Component):
        return escape(str(node), quote=False)
    written = cast(Any, node).to_plotly_json()  # Dash leaves it untyped
    if written["namespace"] != "dash_html_components":
        raise ValueError(f"{written['type']} is none of dash.html. Leave it to Dash.")
    name, props = written["type"].lower(), written["props"]
    opening = f"<{name}{_attributes(props)}>"
    return (
        opening
        if written["type"] in _VOID
        else f"{opening}{markup(props.get('children'))}</{name}>"
    )


def _attributes(props: Mapping[str, Any]) -> str:
    return "".join(
        _attribute(_SPELLED.get(name, name.lower()), value)
        for name, value in props.items()
        if name not in _DASH_OWN and value is not None and value is not False
    )


def _attribute(name: str, value: Any) -> str:
    if value is True:
        return f" {name}"
    text = _style(value) if isinstance(value, Mapping) else str(value)
    return f' {name}="{escape(text)}"'


def _style(rules: Mapping[str, Any]) -> str:
    return "; ".join(f"{_hyphenated(name)}: {value}" for name, value in rules.items())


def _hyphenated(name: str) -> str:
    return re.sub("[A-Z]", lambda capital: f"-{capital[0].lower()}", name)

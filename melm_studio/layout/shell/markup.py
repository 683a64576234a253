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
_VOID = {"br", "hr", "img", "input"}
_PLAIN = {"dash_html_components", "plain"}
_CONTENTS = "data-markup"  # a script writes these
_NO_ATTRIBUTES = {"children", "key", _CONTENTS}


class Element(Component):
    """An element that `dash.html` lacks, as an input or a part of a drawing, for plain HTML alone.

    Parameters
    ----------
    name : str
        Its tag.
    children : Component, str, number, None, or list of these
    **attributes : Any
        As those of `dash.html`.

    Examples
    --------
    >>> markup(Element("input", type="range", min=0, max=9, **{"aria-label": "Size"}))
    '<input type="range" min="0" max="9" aria-label="Size">'
    """

    _namespace = "plain"
    _children_props: list[str] = []  # noqa: RUF012  as Dash declares them
    _base_nodes: list[str] = ["children"]  # noqa: RUF012
    _valid_wildcard_attributes: list[str] = ["data-", "aria-"]  # noqa: RUF012

    def __init__(self, name: str, /, children: Any = None, **attributes: Any) -> None:
        self._type = name
        self._prop_names = ["children", *attributes]
        cast(Any, super()).__init__(children=children, **attributes)  # Dash leaves it untyped


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
    if written["namespace"] not in _PLAIN:
        raise ValueError(f"{written['type']} is none of dash.html. Leave it to Dash.")
    name, props = written["type"].lower(), written["props"]
    opening = f"<{name}{_attributes(props)}>"
    return (
        opening
        if name in _VOID
        else f"{opening}{props.get(_CONTENTS) or markup(props.get('children'))}</{name}>"
    )


def plain(component: Component) -> Component:
    """A component of `dash.html` whose contents a script writes as plain HTML, in place of Dash.

    Nothing in them may be an input or an output of a callback.

    Raises
    ------
    ValueError
        If a component within it is none of `dash.html`.

    Examples
    --------
    >>> from dash import html
    >>> plain(html.P(["so ", html.Em("far")], id="note"))
    P(id='note', data-markup='so <em>far</em>')
    """
    props = cast(Any, component).to_plotly_json()["props"]
    contents = {_CONTENTS: markup(props.get("children"))}
    return type(component)(
        **{name: props[name] for name in props if name != "children"}, **contents
    )


def _attributes(props: Mapping[str, Any]) -> str:
    return "".join(
        _attribute(_SPELLED.get(name, name.lower()), value)
        for name, value in props.items()
        if name not in _NO_ATTRIBUTES and value is not None and value is not False
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

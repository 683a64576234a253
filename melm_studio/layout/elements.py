"""The elements that the page is made of: their attributes, buttons and menus, as plain HTML or not.

Dash visits every component that it renders with every change of every other one, so what no
callback changes is plain HTML, and a page has as few of Dash's as it can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, cast
from urllib.parse import urlencode

import msgspec
from dash import html
from dash.development.base_component import Component

from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import shortened

# The features of a run; the script removes the controls that need others.
LINEAR = "linear"
MAP = "map"  # not linear
FLAT = "flat"
SPACE = "space"
TREE = "tree"
PLANAR = "planar"
LATENT = "latent"
MACHINE = "machine"  # a kernel machine
ONE_CLASS = "one-class"
WITHIN_SUBJECTS = "within"
# What React spells otherwise, beyond capitals.
_SPELLED = {"className": "class", "htmlFor": "for"}
_VOID = {"br", "hr", "img", "input"}
_PLAIN = "dash_html_components"
_CONTENTS = "data-markup"  # a script writes these
_NO_ATTRIBUTES = {"children", "key", _CONTENTS}
_LONGEST_LABEL = 36


def data(**values: str) -> dict[str, Any]:
    """`data-*` attributes, for example `data(sort="p")` for `data-sort="p"`.

    The values are Any to the type checker, which would otherwise compare them with every keyword
    of the component that they are unpacked into.
    """
    return _hyphenated("data", values)


def aria(**values: str) -> dict[str, Any]:
    """`aria-*` attributes, for example `aria(label="Close")` for `aria-label="Close"`."""
    return _hyphenated("aria", values)


def part(name: str) -> dict[str, Any]:
    """The name by which scripts find an element of a panel."""
    return data(part=name)


def needs(*features: str) -> dict[str, Any]:
    """The features without which the script removes the element from a run's panel."""
    return data(needs=" ".join(features))


def tip(text: str) -> dict[str, Any]:
    """An explanation that a script shows while the pointer or the focus is on the element."""
    return data(tip=text)


def _hyphenated(prefix: str, values: dict[str, str]) -> dict[str, Any]:
    names = {name: name.rstrip("_").replace("_", "-") for name in values}  # class_ is data-class
    return {f"{prefix}-{names[name]}": value for name, value in values.items()}


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

    _namespace = _PLAIN  # Dash would try to import any other, with each attribute of each element
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
    if isinstance(node, (list, tuple)):
        return "".join(map(markup, node))
    if not isinstance(node, Component):
        return escape(str(node), quote=False)
    written = cast(Any, node).to_plotly_json()  # Dash leaves it untyped
    if written["namespace"] != _PLAIN:
        raise ValueError(f"{written['type']} is none of dash.html. Leave it to Dash.")
    name, props = written["type"].lower(), written["props"]
    opening = f"<{name}{_attributes(props)}>"
    return (
        opening
        if name in _VOID
        else f"{opening}{props.get(_CONTENTS) or markup(props.get('children'))}</{name}>"
    )


def by_name() -> dict[str, Any]:
    """Properties of a choice that is found by typing a part of its name, once it is opened."""
    return {
        "searchable": True,
        "clearSearchOnFocus": True,
        "placeholder": "Type a part of its name",
        "nothingFoundMessage": "None so named",
    }


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
    return "; ".join(f"{_css_name(name)}: {value}" for name, value in rules.items())


def _css_name(name: str) -> str:
    return re.sub("[A-Z]", lambda capital: f"-{capital[0].lower()}", name)


def button(label: Any, modifiers: str = "", **properties: Any) -> Component:
    """A small button with a text."""
    return html.Button(label, type="button", className=f"button is-small {modifiers}", **properties)


def icon_button(icon: str, label: str, modifiers: str = "", **properties: Any) -> Component:
    """A button with an icon; the label is its name and its tooltip."""
    return html.Button(
        html.Span(className=f"icon icon-{icon}"),
        type="button",
        className=f"button is-icon {modifiers}",
        **aria(label=label) | {"title": label} | properties,
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
        html.Span(shortened(label, _LONGEST_LABEL), className="menu-name cut", title=label),
        html.Span(className="icon icon-chevron"),
    ]

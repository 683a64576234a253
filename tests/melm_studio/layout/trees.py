"""Reading what a layout function returns."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

from plotly.utils import PlotlyJSONEncoder

from lab.driver.visitor import components


def parts(*tree: Any) -> list[dict[str, Any]]:
    """The properties of every component, as the browser gets them."""
    sent = json.loads(json.dumps(tree, cls=PlotlyJSONEncoder))
    rendered = [part["props"] for part in components(sent)]
    return [one for props in rendered for one in (props, *_written(props.get("data-markup", "")))]


_SPELLED = {"class": "className"}


class _Elements(HTMLParser):
    """The elements of plain HTML, as properties of components with the text that begins them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, Any]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append({_SPELLED.get(name, name): value for name, value in attrs})

    def handle_data(self, data: str) -> None:
        self.found[-1].setdefault("children", data)


def _written(markup: str) -> list[dict[str, Any]]:
    elements = _Elements()
    elements.feed(markup)
    return elements.found


def part(tree: Any, component_id: Any) -> dict[str, Any]:
    """The properties of the component of an id."""
    (found,) = (props for props in parts(tree) if props.get("id") == component_id)
    return found


def texts(*tree: Any) -> list[str]:
    """Every text that stands in a tree, in its order."""
    found = []
    for props in parts(*tree):
        children = props.get("children")
        found += [
            child
            for child in (children if isinstance(children, list) else [children])
            if isinstance(child, str)
        ]
    return found

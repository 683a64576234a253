"""Reading what a layout function returns."""

from __future__ import annotations

import json
from typing import Any

from dash.development.base_component import Component
from plotly.utils import PlotlyJSONEncoder

from tools.driver.visitor import components


def parts(*tree: Component) -> list[dict[str, Any]]:
    """The properties of every component, as the browser gets them."""
    sent = json.loads(json.dumps(tree, cls=PlotlyJSONEncoder))
    return [part["props"] for part in components(sent)]


def part(tree: Component, component_id: Any) -> dict[str, Any]:
    """The properties of the component of an id."""
    (found,) = (props for props in parts(tree) if props.get("id") == component_id)
    return found


def texts(*tree: Component) -> list[str]:
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

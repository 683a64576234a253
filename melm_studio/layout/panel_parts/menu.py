"""The menu of a run: files, links, and what is rarely needed."""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.analyses import ANALYSES
from melm_studio.analyses.analysis import Analysis
from melm_studio.layout.attributes import data, needs, part
from melm_studio.layout.buttons import icon_button
from melm_studio.layout.menus import menu, menu_item
from melm_studio.layout.panel_parts.tools import FLAT, LINEAR, PLANAR, TREE


def run_menu() -> list[Component]:
    """A button and its menu; a script sets the addresses of the items."""
    items = [
        _label("This view"),
        menu_item("Copy link", **data(link="copy")),
        menu_item("Add to story", **data(story="add")),
        menu_item("Loadings", **part("open-loadings"), **needs(LINEAR, PLANAR)),
        menu_item("Tree of planes", **part("open-tree"), **needs(TREE)),
        *(_analysis_item(each) for each in ANALYSES.values() if each.title),
        menu_item("Decision surface", **part("surface"), **needs(FLAT)),
        _label("New rows in this plane"),
        menu_item("From a file…", **part("add-rows")),
        menu_item("Paste", **part("paste-rows")),
        _label("Plane on screen"),
        _download("points.csv", "Projected points"),
        _download("components.csv", "Components", **needs(LINEAR)),
        _download("model.json", "Model (JSON)", **needs(LINEAR)),
        _download("script.py", "Python script", **needs(LINEAR)),
        _label("Everything about this run"),
        _download("report.html", "Report (HTML)"),
        _download("replay.html", "Replay (HTML)"),
        _label("Runs"),
        menu_item("Remove all runs", **part("remove-all")),
    ]
    label = "Download and share"
    return [
        icon_button("more", label, **part("export")),
        menu(label, items, **part("exports")),
    ]


def _analysis_item(analysis: Analysis[Any]) -> Component:
    needed = needs(*analysis.needs) if analysis.needs else {}
    return menu_item(analysis.title, **data(analysis=analysis.name), **needed)


def _label(text: str) -> Component:
    return html.Div(text, className="menu-label", role="presentation")


def _download(file: str, label: str, **properties: Any) -> Component:
    return html.A(label, className="menu-item", role="menuitem", **data(file=file), **properties)

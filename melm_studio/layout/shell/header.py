"""The header: the product, the data on screen, the modes, and what concerns the whole page."""

from __future__ import annotations

from collections.abc import Sequence

import dash_mantine_components as dmc
import msgspec
from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.menus import menu, menu_button, menu_item, source_item
from melm_studio.layout.shell.help import help_button
from melm_studio.layout.shell.markup import plain
from melm_studio.runs.records.data_source import DataSource
from melm_studio.workspace.data_source import RecentData

MODES = {"explore": "Explore", "compare": "Compare", "present": "Present"}


def header() -> Component:
    """The header of the page; callbacks name the data in it."""
    return html.Header(
        [
            brand(),
            html.Div(
                [
                    menu_button("", ids.RECENT_LIST, id=ids.DATA_NAME),
                    html.Div(id=ids.DATA_SIZE, className="data-size"),
                ],
                className="top-group top-data",
            ),
            html.Div([_modes(), _actions()], id="top-actions", className="top-actions"),
            plain(
                html.Button(
                    html.Span(className="icon icon-more"),
                    type="button",
                    className="button is-icon top-more",
                    **data(toggles="top-actions"),
                    **aria(label="More", expanded="false"),
                )
            ),
            menu("Recent data", modifier="is-wide", id=ids.RECENT_LIST),
        ],
        className="top",
    )


def brand() -> Component:
    """The name of the product and its mark."""
    mark = html.Span(className="mark", **aria(hidden="true"))
    return plain(html.Div([mark, html.H1("MELM Studio", className="brand")], className="top-group"))


def recent_list(recent: Sequence[RecentData]) -> list[Component]:
    """The data sets that were used before, each followed by its runs."""
    return [plain(item) for one in recent for item in _with_runs(one)]


def project_items(source: DataSource | None) -> list[Component]:
    """What takes data and runs elsewhere in one file, and brings them here; a script does it."""
    opening = menu_item(["Open a project…"], "menu-action", **data(project="open"))
    if source is None:
        return [opening]
    saving = menu_item(
        ["Save as a project", html.Small("The table, its runs and the story in one file")],
        "menu-action is-first",
        **data(project="save", table=msgspec.json.encode(source).decode()),
    )
    return [saving, opening]


def _with_runs(one: RecentData) -> list[Component]:
    runs = [
        source_item([run.title], run.source, "menu-run", run_to_show=run.run_id) for run in one.runs
    ]
    return [source_item([html.Strong(one.name)], one.source), *runs]


def _modes() -> Component:
    return dmc.SegmentedControl(
        id=ids.MODE,
        data=[{"value": value, "label": label} for value, label in MODES.items()],
        value=next(iter(MODES)),
        size="sm",
        className="modes",
        **aria(label="Mode"),
    )


def _actions() -> Component:
    return html.Div(
        [
            _story_button(),
            help_button(),
            dmc.ColorSchemeToggle(
                lightIcon=html.Span(className="icon icon-sun"),
                darkIcon=html.Span(className="icon icon-moon"),
                variant="subtle",
                color="gray",
                size="lg",
                **aria(label="Light or dark mode"),
            ),
        ],
        className="top-group",
    )


def _story_button() -> Component:
    """The button that opens the story."""
    return html.Button("Story", type="button", className="button menu-button", **data(story="open"))

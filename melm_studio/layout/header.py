"""The header: the product, the data on screen, the modes, and what concerns the whole page."""

from __future__ import annotations

from collections.abc import Sequence

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.dialogs import DOWNLOADS_TITLE
from melm_studio.layout.elements import aria, data, menu, menu_button, menu_item, plain, source_item
from melm_studio.layout.help import help_button
from melm_studio.workspace.data_source import RecentData

MODES = {"explore": "Explore", "compare": "Compare", "present": "Present"}


def header() -> Component:
    """The header of the page; callbacks name the data in it."""
    return html.Header(
        [
            brand(),
            html.Div(
                [
                    _table_button(),
                    html.Span(id=ids.DATA_STATUS, className="data-status small cut"),
                    html.Div(id=ids.DATA_SIZE, className="data-size small"),
                    html.Div(id=ids.DATA_NOTES, className="data-notes", role="status"),
                ],
                className="top-group top-data row",
            ),
            html.Div([_modes(), _actions()], id="top-actions", className="top-actions row"),
            plain(
                html.Button(
                    html.Span(className="icon icon-more"),
                    type="button",
                    className="button is-icon top-more",
                    **data(toggles="top-actions"),
                    **aria(label="More", expanded="false"),
                )
            ),
        ],
        className="top not-present row",
    )


def _table_button() -> Component:
    """The name of the table, which opens its sheet."""
    return html.Button(
        type="button",
        className="button menu-button",
        id=ids.DATA_NAME,
        title="Another table, its label and its classes",
        **data(sheet=ids.TABLE_SHEET),
        **aria(expanded="false", controls=ids.TABLE_SHEET),
    )


def brand() -> Component:
    """The name of the product and its mark."""
    mark = html.Span(className="mark", **aria(hidden="true"))
    return plain(
        html.Div([mark, html.H1("MELM Studio", className="brand")], className="top-group row")
    )


def recent_list(recent: Sequence[RecentData]) -> list[Component]:
    """The data sets that were used before, each followed by its runs."""
    return [plain(item) for table in recent for item in _with_runs(table)]


def open_project_item() -> Component:
    """Return the item that opens a project: a table with its runs and its story."""
    return menu_item("Open a project…", "menu-action is-first", **data(project="open"))


def _with_runs(table: RecentData) -> list[Component]:
    runs = [
        source_item([run.title], run.source, "menu-run", run_to_show=run.run_id)
        for run in table.runs
    ]
    return [source_item([html.Strong(table.name)], table.source), *runs]


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
            menu_button("Share", ids.SHARE, id=f"{ids.SHARE}-open"),
            menu("Share", [_ways_out()], id=ids.SHARE),
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
        className="top-group row",
    )


def _ways_out() -> Component:
    """Of what is on screen; scripts take them."""
    items = [
        menu_item("Copy link", **data(link="copy")),
        menu_item("Figure for print…", **data(figure_of="")),
        menu_item("Report", **data(report="")),
        menu_item("Verdict (JSON)", "explore-only", **data(verdict="")),
        menu_item("Replay", "explore-only", **data(save="replay.html")),
        menu_item(f"{DOWNLOADS_TITLE}…", "explore-only", **data(downloads_of="")),
        menu_item("Save as a project", "is-apart", **data(project="save")),
        menu_item("Add to story", "is-apart", **data(story="add")),
        menu_item("Story…", **data(story="open")),
    ]
    return plain(html.Div(items))

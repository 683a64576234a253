"""The whole page: header, sheet of the table, method line and panels."""

from __future__ import annotations

from pathlib import Path

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.configuration.settings import Settings
from melm_studio.layout import ids
from melm_studio.layout.compare import selection, tables
from melm_studio.layout.dialogs import downloads_dialog, drawing_dialog, figure_dialog
from melm_studio.layout.elements import aria, button, data, switch
from melm_studio.layout.first_page import welcome_model
from melm_studio.layout.found import analysis_model
from melm_studio.layout.header import header
from melm_studio.layout.help import help_view, tooltip, tour_note
from melm_studio.layout.method_line import method_line
from melm_studio.layout.panel import panel_model
from melm_studio.layout.panel_tools import drag_buttons, layer_switches, more_layer_switches
from melm_studio.layout.present import (
    link_parts,
    notice,
    play_bar,
    present_title,
    stage_foot,
    talk_dialog,
    talk_screen,
)
from melm_studio.layout.story import story_parts
from melm_studio.layout.table_dialog.dialog import table_dialog
from melm_studio.layout.table_sheet import table_sheet

FIRST_SAMPLE = "wine"
_DEFAULTS = Settings(data_dir=Path())
_TOOLS, _MORE_LAYERS = "compare-tools", "compare-more-layers"
MANTINE_THEME: dmc.MantineProvider.Theme = {
    "primaryColor": "indigo",
    "primaryShade": {"light": 7, "dark": 7},
    "fontFamily": "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    "defaultRadius": "md",
    "headings": {"fontWeight": "650"},
    "cursorType": "pointer",
    # Mantine's scroll area asks for its position in every frame from then on, and for the layout of
    # the page with it, if its list closes while it scrolls.
    "components": {
        name: {"defaultProps": {"withScrollArea": False}}
        for name in ("Select", "MultiSelect", "TagsInput")
    },
}


def page(settings: Settings = _DEFAULTS) -> Component:
    """The page that every visitor gets; callbacks fill in their own data, a script their runs."""
    return dmc.MantineProvider(
        [
            *_stores(),
            table_dialog(),
            *link_parts(),
            *story_parts(),
            html.Div(
                [
                    html.A("Skip to the picture", href=f"#{ids.PANELS}", className="skip-link"),
                    header(),
                    table_sheet(settings),
                    html.Div(
                        method_line(),
                        className="method-line not-present row",
                        role="region",
                        **_LINE,
                    ),
                    html.Main(_stage(), className="stage"),
                ],
                className="shell",
            ),
        ],
        theme=MANTINE_THEME,
        defaultColorScheme="auto",
    )


def static_parts() -> list[Component]:
    """Return parts of the document outside of Dash's page, which only scripts open and fill."""
    return [
        downloads_dialog(),
        figure_dialog(),
        drawing_dialog(),
        talk_dialog(),
        talk_screen(),
        help_view(),
        tour_note(),
        tooltip(),
        panel_model(),
        analysis_model(),
        welcome_model(),
    ]


_LINE = aria(label="Method")


def first_source() -> dict[str, object]:
    """The data of a first visit: a sample, so that one click starts a run."""
    return {"kind": "sample", "key": FIRST_SAMPLE, "label": None, "standardize": True}


def _stores() -> list[Component]:
    return [
        dcc.Store(id=ids.CHOICE),
        dcc.Store(id=ids.SOURCE, storage_type="session", data=first_source()),
        dcc.Store(id=ids.DATA),
        dcc.Store(id=ids.GAMMA_AUTO, data=False),
        dcc.Store(id=ids.RECENT, storage_type="local"),
    ]


def _stage() -> list[Component]:
    return [
        *(
            html.P(id=error, role="alert", className="alert")
            for error in (ids.DATA_ERROR, ids.RUN_ERROR)
        ),
        # A script writes here when the server does not answer.
        html.P(id=ids.CONNECTION, role="status", className="connection", hidden=True),
        present_title(),
        html.Div(id=ids.RUN_TABS, className="run-tabs", role="group", **aria(label="Runs")),
        selection(),
        html.Div(id=ids.PANELS_PLACE),
        tables(_tools()),
        stage_foot(),
        play_bar(),
        notice(),
    ]


def _tools() -> Component:
    """Return the tools that apply to the pictures of all runs."""
    return html.Div(
        [
            switch("linked", "Linked axes", "Zoom and pan all panels together", "several-only"),
            switch("aligned", "Aligned", "Rotate every plane to match one of them", "several-only"),
            *layer_switches(),
            button("More layers", id="compare-more-layers-open", **data(opens=_MORE_LAYERS)),
            html.Div(
                html.Div(more_layer_switches(), className="switches wrap"),
                id=_MORE_LAYERS,
                className="menu is-note",
            ),
            html.Div(
                drag_buttons(), className="drag-buttons", role="group", **aria(label="Drag mode")
            ),
        ],
        id=_TOOLS,
        className="toolbar not-present row wrap",
    )

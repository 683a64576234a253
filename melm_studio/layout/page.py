"""The whole page: header, sidebar and panels."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.analyses import ANALYSES
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.compare import selection, tables
from melm_studio.layout.dialogs.beside import (
    analysis_dialog,
    loadings_dialog,
    tree_dialog,
)
from melm_studio.layout.dialogs.distances_dialog import distances_dialog
from melm_studio.layout.dialogs.features_dialog import features_dialog
from melm_studio.layout.dialogs.figure_dialog import figure_dialog
from melm_studio.layout.dialogs.talk_dialog import talk_dialog
from melm_studio.layout.panel import panel_model
from melm_studio.layout.present import link_parts, notice, play_bar, present_title
from melm_studio.layout.shell.header import header
from melm_studio.layout.shell.help import help_view
from melm_studio.layout.shell.markup import plain
from melm_studio.layout.shell.welcome import welcome
from melm_studio.layout.sidebar import sidebar
from melm_studio.layout.story import story_parts
from melm_studio.layout.surface import surface_view
from melm_studio.layout.table_dialog.dialog import table_dialog
from melm_studio.layout.theme import MANTINE_THEME
from melm_studio.layout.toolbar import toolbar
from melm_studio.layout.validation import check_view

FIRST_SAMPLE = "wine"

# What a small screen shows one at a time.
SECTIONS = {"data": "Data", "picture": "Picture", "numbers": "Numbers"}


def page(*, is_new: bool = False) -> Component:
    """The page that every visitor gets; callbacks fill in their own data and runs.

    A visitor who is new has no runs, so that the first look is there before the data are.
    """
    return dmc.MantineProvider(
        [
            *_stores(),
            surface_view(),
            check_view(),
            table_dialog(),
            *link_parts(),
            *story_parts(),
            html.Div(
                [
                    header(),
                    html.Div(sidebar(), className="sidebar", role="region", **_SIDEBAR),
                    html.Main(_panels(is_new), className="stage"),
                    _sections(),
                ],
                className="shell",
            ),
        ],
        theme=MANTINE_THEME,
        defaultColorScheme="auto",
    )


def static_parts() -> list[Component]:
    """What only scripts open, fill and copy: parts of the document, outside of Dash's page."""
    return [
        distances_dialog(),
        features_dialog(),
        tree_dialog(),
        *(analysis_dialog(each) for each in ANALYSES.values() if each.title),
        loadings_dialog(),
        figure_dialog(),
        talk_dialog(),
        help_view(),
        panel_model(),
    ]


_SIDEBAR = aria(label="Data and method")


def first_source() -> dict[str, object]:
    """The data of a first visit: a sample, so that one click starts a run."""
    return {"kind": "sample", "key": FIRST_SAMPLE, "label": None, "standardize": True}


def _stores() -> list[Component]:
    return [
        dcc.Store(id=ids.CHOICE),
        dcc.Store(id=ids.SOURCE, storage_type="local", data=first_source()),
        dcc.Store(id=ids.DATA),
        dcc.Store(id=ids.GAMMA_AUTO, data=False),
        dcc.Store(id=ids.RECENT, storage_type="local"),
        dcc.Store(id=ids.REVISION),
        dcc.Store(id=ids.SAME_RUN),
        dcc.Store(id=ids.RUN_AGAIN),
    ]


def _panels(is_new: bool) -> list[Component]:
    return [
        *toolbar(),
        # A script writes here when the server does not answer.
        html.P(id=ids.CONNECTION, role="status", className="connection", hidden=True),
        present_title(),
        html.Div(id=ids.RUN_TABS, className="run-tabs", role="group", **aria(label="Runs")),
        selection(),
        html.Div(
            [welcome(None)] if is_new else [],
            id=ids.PANELS,
            className="panels",
            **aria(live="off"),
        ),
        tables(),
        play_bar(),
        notice(),
    ]


def _sections() -> Component:
    """The tabs at the foot of a small screen; a script shows the section that is chosen."""
    tabs = [
        html.Button(label, type="button", **data(section=section), **aria(pressed="false"))
        for section, label in SECTIONS.items()
    ]
    return plain(html.Nav(tabs, className="sections", **aria(label="Sections of the page")))

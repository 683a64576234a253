"""The whole page: header, sidebar and panels."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria
from melm_studio.layout.columns import columns_view
from melm_studio.layout.compare import selection, tables
from melm_studio.layout.panel import panel_model
from melm_studio.layout.present import link_parts, notice, play_bar
from melm_studio.layout.sidebar import sidebar
from melm_studio.layout.story import story_button, story_parts
from melm_studio.layout.surface import surface_view
from melm_studio.layout.theme import MANTINE_THEME
from melm_studio.layout.toolbar import toolbar
from melm_studio.layout.validation import check_view

FIRST_SAMPLE = "wine"
MODES = {"explore": "Explore", "compare": "Compare", "present": "Present"}
_SIDEBAR_WIDTH = 320
_HEADER_HEIGHT = 56


def page() -> Component:
    """The page that every visitor gets; callbacks fill in their own data and runs."""
    return dmc.MantineProvider(
        [
            *_stores(),
            surface_view(),
            check_view(),
            columns_view(),
            *link_parts(),
            *story_parts(),
            dmc.AppShell(
                [
                    dmc.AppShellHeader(_header()),
                    dmc.AppShellNavbar(sidebar(), **aria(label="Data and method")),
                    dmc.AppShellMain(_panels()),
                ],
                header={"height": _HEADER_HEIGHT},
                navbar={"width": _SIDEBAR_WIDTH, "breakpoint": "sm"},
                padding=0,
            ),
        ],
        theme=MANTINE_THEME,
        defaultColorScheme="auto",
    )


def first_source() -> dict[str, object]:
    """The data of a first visit: a sample, so that one click starts a run."""
    return {"kind": "sample", "key": FIRST_SAMPLE, "label": None, "standardise": True}


def _stores() -> list[Component]:
    return [
        dcc.Store(id=ids.CHOICE),
        dcc.Store(id=ids.SOURCE, storage_type="local", data=first_source()),
        dcc.Store(id=ids.DATA),
        dcc.Store(id=ids.REVISION),
    ]


def _header() -> Component:
    return dmc.Group(
        [
            dmc.Group(
                [
                    html.Span(className="mark", **aria(hidden="true")),
                    dmc.Title("MELM Studio", order=1, className="brand"),
                    dmc.Text(
                        "Can these classes be told apart, and in which plane?",
                        c="dimmed",
                        size="sm",
                        visibleFrom="md",
                    ),
                ],
                gap="sm",
            ),
            dmc.SegmentedControl(
                id=ids.MODE,
                data=[{"value": value, "label": label} for value, label in MODES.items()],
                value=next(iter(MODES)),
                size="sm",
                className="modes",
                **aria(label="Mode"),
            ),
            dmc.Group(
                [
                    story_button(),
                    dmc.ColorSchemeToggle(
                        lightIcon=html.Span(className="icon icon-sun"),
                        darkIcon=html.Span(className="icon icon-moon"),
                        variant="subtle",
                        color="gray",
                        size="lg",
                        **aria(label="Light or dark mode"),
                    ),
                ],
                gap="sm",
            ),
        ],
        justify="space-between",
        h="100%",
        px="md",
    )


def _panels() -> Component:
    return html.Div(
        [
            toolbar(),
            # A script writes here when the server does not answer.
            html.P(id=ids.CONNECTION, role="status", className="connection", hidden=True),
            html.Div(id=ids.RUN_TABS, className="run-tabs", role="group", **aria(label="Runs")),
            selection(),
            html.Div(id=ids.PANELS, className="panels", **aria(live="off")),
            panel_model(),
            tables(),
            play_bar(),
            notice(),
        ],
        className="stage",
    )

"""Mantine's theme for the page; `melm_studio.figures.theme` has that of the figures."""

from __future__ import annotations

import dash_mantine_components as dmc

MANTINE_THEME: dmc.MantineProvider.Theme = {
    "primaryColor": "indigo",
    "primaryShade": {"light": 7, "dark": 7},
    "fontFamily": "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    "defaultRadius": "md",
    "headings": {"fontWeight": "650"},
    "cursorType": "pointer",
}

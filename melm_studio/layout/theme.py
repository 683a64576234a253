"""Mantine's theme for the page; `melm_studio.planes.theme` has that of the figures."""

from __future__ import annotations

import dash_mantine_components as dmc

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

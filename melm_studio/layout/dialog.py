"""The dialogs of the page, which open over everything else."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria


def dialog(component_id: str, title: str, children: Any, *, width: int) -> Component:
    """A dialog, closed until a callback opens it; `width` is in pixels."""
    close: Any = aria(label="Close")  # the annotation of the button names no ARIA attributes
    return dmc.Modal(
        children,
        id=component_id,
        title=title,
        size=f"min({width}px, 96vw)",
        opened=False,
        keepMounted=True,
        closeButtonProps=close,
    )

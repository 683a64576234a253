"""The dialogs and drawers of the page that Dash fills."""

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


def drawer(
    component_id: str, title: str, children: Any, *, class_name: str = "", closes: str = "Close"
) -> Component:
    """A drawer at the right, closed until a callback opens it; the page stays usable beside it."""
    close: Any = aria(label=closes)
    names: Any = {"inner": class_name}
    return dmc.Drawer(
        children,
        id=component_id,
        title=title,
        position="right",
        size="360px",
        opened=False,
        keepMounted=True,
        withOverlay=False,
        lockScroll=False,
        trapFocus=False,
        closeOnClickOutside=False,
        closeButtonProps=close,
        classNames=names,
    )

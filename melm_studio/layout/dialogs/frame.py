"""What all dialogs have that a script opens: a heading, a button that closes, a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout.attributes import aria
from melm_studio.layout.buttons import icon_button

# From the name of an element to the attribute by which a script finds it in the dialog.
Part = Callable[[str], dict[str, Any]]


def dialog_frame(
    component_id: str, class_name: str, title: str, part: Part, content: Sequence[Component]
) -> Component:
    """A dialog with a head above its content, closed until a script opens it."""
    return html.Dialog(
        [dialog_head(component_id, title, part), *content],
        id=component_id,
        className=class_name,
        **aria(labelledby=_title_id(component_id)),
    )


def dialog_head(component_id: str, title: str, part: Part) -> Component:
    """The title of a dialog, which names it, and the button that closes it."""
    return html.Div(
        [
            html.H2(title, id=_title_id(component_id), **part("title")),
            icon_button("close", "Close", **part("close")),
        ],
        className="dialog-head",
    )


def _title_id(component_id: str) -> str:
    return f"{component_id}-title"

"""The dialog of the features of a run: their importance, or the classes along one of them."""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import data
from melm_studio.layout.dialogs.frame import dialog_frame


def features_dialog() -> Component:
    """The dialog, closed until a script opens it and fills it."""
    return dialog_frame(
        ids.FEATURES,
        "dialog distances",
        "",  # by what is shown
        _part,
        [
            html.P(role="status", className="distances-words", **_part("words")),
            html.Div(role="img", className="distances-plot", **_part("plot")),
            html.P(className="hint", **_part("note")),
        ],
    )


def _part(name: str) -> dict[str, Any]:
    return data(features=name)

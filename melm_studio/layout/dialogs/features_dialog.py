"""The dialog of the features of a run: their importance, or the classes along one of them."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.buttons import icon_button


def features_dialog() -> Component:
    """The dialog, closed until a script opens it and fills it."""
    heading = f"{ids.FEATURES}-title"
    return html.Dialog(
        [
            html.Div(
                [
                    html.H2(id=heading, **data(features="title")),
                    icon_button("close", "Close", **data(features="close")),
                ],
                className="dialog-head",
            ),
            html.P(role="status", className="distances-words", **data(features="words")),
            html.Div(role="img", className="distances-plot", **data(features="plot")),
            html.P(className="hint", **data(features="note")),
        ],
        id=ids.FEATURES,
        className="distances",
        **aria(labelledby=heading),
    )

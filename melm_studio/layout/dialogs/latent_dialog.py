"""The dialog of the features of PLS-DA and OPLS-DA: their importance, or the S-plot."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.buttons import icon_button

_EXPLANATION = (
    "VIP above 1 is more than that of an average feature. In an S-plot, features at the ends move "
    "the predictive score strongly (covariance) and reliably (correlation). Both are of the "
    "training rows; Q² is the counterpart of R²Y for held-out rows."
)


def latent_dialog() -> Component:
    """The dialog, closed until a script opens it and draws."""
    heading = f"{ids.LATENT}-title"
    return html.Dialog(
        [
            html.Div(
                [
                    html.H2("Features and components", id=heading),
                    icon_button("close", "Close", **data(latent="close")),
                ],
                className="distances-head",
            ),
            html.P(role="status", className="distances-words", **data(latent="words")),
            html.Div(role="img", className="distances-plot", **data(latent="plot")),
            html.P(_EXPLANATION, className="hint"),
        ],
        id=ids.LATENT,
        className="distances",
        **aria(labelledby=heading),
    )

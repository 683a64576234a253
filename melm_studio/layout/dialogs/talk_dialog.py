"""The dialog by which a presenter shares a talk: the link, its code, who follows, and the end.

A script opens it and fills it in; nothing of a talk is here before one begins.
"""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data

# What viewers may see besides the picture, off at first.
ALLOWED = {
    "names": "Names of the rows",
    "info": "Further columns of the rows",
    "downloads": "Saving the picture",
}


def talk_dialog() -> Component:
    """The dialog, closed until a script opens it."""
    heading = f"{ids.TALK}-title"
    return html.Dialog(
        [
            html.Div(
                [
                    html.H2("Share this talk", id=heading),
                    html.Button(
                        html.Span(className="icon icon-close"),
                        type="button",
                        className="button is-icon",
                        **data(talk="close"),
                        **aria(label="Close"),
                    ),
                ],
                className="talk-head",
            ),
            html.P(
                "Whoever opens the link sees what you show in Present, live, and nothing else of "
                "yours. They may look around in the picture and follow again.",
                **data(talk="about"),
            ),
            html.Div(
                [
                    html.Div(className="talk-code", **data(talk="code")),
                    html.Div(
                        [
                            html.P(html.A(target="_blank", **data(talk="link"))),
                            _button("Copy link", "copy"),
                            html.P(className="talk-count", role="status", **data(talk="count")),
                            html.P(className="talk-note", **data(talk="until")),
                            html.P(className="talk-note", **data(talk="note")),
                        ]
                    ),
                ],
                className="talk-link",
                hidden=True,
                **data(talk="on"),
            ),
            html.Fieldset(
                [
                    html.Legend("Viewers may also see"),
                    *(
                        html.Label([html.Span(**data(allow=name)), html.Span(label)])
                        for name, label in ALLOWED.items()
                    ),
                ]
            ),
            html.P(role="status", className="talk-note", **data(talk="words")),
            html.Div(
                [
                    _button("Begin", "begin", "is-primary"),
                    _button("End the talk", "end"),
                ],
                className="talk-foot",
            ),
        ],
        id=ids.TALK,
        className="talk-dialog",
        **aria(labelledby=heading),
    )


def _button(label: str, name: str, modifier: str = "") -> Component:
    return html.Button(
        label, type="button", className=f"button {modifier}".strip(), **data(talk=name)
    )

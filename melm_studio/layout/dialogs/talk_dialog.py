"""The dialog by which a presenter shares a talk: the link, its code, who follows, and the end.

A script opens it and fills it in; nothing of a talk is here before one begins.
"""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import data
from melm_studio.layout.dialogs.frame import dialog_frame

# What viewers may see besides the picture, off at first.
ALLOWED = {
    "names": "Names of the rows",
    "info": "Further columns of the rows",
    "downloads": "Saving the picture",
}


def talk_dialog() -> Component:
    """The dialog, closed until a script opens it."""
    return dialog_frame(
        ids.TALK,
        "dialog talk-dialog",
        "Share this talk",
        _part,
        [
            html.P(
                "Anyone with the link sees what you show in Present, live, and nothing else of "
                "yours. Viewers can explore the picture on their own, then follow you again.",
                **_part("about"),
            ),
            _link(),
            html.Fieldset(
                [
                    html.Legend("Viewers may also see"),
                    *(
                        html.Label([html.Span(**data(allow=name)), html.Span(label)])
                        for name, label in ALLOWED.items()
                    ),
                ]
            ),
            html.P(role="status", className="talk-note", **_part("words")),
            html.Div(
                [
                    _button("Begin", "begin", "is-primary"),
                    _button("End the talk", "end"),
                ],
                className="talk-foot",
            ),
        ],
    )


def _link() -> Component:
    """The link with its code, shown while a talk goes on."""
    words = html.Div(
        [
            html.P(html.A(target="_blank", **_part("link"))),
            _button("Copy link", "copy"),
            html.P(className="talk-count", role="status", **_part("count")),
            html.P(className="talk-note", **_part("until")),
            _reach_note(),
        ]
    )
    return html.Div(
        [html.Div(className="talk-code", **_part("code")), words],
        className="talk-link",
        hidden=True,
        **_part("on"),
    )


def _button(label: str, name: str, modifier: str = "") -> Component:
    return html.Button(label, type="button", className=f"button {modifier}".strip(), **_part(name))


def _reach_note() -> Component:
    """Shown where nobody else can open the link."""
    return html.P(
        [
            "Only this computer can open the link. To let others follow, start the studio with ",
            html.Code("--host 0.0.0.0"),
            " and open it by the address of this computer in the network.",
        ],
        className="talk-note",
        hidden=True,
        **_part("note"),
    )


def _part(name: str) -> dict[str, Any]:
    return data(talk=name)

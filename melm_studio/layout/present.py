"""Present, and what it shares with Explore: links, replay, morph."""

from __future__ import annotations

from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.dialogs import dialog_frame, figure_button
from melm_studio.layout.elements import Element, aria, button, data, plain, tip

SPEEDS = {"0.25": "¼×", "0.5": "½×", "1": "1×", "2": "2×", "4": "4×"}
_MORE = "present-more"
# What viewers may see besides the picture, off at first.
ALLOWED = {
    "names": "Names of the rows",
    "info": "Further columns of the rows",
    "downloads": "Saving the picture",
}


def link_parts() -> list[Component]:
    """The address, and the view that it requests."""
    return [
        dcc.Store(id=ids.ADDRESS),
        dcc.Store(id=ids.REQUESTED),
        dcc.Store(id=ids.RESTORED),
    ]


def notice() -> Component:
    """Messages about links and views, over the bottom of the plane."""
    return html.Div(
        [
            html.P(id=ids.NOTICE, role="status"),
            button("", "notice-action", hidden=True),
            plain(
                html.Button(
                    html.Span(className="icon icon-close"),
                    type="button",
                    className="button is-text notice-close",
                    **aria(label="Close this note"),
                )
            ),
        ],
        className="notice card",
    )


def present_title() -> Component:
    """Title and caption of the view of a story, else what is asked of the classes; for a script."""
    return plain(
        html.Div(
            [html.H1(id=ids.TITLE), html.P(id=ids.CAPTION)],
            className="caption present-only",
            **aria(live="polite"),
        )
    )


def stage_foot() -> Component:
    """Return the foot of the stage: the title and the address of a talk; scripts fill it."""
    return plain(
        html.Div(
            [html.P(id=ids.STAGE_FOOT), html.P(id=ids.TALK_ADDRESS, className="talk-address")],
            className="stage-foot present-only",
        )
    )


def play_bar() -> Component:
    """The bar below the plane in front; a script fills and operates it."""
    return html.Div(
        [
            plain(
                html.Div(
                    [
                        _morph(),
                        html.Div(
                            [
                                html.Span(_button("Add to story", "add"), className="not-present"),
                                html.Div(
                                    _presenting(), className="bar-group present-only row wrap"
                                ),
                            ],
                            className="bar-group bar-end row wrap",
                        ),
                    ],
                    className="play-bar row card wrap",
                )
            ),
            # Those of the help; a script copies them.
            html.Ul(className="keys present-only wrap", id=ids.KEYS, hidden=True, tabIndex="0"),
        ],
        className="playback",
    )


def _speed() -> Component:
    options = [
        html.Option(label, value=value, selected=value == "1") for value, label in SPEEDS.items()
    ]
    return html.Label(
        [html.Span("Speed"), html.Select(options, **data(bar="speed"))],
        className="bar-field row",
    )


def _morph() -> Component:
    """The morph from the run in front to another one; a script lists the runs."""
    explanation = "Rotate the plane on screen into that of another run, along the shortest path"
    return html.Div(
        [
            html.Label(
                [html.Span("Morph to"), html.Select([], **data(bar="morph-to"))],
                className="bar-field row",
                **tip(explanation),
            ),
            html.Div(_way(), className="bar-slider row", hidden=True, **data(bar="morph-slot")),
        ],
        className="bar-group bar-morph row wrap",
        **data(bar="morph"),
    )


def _way() -> list[Component]:
    """The share of the way to the other run, as a slider and as a number of percent."""
    play = html.Button(
        type="button",
        className="play",
        disabled=True,
        **data(bar="morph-play"),
        **aria(label="Play the morph"),
    )
    return [
        play,
        _way_input("share", "Share of the way to the other run", type="range"),
        _way_input(
            "percent",
            "Percent of the way to the other run",
            type="number",
            className="bar-percent",
        ),
        html.Span("%"),
    ]


def _way_input(name: str, label: str, **attributes: Any) -> Component:
    named = {**data(bar=f"morph-{name}"), **aria(label=label)}
    return Element("input", min=0, max=100, value=0, disabled=True, **attributes, **named)


def _presenting() -> list[Component]:
    return [
        html.Div(
            [
                _button("Previous", "previous"),
                html.Span(className="bar-count", **data(bar="count")),
                _button("Next", "next"),
                _button("Notes", "notes", "Notes and the next view, in a window for the presenter"),
            ],
            className="bar-group row wrap",
            **data(bar="steps"),
        ),
        _button("Share", "share", "Share this talk with an audience"),
        _button("Full screen", "full"),
        html.Button("More", type="button", className="button", **data(opens=_MORE)),
        html.Div(
            [_speed(), _button("Copy link", "link"), figure_button()],
            id=_MORE,
            className="menu is-note wrap",
        ),
        _button("?", "keys", "Keyboard shortcuts"),
        _button("Exit", "leave", "Exit Present"),
    ]


def _button(label: str, name: str, explanation: str | None = None) -> Component:
    named = {} if explanation is None else aria(label=explanation)
    return html.Button(label, type="button", className="button", **data(bar=name), **named)


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
                        html.Label(
                            [
                                Element("input", type="checkbox", **data(allow=name)),
                                html.Span(label),
                            ]
                        )
                        for name, label in ALLOWED.items()
                    ),
                ]
            ),
            _reach_note(),
            html.P(role="status", className="hint", **_part("words")),
            html.Div(
                [
                    _talk_button("Begin", "begin", "is-primary"),
                    _talk_button("End the talk", "end"),
                ],
                className="talk-foot row",
            ),
        ],
    )


def talk_screen() -> Component:
    """The code of a talk and what to type, on the whole screen, until it is clicked."""
    return html.Dialog(
        [html.Div(), html.P()],
        id=ids.TALK_SCREEN,
        className="talk-screen",
        **aria(label="The code of the talk"),
    )


def _link() -> Component:
    """The link with its code, shown while a talk goes on."""
    words = html.Div(
        [
            html.P(html.A(target="_blank", **_part("link"))),
            html.P(className="hint", **_part("typed")),
            _talk_button("Copy link", "copy"),
            html.P(className="talk-count", role="status", **_part("count")),
            html.P(className="hint", **_part("until")),
        ]
    )
    return html.Div(
        [html.Div(className="talk-code", **_part("code")), words],
        className="talk-link",
        hidden=True,
        **_part("on"),
    )


def _talk_button(label: str, name: str, modifier: str = "") -> Component:
    return html.Button(label, type="button", className=f"button {modifier}".strip(), **_part(name))


def _reach_note() -> Component:
    """Shown where nobody else can open the link."""
    return html.P(
        [
            "Only this computer can open the link. To let others follow, start the studio with ",
            html.Code("--host 0.0.0.0"),
            " and open it by the address of this computer in the network.",
        ],
        className="hint",
        hidden=True,
        **_part("note"),
    )


def _part(name: str) -> dict[str, Any]:
    return data(talk=name)

"""Dialogs that a run opens, and what all dialogs have that a script opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.analyses import ANALYSES
from melm_studio.layout import ids
from melm_studio.layout.attributes import LINEAR, aria, data
from melm_studio.layout.buttons import button, icon_button

DOWNLOADS_TITLE = "Program and data"

# The files of a plane: name, label, what the run must be, content.
_FILES = (
    ("script.py", "Python script", LINEAR, "Places new rows without the studio"),
    ("model.json", "Model (JSON)", LINEAR, "The plane and its preparation, for other programs"),
    ("points.csv", "Projected points (CSV)", "", "Every row in the plane"),
    ("components.csv", "Components (CSV)", LINEAR, "The loadings of every feature"),
)

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
            icon_button("close", "Close", **data(closes=component_id)),
        ],
        className="dialog-head",
    )


def _title_id(component_id: str) -> str:
    return f"{component_id}-title"


def analysis_dialogs() -> list[Component]:
    """Return the dialogs beside the picture: analyses, and the loadings of the plane on screen."""
    file = html.Button(
        "New rows from a file…", type="button", className="button", **_part_beside("choose-file")
    )
    return [
        _beside("loadings", "Loadings", "Draw again"),
        _beside("answer", "", "Draw again"),
        *(
            _beside(each.name, each.title, each.again, *([file] if each.of_new_rows else []))
            for each in ANALYSES.values()
            if each.title
        ),
    ]


def _beside(name: str, title: str, again: str, *parts: Component) -> Component:
    """A dialog, closed until a script opens it and fills its content."""
    return dialog_frame(
        ids.analysis(name), "beside", title, _part_beside, followed(title, again, *parts)
    )


def followed(title: str, again: str, *parts: Component) -> list[Component]:
    """Return the elements of a running analysis; `again` is on what begins it."""
    progress = html.Div(
        [
            html.Progress(max="1", **_part_beside("progress"), **aria(label=f"Progress: {title}")),
            html.Span(className="hint", **_part_beside("stage")),
            button("Stop", hidden=True, **_part_beside("stop")),
            button(again, hidden=True, **_part_beside("begin")),
        ],
        className="beside-progress",
    )
    words = html.P(role="status", className="check-answer", **_part_beside("words"))
    content = html.Div(className="beside-content", **_part_beside("content"))
    return [words, progress, *parts, content]


def downloads_dialog() -> Component:
    """The files of the plane on screen, closed until a script opens it and sets their addresses."""
    return dialog_frame(
        ids.DOWNLOADS,
        "dialog",
        DOWNLOADS_TITLE,
        _part_of_downloads,
        [
            html.P("Of the plane on screen.", className="hint"),
            html.Ul(
                [
                    html.Li(
                        [
                            html.A(label, download="", **data(file=file, needs=needed)),
                            html.Small(meaning),
                        ]
                    )
                    for file, label, needed, meaning in _FILES
                ],
                className="downloads",
            ),
        ],
    )


def _part_of_downloads(name: str) -> dict[str, Any]:
    return data(downloads=name)


def _part_beside(name: str) -> dict[str, Any]:
    return data(beside=name)

"""Dialogs beside the picture, which stays in use: other planes of a run, and its loadings."""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.analyses.analysis import Analysis
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.buttons import button
from melm_studio.layout.dialogs.frame import dialog_frame

_TREE = (
    "Each mark is a plane where the divergence has an optimum, each line one that persists as the "
    "kernels change. Dark lines exceed what shuffled labels reach (the gray band) over an octave "
    "of γ or more. Click a mark to see its plane."
)
_TREE_KEYS = (
    "Tree of planes. Left and right arrows change the kernel width, up and down the plane; Enter "
    "shows it in the picture."
)
_HEIGHTS = {"accuracy": "Held-out accuracy", "divergence": "Divergence"}


def tree_dialog() -> Component:
    """The tree of planes, closed until a script opens it."""
    return _beside(
        ids.TREE,
        "Tree of planes",
        "Search again",
        [
            html.Div(
                [_height(name, label) for name, label in _HEIGHTS.items()],
                className="segments",
                role="group",
                **aria(label="Height of the planes"),
            ),
            html.Div(
                className="tree-plot",
                role="application",
                tabIndex="0",
                **_part("plot"),
                **aria(label=_TREE_KEYS),
            ),
            html.Div(
                [
                    html.Canvas(
                        className="tree-preview", **_part("preview"), **aria(hidden="true")
                    ),
                    html.P(role="status", className="tree-plane", **_part("plane")),
                ],
                className="tree-at",
            ),
            html.Ul(className="tree-branches", **_part("branches"), **aria(label="Branches")),
            html.Ul(className="tree-notes", **_part("notes")),
            html.P(_TREE, className="hint"),
        ],
    )


def analysis_dialog(analysis: Analysis[Any]) -> Component:
    """The dialog of an analysis; its page module fills the content."""
    content = html.Div(className="beside-content", **_part("content"))
    return _beside(ids.analysis(analysis.name), analysis.title, analysis.again, [content])


def loadings_dialog() -> Component:
    """The loadings of the plane on screen, closed until a script opens them."""
    plot = html.Div(
        className="loadings-plot", role="img", **_part("plot"), **aria(label="Loadings")
    )
    return _beside(ids.LOADINGS, "Loadings", "Draw again", [plot])


def _beside(component_id: str, title: str, again: str, content: list[Component]) -> Component:
    progress = html.Div(
        [
            html.Progress(max="1", **_part("progress"), **aria(label=f"Progress: {title}")),
            html.Span(className="hint", **_part("stage")),
            button("Stop", hidden=True, **_part("stop")),
            button(again, hidden=True, **_part("begin")),
        ],
        className="beside-progress",
    )
    words = html.P(role="status", className="check-answer", **_part("words"))
    return dialog_frame(component_id, "beside", title, _part, [words, progress, *content])


def _part(name: str) -> dict[str, Any]:
    return data(beside=name)


def _height(name: str, label: str) -> Component:
    return html.Button(
        label, type="button", className="segment", **data(height=name), **aria(pressed="false")
    )

"""The tree of planes beside the picture: every optimum by kernel width, to go to each of them."""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.buttons import button, icon_button

_EXPLANATION = (
    "Each mark is a plane where the divergence has an optimum, each line one that persists as the "
    "kernels change. Dark lines exceed what shuffled labels reach (the gray band) over an octave "
    "of γ or more. Click a mark to see its plane."
)
_KEYS = (
    "Tree of planes. Left and right arrows change the kernel width, up and down the plane; Enter "
    "shows it in the picture."
)
_HEIGHTS = {"accuracy": "Held-out accuracy", "divergence": "Divergence"}


def tree_dialog() -> Component:
    """The dialog, closed until a script opens it; the picture beside it stays in use."""
    heading = f"{ids.TREE}-title"
    return html.Dialog(
        [
            html.Div(
                [
                    html.H2("Tree of planes", id=heading),
                    icon_button("close", "Close the tree", **_named("close")),
                ],
                className="tree-head",
            ),
            html.P(role="status", className="check-answer", **_named("words")),
            html.Div(
                [
                    html.Progress(
                        max="1", **_named("progress"), **aria(label="Progress of the tree")
                    ),
                    html.Span(className="hint", **_named("stage")),
                    button("Stop", **_named("stop")),
                    button("Search again", **_named("grow")),
                ],
                className="tree-progress",
            ),
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
                **_named("plot"),
                **aria(label=_KEYS),
            ),
            html.Div(
                [
                    html.Canvas(
                        className="tree-preview", **_named("preview"), **aria(hidden="true")
                    ),
                    html.P(role="status", className="tree-plane", **_named("plane")),
                ],
                className="tree-at",
            ),
            html.Ul(className="tree-branches", **_named("branches"), **aria(label="Branches")),
            html.Ul(className="tree-notes", **_named("notes")),
            html.P(_EXPLANATION, className="hint"),
        ],
        id=ids.TREE,
        className="tree",
        **aria(labelledby=heading),
    )


def _named(name: str) -> dict[str, Any]:
    return data(tree=name)


def _height(name: str, label: str) -> Component:
    return html.Button(
        label, type="button", className="segment", **data(height=name), **aria(pressed="false")
    )

"""Dialogs that a run opens, and what all dialogs have that a script opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from melm_studio.analyses import ANALYSES
from melm_studio.analyses.analysis import Analysis
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data
from melm_studio.layout.buttons import button, icon_button
from melm_studio.layout.dialog import dialog
from melm_studio.layout.panel_tools import LINEAR, PLANAR
from melm_studio.planes.decision_surface import KINDS

OTHERS_TITLE = "Is it stable, are there others?"
DOWNLOADS_TITLE = "Downloads"

# The files of a plane: name, label, what the run must be, content.
_FILES = (
    ("report.html", "Report (HTML)", "", "Scores, picture, features, data and method, to print"),
    ("replay.html", "Replay (HTML)", "", "The way of the search, in a file that needs no studio"),
    ("script.py", "Python script", LINEAR, "Places new rows, without the studio"),
    ("model.json", "Model (JSON)", LINEAR, "The plane and its preparation, for other programs"),
    ("points.csv", "Projected points", "", "Every row in the plane (CSV)"),
    ("components.csv", "Components", LINEAR, "The loadings of every feature (CSV)"),
)

# From the name of an element to the attribute by which a script finds it in the dialog.
Part = Callable[[str], dict[str, Any]]
_EXPLANATION = (
    "T² is the distance from the center within the plane, Q the squared distance from it. One in a "
    "hundred rows like those of the table is beyond each line: dashed for training rows, dotted, "
    "from refits without a tenth of the rows, for held-out rows, which are open. Click a row, or "
    "choose it, to select it and to see why."
)
MARGINALS = {"exact": "Exact moments", "paper": "As in the paper"}


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


def analysis_dialog(analysis: Analysis[Any]) -> Component:
    """The dialog of an analysis; a script fills the content."""
    content = html.Div(className="beside-content", **_part_beside("content"))
    return _beside(ids.analysis(analysis.name), analysis.title, analysis.again, [content])


def loadings_dialog() -> Component:
    """The loadings of the plane on screen, closed until a script opens them."""
    plot = html.Div(
        className="loadings-plot", role="img", **_part_beside("plot"), **aria(label="Loadings")
    )
    return _beside(ids.LOADINGS, "Loadings", "Draw again", [_other_tabs(), plot])


def _other_tabs() -> Component:
    """What shows whether a plane is stable or not alone; a script offers what a run has."""
    offered = [each for each in ANALYSES.values() if each.title and not each.is_next]
    tabs = [
        ("loadings", "Loadings", (LINEAR, PLANAR)),
        *((each.name, each.title, each.needs) for each in offered),
    ]
    return html.Div(
        [
            html.Button(
                title,
                type="button",
                className="segment",
                **data(analysis=name, needs=" ".join(needed)),
                **aria(pressed="false"),
            )
            for name, title, needed in tabs
        ],
        id=ids.OTHERS,
        className="segments",
        role="group",
        **aria(label=OTHERS_TITLE),
    )


def downloads_dialog() -> Component:
    """The files of the plane on screen, closed until a script opens it and sets their addresses."""
    return dialog_frame(
        ids.DOWNLOADS,
        "dialog",
        DOWNLOADS_TITLE,
        _part_of_downloads,
        [
            html.P("All but the replay describe the plane on screen.", className="hint"),
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


def _beside(component_id: str, title: str, again: str, content: list[Component]) -> Component:
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
    return dialog_frame(component_id, "beside", title, _part_beside, [words, progress, *content])


def _part_beside(name: str) -> dict[str, Any]:
    return data(beside=name)


def distances_dialog() -> Component:
    """The dialog, closed until a script opens it and draws."""
    return dialog_frame(
        ids.DISTANCES,
        "dialog distances",
        "Distances of the rows from the plane",
        _part_of_distances,
        [
            html.P(role="status", className="distances-words", **_part_of_distances("words")),
            html.Div(
                [
                    html.Div(role="img", className="distances-plot", **_part_of_distances("plot")),
                    html.Div(
                        [
                            html.Label(
                                [
                                    html.Span("Row, farthest first"),
                                    html.Select([], **_part_of_distances("rows")),
                                ],
                                className="distances-choice",
                            ),
                            html.P(role="status", **_part_of_distances("row")),
                            html.Div(
                                role="img",
                                className="distances-plot",
                                **_part_of_distances("contributions"),
                            ),
                        ]
                    ),
                ],
                className="distances-body",
            ),
            html.P(_EXPLANATION, className="hint"),
        ],
    )


def _part_of_distances(name: str) -> dict[str, Any]:
    return data(distances=name)


def features_dialog() -> Component:
    """The dialog, closed until a script opens it and fills it."""
    return dialog_frame(
        ids.FEATURES,
        "dialog distances",
        "",  # by what is shown
        _part_of_features,
        [
            html.P(role="status", className="distances-words", **_part_of_features("words")),
            html.Div(role="img", className="distances-plot", **_part_of_features("plot")),
            html.P(className="hint", **_part_of_features("note")),
        ],
    )


def _part_of_features(name: str) -> dict[str, Any]:
    return data(features=name)


def surface_view() -> Component:
    """The dialog, closed until a panel requests it."""
    return dialog(
        ids.SURFACE,
        "Decision surface",
        [
            dcc.Store(id=ids.SURFACE_REQUESTED),
            dcc.Store(id=ids.SURFACE_RUN),
            dmc.Group(
                [
                    _choice(
                        ids.SURFACE_KIND, "Kernel machine", {k: v.label for k, v in KINDS.items()}
                    ),
                    _choice(ids.SURFACE_CLASS, "Class, against the rest", {}),
                    _choice(ids.SURFACE_METHOD, "Modes", MARGINALS),
                ],
                gap="md",
                align="end",
            ),
            html.P(id=ids.SURFACE_CAPTION, className="surface-words", role="status"),
            # A script draws here.
            html.Div(
                id=ids.SURFACE_PLOT,
                className="surface-plot",
                role="img",
                **aria(label="Decision surface, not drawn yet"),
            ),
            dmc.Text(
                "The kernel machine is approximated by a few modes, each a product of two "
                "densities along its own axes. + and − mark modes for and against the class; lines "
                "extend one standard deviation. In low dimensions, as many well-placed kernels are "
                "often more accurate; the modes show what the machine consists of.",
                size="xs",
                c="dimmed",
            ),
        ],
        width=1240,
    )


def _choice(component_id: str, label: str, options: dict[str, str]) -> Component:
    return dmc.Select(
        id=component_id,
        label=label,
        data=[{"value": value, "label": name} for value, name in options.items()],
        value=next(iter(options), None),
        allowDeselect=False,
        size="sm",
        w=220,
    )

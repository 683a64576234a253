"""A panel: one run with its picture, its numbers and its history.

A panel stands empty where Dash puts it up, naming the run in `data-run`; the script of the page
furnishes it with a copy of the one that all panels are made from. That is many times faster than
to put up every part of every panel by Dash. What only some runs have is marked by `data-needs`,
and what the script fills by `data-part`.
"""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, data, needs, part
from melm_studio.layout.tools import FLAT, LINEAR, SPACE, tools

_SHAPES = {1: "line", 2: FLAT, 3: SPACE}


def panel(
    run_id: str,
    title: str,
    data_name: str,
    *,
    gamma: float = 1.0,
    n_components: int = 2,
    is_linear: bool = True,
    space: str = "",
) -> Component:
    """The place of a run, to be furnished by the script; a curved one has no components.

    Between the planes of runs in the same `space` there is a way from one to the other.
    """
    return html.Section(
        className="panel",
        key=run_id,
        **data(
            run=run_id,
            title=title,
            gamma=f"{gamma:g}",
            components=str(n_components),
            has=" ".join([_SHAPES[n_components], *([LINEAR] if is_linear else [])]),
            space=space,
        ),
        **aria(label=f"{title}, {data_name}"),
    )


def panel_model() -> Component:
    """What every panel is a copy of, not shown itself."""
    return html.Template(
        [
            _head(),
            html.Div(
                className="progress",
                role="progressbar",
                **part("progress"),
                **aria(label="Progress of the run"),
            ),
            html.Div(
                [
                    html.Div(
                        [
                            html.Div(
                                className="plot",
                                role="img",
                                **part("plot"),
                                **aria(label="No plane yet"),
                            ),
                            html.Canvas(className="motion", **part("motion")),
                            html.P(className="drawn", **part("drawn")),
                            _elsewhere(),
                        ],
                        className="picture",
                    ),
                    html.Div([_numbers(), _check(), tools(), _history()], className="panel-side"),
                ],
                className="panel-body",
            ),
        ],
        id=ids.PANEL_MODEL,
    )


def run_tab(run_id: str, title: str) -> Component:
    """What brings a run to the front where one is shown at a time; a script says its state."""
    return html.Button(
        [title, html.Span(className="tab-state")],
        type="button",
        className="button run-tab",
        key=run_id,
        **data(tab=run_id),
        **aria(pressed="false"),
    )


def teaching_panel() -> Component:
    """What stands where no run is yet."""
    return html.Div(
        [
            dmc.Title("Nothing has run on these data yet", order=2, size="h3"),
            dmc.Text(
                "MELM looks for the plane in which the classes come apart. Press Run and watch "
                "it turn; then add PCA or LDA, or another γ, to see them side by side.",
                c="dimmed",
                maw=460,
                ta="center",
            ),
        ],
        className="teaching",
    )


def _head() -> Component:
    return html.Header(
        [
            html.Div(
                [
                    html.H3(className="panel-title", **part("title")),
                    html.P(className="words", role="status", **part("words")),
                ],
                className="panel-names",
            ),
            html.Div(
                [*_orders(), _stop(), _anchor(), _surface(), *_exports(), _remove()],
                className="panel-actions",
            ),
        ],
        className="panel-head",
    )


def _anchor() -> Component:
    return _icon_button(
        "anchor",
        "Turn the others to lie like this one",
        "compare-only",
        **part("anchor"),
        **aria(pressed="false"),
    )


def _orders() -> list[Component]:
    """What can be asked of a run that is at work, or that was cut short; a script shows which."""
    return [_order("pause", "Pause"), _order("step", "Step"), _order("again", "Run again")]


def _order(name: str, label: str) -> Component:
    return _button(label, style={"display": "none"}, **part(name))


def _stop() -> Component:
    icon = html.Span(className="icon icon-stop")
    return _button([icon, "Stop"], "is-red", **part("stop"))


def _check() -> Component:
    return _button(
        "Is it real?",
        "is-light ask-check",
        title="Refit in folds and to shuffled labels: would chance do as well?",
        **part("check"),
    )


def _surface() -> Component:
    return _icon_button(
        "surface",
        "Decision surface",
        title="Decision surface of a kernel machine in this plane",
        **part("surface"),
        **needs(FLAT),
    )


def _button(label: Any, look: str = "", **properties: Any) -> Component:
    return html.Button(label, type="button", className=f"button is-small {look}", **properties)


def _icon_button(icon: str, label: str, look: str = "", **properties: Any) -> Component:
    return html.Button(
        html.Span(className=f"icon icon-{icon}"),
        type="button",
        className=f"button is-icon {look}",
        **{**aria(label=label), "title": label} | properties,
    )


def _elsewhere() -> Component:
    """What can be done while the plane is shown at another kernel width than its run's."""
    back = _button("", **part("back"))
    refine = _button("Refine here", "is-light", **part("refine"), **needs(LINEAR))
    return html.Div([back, refine], className="elsewhere")


def _exports() -> list[Component]:
    """A button and its menu; the script gives the items the addresses of the run."""
    menu = html.Div(
        [
            _menu_label("The picture on screen"),
            _menu_item("Picture, PNG", **data(picture="png")),
            _menu_item("Picture, SVG", **data(picture="svg")),
            _menu_label("The plane on screen"),
            _download("points.csv", "Projected points"),
            _download("components.csv", "Components", **needs(LINEAR)),
            _download("model.json", "Model, JSON", **needs(LINEAR)),
            _download("script.py", "Python script", **needs(LINEAR)),
            _menu_label("To show elsewhere"),
            _menu_item("Copy link", **data(link="copy")),
            _download("replay.html", "Replay, HTML"),
        ],
        className="menu",
        role="menu",
        **part("exports"),
        **aria(label="Download"),
    )
    return [_icon_button("download", "Download", **part("export")), menu]


def _menu_label(text: str) -> Component:
    return html.Div(text, className="menu-label", role="presentation")


def _menu_item(label: str, **properties: Any) -> Component:
    return html.Button(label, type="button", className="menu-item", role="menuitem", **properties)


def _download(file: str, label: str, **properties: Any) -> Component:
    return html.A(label, className="menu-item", role="menuitem", **data(file=file), **properties)


def _remove() -> Component:
    return _icon_button("close", "Remove this panel", **part("remove"))


def _history() -> Component:
    return html.Div(
        [
            html.Div(
                [
                    html.Div(className="curve", **part("curve")),
                    html.Div(className="cursor", **part("cursor")),
                ],
                className="curve-frame",
            ),
            html.Div(className="scrubber", **part("scrubber")),
        ],
        className="history",
    )


def _numbers() -> Component:
    """Every score with its held-out twin beside it."""
    return html.Dl(
        [
            *_score("Divergence", "divergence", "Cauchy-Schwarz divergence of the classes"),
            *_score("Accuracy", "accuracy", "Balanced accuracy of the class densities"),
        ],
        className="numbers",
    )


def _score(label: str, field: str, meaning: str) -> list[Component]:
    return [
        html.Dt(label, title=meaning),
        html.Dd(
            [
                html.Span("–", className="value", **part(f"{field}-seen")),
                html.Span("seen", className="unit"),
                html.Span("–", className="value", **part(f"{field}-unseen")),
                html.Span("unseen", className="unit"),
            ]
        ),
    ]

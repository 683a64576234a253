"""A panel: one run with its plane, its scores and its history.

Dash renders an empty placeholder for each panel, which names the run in `data-run`; a script clones
the template into it, many times faster than Dash would render its parts. `data-needs` marks what
only some runs have, `data-part` what the script fills.
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
    """The placeholder of a run's panel.

    A nonlinear projection has no components. Runs in the same `space` can be morphed into each
    other.
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
    """The template that scripts clone into every placeholder; not displayed itself."""
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
                            _edited_commands(),
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
    """The tab that selects a run where one is shown at a time; a script adds its state."""
    return html.Button(
        [title, html.Span(className="tab-state")],
        type="button",
        className="button run-tab",
        key=run_id,
        **data(tab=run_id),
        **aria(pressed="false"),
    )


def teaching_panel() -> Component:
    """The empty state, before the first run."""
    return html.Div(
        [
            dmc.Title("No runs on this data yet", order=2, size="h3"),
            dmc.Text(
                "MELM searches for the plane that best separates the classes. Press Run and watch "
                "the search; then add PCA, LDA or another γ to compare them side by side.",
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
                [*_run_commands(), _stop(), _anchor(), _surface(), *_exports(), _remove()],
                className="panel-actions",
            ),
        ],
        className="panel-head",
    )


def _anchor() -> Component:
    return _icon_button(
        "anchor",
        "Align the other panels with this one",
        "compare-only",
        **part("anchor"),
        **aria(pressed="false"),
    )


def _run_commands() -> list[Component]:
    """The commands of a running or interrupted run; a script shows those that apply."""
    return [_command("pause", "Pause"), _command("step", "Step"), _command("again", "Run again")]


def _command(name: str, label: str) -> Component:
    return _button(label, style={"display": "none"}, **part(name))


def _stop() -> Component:
    icon = html.Span(className="icon icon-stop")
    return _button([icon, "Stop"], "is-red", **part("stop"))


def _check() -> Component:
    return _button(
        "Is it real?",
        "is-light ask-check",
        title="Cross-validation and a permutation test: would chance score as well?",
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


def _button(label: Any, modifiers: str = "", **properties: Any) -> Component:
    return html.Button(label, type="button", className=f"button is-small {modifiers}", **properties)


def _icon_button(icon: str, label: str, modifiers: str = "", **properties: Any) -> Component:
    return html.Button(
        html.Span(className=f"icon icon-{icon}"),
        type="button",
        className=f"button is-icon {modifiers}",
        **{**aria(label=label), "title": label} | properties,
    )


def _edited_commands() -> Component:
    """The commands of a plane that is shown edited, or at another kernel width than its run's."""
    back = _button("", **part("back"))
    refine = _button("Refine from here", "is-light", **part("refine"), **needs(LINEAR))
    return html.Div([back, refine], className="elsewhere")


def _exports() -> list[Component]:
    """A button and its menu; a script sets the addresses of the items."""
    menu = html.Div(
        [
            _menu_label("Picture on screen"),
            _menu_item("Picture (PNG)", **data(picture="png")),
            _menu_item("Picture (SVG)", **data(picture="svg")),
            _menu_label("Plane on screen"),
            _download("points.csv", "Projected points"),
            _download("components.csv", "Components", **needs(LINEAR)),
            _download("model.json", "Model (JSON)", **needs(LINEAR)),
            _download("script.py", "Python script", **needs(LINEAR)),
            _menu_label("Share"),
            _menu_item("Copy link", **data(link="copy")),
            _download("replay.html", "Replay (HTML)"),
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
    """Every score for the training rows and, beside it, for the held-out rows."""
    return html.Dl(
        [
            *_score("Divergence", "divergence", "Cauchy-Schwarz divergence between the classes"),
            *_score("Accuracy", "accuracy", "Balanced accuracy of the class-density classifier"),
        ],
        className="numbers",
    )


def _score(label: str, field: str, meaning: str) -> list[Component]:
    return [
        html.Dt(label, title=meaning),
        html.Dd(
            [
                html.Span("–", className="value", **part(f"{field}-seen")),
                html.Span("train", className="unit"),
                html.Span("–", className="value", **part(f"{field}-unseen")),
                html.Span("held out", className="unit"),
            ]
        ),
    ]

"""A panel: one run with its picture, its numbers and its history.

The script of the page fills everything marked with a `data-part`; the panel
names the run in `data-run`.
"""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from layout.tools import part, tools


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
    """The frame of a run, empty until the first frame arrives; a curved one has no components.

    Between the planes of runs in the same `space` there is a way from one to the other.
    """
    return html.Section(
        [
            _head(run_id, title, is_flat=n_components == 2, is_linear=is_linear),
            html.Div(
                className="progress",
                role="progressbar",
                **part("progress"),
                **{"aria-label": "Progress of the run"},
            ),
            html.Div(
                [
                    html.Div(
                        [
                            html.Div(
                                className="plot",
                                role="img",
                                **part("plot"),
                                **{"aria-label": "No plane yet"},
                            ),
                            html.Canvas(className="motion", **part("motion")),
                            html.P(className="drawn", **part("drawn")),
                            _elsewhere(is_linear),
                        ],
                        className="picture",
                    ),
                    html.Div(
                        [
                            _numbers(),
                            _check(),
                            tools(n_components=n_components, is_linear=is_linear),
                            _history(),
                        ],
                        className="panel-side",
                    ),
                ],
                className="panel-body",
            ),
        ],
        className="panel",
        key=run_id,
        **{
            "data-run": run_id,
            "data-gamma": f"{gamma:g}",
            "data-components": str(n_components),
            "data-space": space,
            "aria-label": f"{title}, {data_name}",
        },
    )


def run_tab(run_id: str, title: str) -> Component:
    """What brings a run to the front where one is shown at a time; a script says its state."""
    return html.Button(
        [title, html.Span(className="tab-state")],
        type="button",
        className="run-tab",
        key=run_id,
        **{"data-tab": run_id, "aria-pressed": "false"},
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


def _head(run_id: str, title: str, *, is_flat: bool, is_linear: bool) -> Component:
    return html.Header(
        [
            html.Div(
                [
                    html.H3(title, className="panel-title"),
                    html.P(className="words", role="status", **part("words")),
                ],
                className="panel-names",
            ),
            html.Div(
                [
                    *_orders(),
                    _stop(),
                    _anchor(),
                    *([_surface()] if is_flat else []),
                    _exports(run_id, is_linear),
                    _remove(),
                ],
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
        **{"aria-pressed": "false"},
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
    )


# Plain elements: a panel of the kit's buttons and tooltips takes several times as long to put up.
def _button(label: Any, look: str = "", **properties: Any) -> Component:
    return html.Button(label, type="button", className=f"small-button {look}", **properties)


def _icon_button(icon: str, label: str, look: str = "", **properties: Any) -> Component:
    return html.Button(
        html.Span(className=f"icon icon-{icon}"),
        type="button",
        className=f"icon-button {look}",
        **{"aria-label": label, "title": label} | properties,
    )


def _elsewhere(is_linear: bool) -> Component:
    """What can be done while the plane is shown at another kernel width than its run's."""
    back = _button("", **part("back"))
    refine = _button("Refine here", "is-light", **part("refine"))
    return html.Div([back, *([refine] if is_linear else [])], className="elsewhere")


def _exports(run_id: str, is_linear: bool) -> Component:
    return dmc.Menu(
        [
            dmc.MenuTarget(_icon_button("download", "Download")),
            dmc.MenuDropdown(
                [
                    dmc.MenuLabel("The picture on screen"),
                    _picture(run_id, "png"),
                    _picture(run_id, "svg"),
                    dmc.MenuLabel("The plane on screen"),
                    _download(run_id, "points.csv", "Projected points"),
                    *(_of_a_linear_map(run_id) if is_linear else []),
                    dmc.MenuLabel("To show elsewhere"),
                    dmc.MenuItem("Copy link", **{"data-link-of": run_id}),
                    _download(run_id, "replay.html", "Replay, HTML"),
                ]
            ),
        ],
        position="bottom-end",
        withinPortal=True,
        keepMounted=False,
    )


def _of_a_linear_map(run_id: str) -> list[Component]:
    return [
        _download(run_id, "components.csv", "Components"),
        _download(run_id, "model.json", "Model, JSON"),
        _download(run_id, "script.py", "Python script"),
    ]


def _download(run_id: str, file: str, label: str) -> Component:
    return dmc.MenuItem(
        label, href=f"/runs/{run_id}/{file}", target="_self", **{"data-download": run_id}
    )


def _picture(run_id: str, kind: str) -> Component:
    # A script makes the picture.
    return dmc.MenuItem(
        f"Picture, {kind.upper()}", **{"data-picture": kind, "data-picture-of": run_id}
    )


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

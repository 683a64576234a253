"""The line below the header: what is run, and with which settings; the batch of Compare."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_core.methods import HELD_OUT, METHODS, SEED, STARTS, Method
from melm_studio.analyses.ranking import RIVALS_OF_THE_PAPERS
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria
from melm_studio.layout.compare import batch_form, both_preparations, run_batch_button
from melm_studio.layout.method_form import (
    components_control,
    curves_control,
    gamma_control,
    number_input,
    own_settings,
)
from melm_studio.runs.execution.refusals import missing_package

FIRST_METHOD = next(iter(METHODS))
_GROUPS = ("Supervised", "Unsupervised", "Nonlinear", "From the papers")


def method_line() -> list[Component]:
    """The contents of the line."""
    return [
        html.Div(_one_method(), className="one-method explore-only"),
        batch_form(_menu()),
        _more(),
        *_run(),
    ]


def _one_method() -> list[Component]:
    """Return the choice of a method in Explore; Compare has a form of its own."""
    return [
        html.Div(
            [
                dmc.Select(
                    id=ids.METHOD,
                    data=_menu(),
                    value=FIRST_METHOD,
                    allowDeselect=False,
                    searchable=True,
                    size="sm",
                    **aria(label="Method"),
                ),
            ],
            className="method-choice",
        ),
        gamma_control(ids.GAMMA, ids.GAMMA_SLIDER),
    ]


def _more() -> Component:
    """Return settings that rarely change, folded away; a script summarizes them."""
    return html.Details(
        [
            html.Summary(["Settings", html.Span(id=ids.MORE_SETTINGS)]),
            html.Div(
                [
                    html.P(id=ids.METHOD_EXPLANATION, className="field-note explore-only"),
                    both_preparations(),
                    components_control(ids.N_COMPONENTS),
                    curves_control(ids.CURVES),
                    html.Div(
                        [
                            number_input(ids.N_INIT, STARTS),
                            number_input(ids.RANDOM_STATE, SEED),
                            number_input(ids.HELD_OUT, HELD_OUT, usual="auto"),
                        ],
                        className="field-grid is-three",
                    ),
                    html.P(id=ids.N_INIT_REASON, className="field-note"),
                    html.Div(own_settings(METHODS[FIRST_METHOD]), id=ids.SETTINGS),
                ],
                className="folded",
            ),
        ],
        className="more",
    )


def _menu() -> list[dict[str, Any]]:
    """The methods in groups, each in the order of the registry; the rare ones come last."""
    groups: dict[str, list[dict[str, Any]]] = {name: [] for name in _GROUPS}
    for method in METHODS.values():
        groups.setdefault(_group(method), []).append(_menu_item(method))
    return [{"group": group, "items": items} for group, items in groups.items()]


def _menu_item(method: Method) -> dict[str, Any]:
    install = missing_package(method.key)
    if install is None:
        return {"value": method.key, "label": method.label}
    label = f"{method.label}: not installed ({install})"
    return {"value": method.key, "label": label, "disabled": True}


def _group(method: Method) -> str:
    if method.key in RIVALS_OF_THE_PAPERS:
        return "From the papers"
    if not method.is_linear:
        return "Nonlinear"
    return "Supervised" if method.uses_labels else "Unsupervised"


def _run() -> list[Component]:
    return [
        run_batch_button(),
        html.Button(
            "Run",
            id=ids.RUN,
            type="button",
            title="Ctrl+Enter",
            className="button is-primary explore-only",
            disable_n_clicks=True,  # a script listens
        ),
    ]

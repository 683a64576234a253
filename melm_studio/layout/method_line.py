"""The line below the header: what is run, and with which settings; forms made of parameters."""

from __future__ import annotations

from math import log10
from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_core.methods import (
    BATCH_WEIGHT,
    COMPONENTS,
    CURVES,
    GAMMA,
    HELD_OUT,
    METHODS,
    SEED,
    SHARED,
    STARTS,
    Choice,
    Method,
    Parameter,
    Scale,
    Setting,
)
from melm_studio.analyses.ranking import RIVALS_OF_THE_PAPERS
from melm_studio.layout import ids
from melm_studio.layout.compare import batch_form, both_preparations, run_batch_button
from melm_studio.layout.elements import Element, aria, by_name, plain, tip
from melm_studio.runs.execution.refusals import missing_package
from melm_studio.workspace.run_form import FIRST_METHOD

# Significant digits of a kernel width chosen by the slider.
GAMMA_DIGITS = 3

_GAMMA_STEP = 0.1
_LOG_STEP = 0.01  # of the decimal logarithm
_AUTO_GAMMA = (
    "Try several kernel widths on parts of the training rows, and use the one that tells the "
    "others apart best. Takes several times as long."
)
_GROUPS = ("Supervised", "Unsupervised", "Nonlinear", "From the papers")


def gamma_control(component_id: str, slider_id: str) -> Component:
    """The kernel width: a field that holds it, and a slider over its decimal logarithm."""
    return html.Div(
        [
            explained_label(GAMMA),
            dmc.NumberInput(
                id=component_id,
                value=GAMMA.default,
                min=GAMMA.minimum,
                max=GAMMA.maximum,
                step=_GAMMA_STEP,
                clampBehavior="blur",
                hideControls=True,
                size="xs",
                **aria(label=GAMMA.label),
            ),
            html.Div(
                [plain(html.Div(_between_ends(_gamma_slider(slider_id)))), _auto_button()],
                className="gamma-range row card",
            ),
        ],
        id=ids.GAMMA_CONTROL,
        className="gamma row",
    )


def _auto_button() -> Component:
    return html.Button(
        "auto",
        id=ids.GAMMA_CHOICE,
        type="button",
        className="button is-toggle",
        **aria(pressed="false", label="Let the method choose γ"),
        **tip(_AUTO_GAMMA),
    )


def _gamma_slider(component_id: str) -> Component:
    return Element(
        "input",
        type="range",
        min=f"{log10(GAMMA.minimum):g}",
        max=f"{log10(GAMMA.maximum):g}",
        step=_LOG_STEP,
        value=f"{log10(GAMMA.default):g}",
        id=component_id,
        **aria(label="Kernel width γ, logarithmic", valuetext=f"γ {GAMMA.default:g}"),
    )


def _between_ends(slider: Component) -> list[Component]:
    hidden = aria(hidden="true")
    return [html.Span("finer", **hidden), slider, html.Span("smoother", **hidden)]


def components_control(component_id: str) -> Component:
    """The choice of the number of components; its value is text."""
    numbers = range(int(COMPONENTS.minimum), int(COMPONENTS.maximum) + 1)
    return html.Div(
        [
            explained_label(COMPONENTS),
            dmc.SegmentedControl(
                id=component_id,
                data=[str(number) for number in numbers],
                value=str(COMPONENTS.default),
                size="xs",
                **aria(label=COMPONENTS.label),
            ),
        ],
        className="field-head row",
    )


def curves_control(component_id: str) -> Component:
    """The choice between straight and curved features, which inner folds may make."""
    return html.Div(
        [
            explained_label(CURVES),
            dmc.SegmentedControl(
                id=component_id,
                data=[{"value": value, "label": label} for value, label in CURVES.options.items()],
                value=CURVES.default,
                size="xs",
                **aria(label=CURVES.label),
            ),
        ],
        className="field-head row",
    )


def own_settings(method: Method) -> Component:
    """A control for each setting that only this method has."""
    settings = [setting for setting in method.parameters if setting.name not in SHARED]
    if not settings:
        return html.P(f"{method.label} has no further settings.", className="hint")
    return html.Div([_own_setting(setting) for setting in settings], className="field-grid")


def _own_setting(setting: Setting) -> Component:
    if setting is BATCH_WEIGHT:
        # The summary of data with batches lets the styles show it.
        field = number_input(ids.setting(setting.name), setting)
        return html.Div(field, className="needs-batches")
    if isinstance(setting, Choice):
        return dmc.Select(
            id=ids.setting(setting.name),
            label=explained_label(setting),
            data=[{"value": value, "label": label} for value, label in setting.options.items()],
            value=setting.default,
            allowDeselect=False,
            size="sm",
        )
    return number_input(ids.setting(setting.name), setting)


def number_input(
    component_id: str | dict[str, str], parameter: Parameter, usual: str = ""
) -> Component:
    """A numeric field for a parameter; empty where what is `usual` depends on the table."""
    return dmc.NumberInput(
        id=component_id,
        label=explained_label(parameter),
        value="" if usual else parameter.default,
        placeholder=usual,
        min=parameter.minimum,
        max=parameter.maximum,
        allowDecimal=not parameter.is_integer,
        step=_step(parameter),
        clampBehavior="blur",
        size="sm",
    )


def _step(parameter: Parameter) -> float:
    if parameter.scale is Scale.LOG and not parameter.is_integer:
        return parameter.default / 2
    return 1.0


def explained_label(parameter: Setting) -> Component:
    """The name of a parameter, with its explanation as a tooltip."""
    return html.Span(parameter.label, className="explained", **tip(parameter.explanation))


def method_line() -> list[Component]:
    """The contents of the line."""
    return [
        html.Div(_one_method(), className="one-method explore-only row"),
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
                    size="sm",
                    **by_name(),
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
                    html.P(id=ids.METHOD_EXPLANATION, className="hint explore-only"),
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
                    html.P(id=ids.N_INIT_REASON, className="hint"),
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

"""The form of a method, generated from its parameters."""

from __future__ import annotations

from math import log10

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_core.methods import (
    BATCH_WEIGHT,
    COMPONENTS,
    CURVES,
    GAMMA,
    SHARED,
    Choice,
    Method,
    Parameter,
    Scale,
    Setting,
)
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria, tip
from melm_studio.layout.shell.markup import Element, plain

# Significant digits of a kernel width chosen by the slider.
GAMMA_DIGITS = 3

_GAMMA_STEP = 0.1
_LOG_STEP = 0.01  # of the decimal logarithm
_AUTO_GAMMA = (
    "Try several kernel widths on parts of the training rows, and use the one that tells the "
    "others apart best. Takes several times as long."
)


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
                className="gamma-range",
            ),
        ],
        className="gamma",
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
        className="field-head",
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
        className="field-head",
    )


def own_settings(method: Method) -> Component:
    """A control for each setting that only this method has."""
    settings = [setting for setting in method.parameters if setting.name not in SHARED]
    if not settings:
        return html.P(f"{method.label} has no further settings.", className="field-note")
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

"""The form of a method, generated from its parameters."""

from __future__ import annotations

from math import log10
from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_core.methods import COMPONENTS, GAMMA, SHARED, Choice, Method, Parameter, Scale, Setting
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria

# Significant digits of a kernel width chosen by the slider.
GAMMA_DIGITS = 3

_GAMMA_MARKS = (0.1, 0.25, 0.5, 1, 2, 5, 10)


def gamma_slider(component_id: str) -> Component:
    """A slider whose value is the decimal logarithm of gamma."""
    shown: Any = {"function": "powerOfTen"}  # a script function; the annotation has text only
    return html.Div(
        [
            explained_label(GAMMA),
            dmc.Slider(
                id=component_id,
                value=log10(GAMMA.default),
                min=log10(GAMMA.minimum),
                max=log10(GAMMA.maximum),
                step=0.01,
                marks=[{"value": log10(mark), "label": f"{mark:g}"} for mark in _GAMMA_MARKS],
                label=shown,
                labelAlwaysOn=False,
                updatemode="drag",
                size="sm",
                mb="lg",
                mt=6,
                thumbLabel=GAMMA.label,
                **aria(label=GAMMA.label),
            ),
        ]
    )


def components_control(component_id: str) -> Component:
    """The choice of the number of components; its value is text."""
    numbers = range(int(COMPONENTS.minimum), int(COMPONENTS.maximum) + 1)
    return dmc.Group(
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
        justify="space-between",
    )


def gamma_of(slider_value: float) -> float:
    """The gamma at a slider position, rounded to the digits that its label shows."""
    return float(f"{10.0**slider_value:.{GAMMA_DIGITS}g}")


def own_settings(method: Method) -> Component:
    """A control for each setting that only this method has."""
    own = [setting for setting in method.parameters if setting.name not in SHARED]
    if not own:
        return dmc.Text(f"{method.label} has no further settings.", size="xs", c="dimmed")
    return dmc.SimpleGrid([_own_setting(setting) for setting in own], cols=2, spacing="xs")


def _own_setting(setting: Setting) -> Component:
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


def number_input(component_id: str | dict[str, str], parameter: Parameter) -> Component:
    """A numeric field for a parameter."""
    return dmc.NumberInput(
        id=component_id,
        label=explained_label(parameter),
        value=parameter.default,
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
    return dmc.Tooltip(
        dmc.Text(parameter.label, size="sm", fw=500, span=True, className="explained"),
        label=parameter.explanation,
        multiline=True,
        w=260,
        openDelay=300,
    )

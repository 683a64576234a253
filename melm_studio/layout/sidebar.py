"""The sidebar: data above, method below, Run at the bottom."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_core.methods import HELD_OUT, METHODS, SEED, STARTS, Method
from melm_studio.layout import ids
from melm_studio.layout.attributes import aria
from melm_studio.layout.columns import columns_button
from melm_studio.layout.compare import batch_form, run_batch_button
from melm_studio.layout.method_form import (
    components_control,
    gamma_slider,
    number_input,
    own_settings,
)
from melm_studio.tables import SAMPLES

_FIRST_METHOD = next(iter(METHODS))
_MOST_OFFERED = 100  # at once; typing finds the others


def sidebar() -> list[Component]:
    """The contents of the sidebar."""
    return [
        dmc.AppShellSection(
            dmc.ScrollArea(
                dmc.Stack(
                    [_data(), dmc.Divider(), batch_form(_menu()), _method()], gap="sm", p="md"
                ),
                h="100%",
                type="auto",
                scrollbarSize=8,
            ),
            grow=True,
            style={"minHeight": 0},
        ),
        dmc.AppShellSection(_run(), p="md", className="sidebar-foot"),
    ]


def _data() -> Component:
    return dmc.Stack(
        [
            _heading("Data"),
            # A script makes this area take files by drop, click and keyboard.
            html.Div(id=ids.DROP_ZONE, className="drop-zone"),
            dmc.Group([_sample_button(key) for key in SAMPLES], gap=5),
            html.P(id=ids.DATA_ERROR, role="alert", className="alert"),
            html.Div(id=ids.DATA_SUMMARY),
            columns_button(),
            dmc.Select(
                id=ids.LABEL,
                label="Label column",
                allowDeselect=False,
                searchable=True,
                limit=_MOST_OFFERED,
                size="sm",
            ),
            dmc.Switch(
                id=ids.STANDARDIZE,
                label="Standardize features",
                checked=True,
                size="sm",
            ),
        ],
        gap="xs",
    )


def _sample_button(key: str) -> Component:
    sample = SAMPLES[key]
    button = dmc.Button(
        sample.label,
        id=ids.sample(key),
        variant="default",
        size="compact-xs",
        radius="xl",
    )
    return dmc.Tooltip(button, label=sample.explanation, multiline=True, w=240, openDelay=400)


def _method() -> Component:
    return dmc.Stack(
        [
            _heading("Method"),
            dmc.Select(
                id=ids.METHOD,
                data=_menu(),
                value=_FIRST_METHOD,
                allowDeselect=False,
                searchable=True,
                size="sm",
                maxDropdownHeight=420,
                **aria(label="Method"),
            ),
            dmc.Text(id=ids.METHOD_EXPLANATION, size="xs", c="dimmed"),
            components_control(ids.N_COMPONENTS),
            gamma_slider(ids.GAMMA),
            dmc.SimpleGrid(
                [
                    number_input(ids.N_INIT, STARTS),
                    number_input(ids.RANDOM_STATE, SEED),
                    number_input(ids.HELD_OUT, HELD_OUT),
                ],
                cols=3,
                spacing="xs",
            ),
            dmc.Text(id=ids.N_INIT_REASON, size="xs", c="dimmed"),
            _more(),
        ],
        gap="xs",
    )


def _more() -> Component:
    """The settings that only the chosen method has, folded away."""
    return dmc.Accordion(
        dmc.AccordionItem(
            [
                dmc.AccordionControl("More settings"),
                dmc.AccordionPanel(html.Div(own_settings(METHODS[_FIRST_METHOD]), id=ids.SETTINGS)),
            ],
            value="more",
        ),
        chevronPosition="left",
        className="folded",
    )


def _menu() -> list[dict[str, Any]]:
    """The methods in groups, each in the order of the registry."""
    groups: dict[str, list[dict[str, str]]] = {}
    for method in METHODS.values():
        groups.setdefault(_group(method), []).append({"value": method.key, "label": method.label})
    return [{"group": group, "items": items} for group, items in groups.items()]


def _group(method: Method) -> str:
    if not method.is_linear:
        return "Nonlinear"
    return "Supervised" if method.uses_labels else "Unsupervised"


def _run() -> Component:
    return dmc.Stack(
        [
            html.P(id=ids.RUN_ERROR, role="alert", className="alert"),
            dmc.Button("Run", id=ids.RUN, fullWidth=True, size="md"),
            run_batch_button(),
        ],
        gap="xs",
    )


def _heading(text: str) -> Component:
    return dmc.Title(text, order=2, size="h5")

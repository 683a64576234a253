"""The preparation: missing numbers, steps in order, and scaling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_core.recipe import MAX_STEPS, Fill, MissingValues, Recipe, Step, StepKind
from melm_studio.layout import ids
from melm_studio.layout.elements import aria
from melm_studio.tables import SCALING_NAMES, STEP_NAMES

MAX_COLUMNS_SHOWN = 100  # at once; typing finds the others
_EXPLANATION = (
    "Fitted to the labeled rows, applied to new rows as it was fitted, and fitted again in every "
    "fold of a check. Links, reports, saved planes and downloaded programs carry it."
)
_FILLS = {
    Fill.MEDIAN: "The median of the column",
    Fill.NEAREST: "The mean of the nearest rows",
    Fill.CONSTANT: "A constant",
}


def recipe_tab() -> Component:
    """The form of the preparation, which is filled in when it is opened."""
    return dmc.Stack(
        [
            html.Div(id=ids.RECIPE_FORM),
            dmc.Group(
                dmc.Button(
                    "Reset to standardizing",
                    id=ids.RECIPE_RESET,
                    variant="default",
                    size="compact-sm",
                )
            ),
        ],
        gap="sm",
        pt="sm",
    )


def recipe_form(recipe: Recipe, columns: Sequence[str]) -> Component:
    """The form of one recipe.

    Parameters
    ----------
    recipe : Recipe
    columns : sequence of str
        The numeric columns that steps can be limited to.
    """
    return dmc.Stack(
        [
            dmc.Text(_EXPLANATION, size="sm", c="dimmed"),
            _missing(recipe.missing),
            _steps(recipe.steps, columns),
            dmc.Select(
                id=ids.recipe("scaling"),
                label="Then each feature",
                data=_options(SCALING_NAMES),
                value=recipe.scaling,
                allowDeselect=False,
                size="sm",
                w=420,
                maw="100%",
            ),
        ],
        gap="md",
    )


def _missing(missing: MissingValues) -> Component:
    return dmc.Group(
        [
            dmc.Select(
                id=ids.recipe("fill"),
                label="Missing numbers become",
                data=_options(_FILLS),
                value=missing.fill,
                allowDeselect=False,
                size="sm",
                w=240,
            ),
            *_fill_number(missing),
            dmc.Checkbox(
                id=ids.recipe("indicator"),
                label="and a feature of their own marks them",
                checked=missing.indicator,
                size="sm",
                pb=8,
            ),
        ],
        align="flex-end",
        gap="sm",
    )


def _fill_number(missing: MissingValues) -> list[Component]:
    if missing.fill is Fill.NEAREST:
        return [_number("n_neighbors", "Nearest rows", missing.n_neighbors, is_whole=True)]
    if missing.fill is Fill.CONSTANT:
        return [_number("constant", "Constant", missing.constant)]
    return []


def _steps(steps: Sequence[Step], columns: Sequence[str]) -> Component:
    rows = [_step(index, step, columns) for index, step in enumerate(steps)]
    return html.Fieldset(
        [
            html.Legend("Steps, in order"),
            html.Ol(rows, className="recipe-steps"),
            dmc.Select(
                id=ids.recipe("add"),
                data=_options(STEP_NAMES),
                placeholder="Add a step",
                value=None,
                disabled=len(steps) >= MAX_STEPS,
                size="sm",
                w=280,
                **aria(label="Add a step"),
            ),
        ],
        className="recipe",
    )


def _step(index: int, step: Step, columns: Sequence[str]) -> Component:
    name = STEP_NAMES[step.kind]
    which: Any = dmc.MultiSelect(
        id=ids.recipe_step(index, "columns"),
        data=list(columns),
        value=list(step.columns),
        placeholder="" if step.columns else "All numeric columns",
        limit=MAX_COLUMNS_SHOWN,
        searchable=True,
        size="xs",
        w=240,
        **aria(label=f"Columns of step {index + 1}, {name}"),
    )
    return html.Li(
        dmc.Group(
            [
                dmc.Text(name, size="sm", w=200),
                which,
                *_settings(index, step),
                _button("Earlier", ids.recipe_button("earlier", index), name, is_off=index == 0),
                _button("Remove", ids.recipe_button("remove", index), name),
            ],
            gap="xs",
            align="flex-end",
        )
    )


def _settings(index: int, step: Step) -> list[Component]:
    if step.kind is StepKind.ASINH:
        return [_number("cofactor", "Cofactor", step.cofactor, index=index)]
    if step.kind is StepKind.DERIVATIVE:
        return [
            _number("window", "Window", step.window, index=index, is_whole=True),
            _number("degree", "Degree", step.degree, index=index, is_whole=True),
        ]
    return []


def _number(
    name: str, label: str, value: float, *, index: int | None = None, is_whole: bool = False
) -> Component:
    """A number that counts once its field is left or Enter is pressed."""
    return dmc.NumberInput(
        id=ids.recipe(name) if index is None else ids.recipe_step(index, name),
        label=label,
        value=value,
        allowDecimal=not is_whole,
        debounce=True,
        size="sm" if index is None else "xs",
        w=110 if index is None else 80,
    )


def _button(
    text: str, component_id: dict[str, str | int], step: str, *, is_off: bool = False
) -> Component:
    return dmc.Button(
        text,
        id=component_id,
        variant="default",
        size="compact-sm",
        disabled=is_off,
        **aria(label=f"{text}: {step}"),
    )


def _options(names: Any) -> list[dict[str, str]]:
    return [{"value": value, "label": label} for value, label in names.items()]

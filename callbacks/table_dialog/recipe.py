"""The preparation of the features: shown, and changed step by step."""

from __future__ import annotations

from typing import Any

import msgspec
from dash import ALL, Dash, Input, Output, State, ctx, no_update
from msgspec.structs import replace

from callbacks.session import workspace
from melm_core.base import UserError
from melm_core.recipe import Recipe
from melm_studio.layout import ids
from melm_studio.layout.table_dialog.recipe import recipe_form
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import Role
from melm_studio.validation import read
from melm_studio.workspace.data_source import ShownData


def register(app: Dash) -> None:
    """Connect the tab of the preparation."""
    app.callback(
        Output(ids.COLUMNS, "opened", allow_duplicate=True),
        Output(ids.TABLE_TAB, "value"),
        Input(ids.RECIPE_OPEN, "n_clicks"),
        prevent_initial_call=True,
    )(open_recipe)
    app.callback(
        Output(ids.RECIPE_FORM, "children"),
        Input(ids.TABLE_SHOWN, "data"),
        Input(ids.TABLE_TAB, "value"),
        Input(ids.COLUMNS_ERROR, "children"),  # redraws a control whose choice was refused
        prevent_initial_call=True,
    )(show_recipe)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Output(ids.COLUMNS_ERROR, "children", allow_duplicate=True),
        Input({"type": "recipe", "name": ALL}, "value"),
        Input({"type": "recipe", "name": ALL}, "checked"),
        Input({"type": "recipe-step", "at": ALL, "name": ALL}, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(change_recipe)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input({"type": "recipe-button", "act": ALL, "at": ALL}, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(move_step)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input(ids.RECIPE_RESET, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(reset_recipe)


def open_recipe(clicks: int | None) -> tuple[Any, Any]:
    """Open the dialog at the preparation."""
    return (True, "recipe") if clicks else (no_update, no_update)


def show_recipe(data: Any, tab: str, error: str | None) -> Any:
    """Show how the features are prepared."""
    if tab != "recipe" or data is None:
        return no_update
    try:
        shown = ShownData.from_json(data)
        return recipe_form(shown.source.full_recipe, _numeric(shown))
    except UserError as refusal:
        return str(refusal)


def change_recipe(
    values: list[Any], checked: list[Any], of_steps: list[Any], data: Any
) -> tuple[Any, Any]:
    """Prepare the features as the form says."""
    if data is None or not ctx.triggered_id:
        return no_update, no_update
    shown = ShownData.from_json(data)
    source = shown.source
    try:
        control, value = ctx.triggered_id, ctx.triggered[0]["value"]
        if control["type"] == "recipe-step" and control["at"] >= len(source.recipe.steps):
            return no_update, no_update  # of a step that is gone
        recipe = _with(source.full_recipe, control, value, len(_numeric(shown)))
    except UserError as refusal:
        return no_update, str(refusal)
    # Controls that have just been drawn hold what is so: only a difference is a choice.
    is_shown = recipe == source.full_recipe
    return no_update if is_shown else _choice(source, recipe), no_update


def move_step(clicks: list[int | None], data: Any) -> Any:
    """Take a step earlier, or remove it."""
    if data is None or not any(clicks):
        return no_update
    source, place = ShownData.from_json(data).source, ctx.triggered_id["at"]
    steps = list(source.recipe.steps)
    if not 0 <= place < len(steps):  # clicked twice
        return no_update
    step = steps.pop(place)
    if ctx.triggered_id["act"] == "earlier":
        steps.insert(place - 1, step)
    return _choice(source, replace(source.full_recipe, steps=tuple(steps)))


def reset_recipe(clicks: int | None, data: Any) -> Any:
    """Standardize, without any step."""
    if not clicks or data is None:
        return no_update
    return _choice(ShownData.from_json(data).source, Recipe())


def _numeric(shown: ShownData) -> list[str]:
    """List the columns that steps change."""
    columns = workspace().data(shown).columns
    return [column.name for column in columns if column.role is Role.NUMERIC]


def _with(recipe: Recipe, control: Any, value: Any, n_columns: int) -> Recipe:
    """Return the recipe with the value of one control."""
    name, values = control["name"], msgspec.to_builtins(recipe)
    steps, missing = list(values.get("steps", ())), values.get("missing", {})
    if control["type"] == "recipe-step":
        steps[control["at"]] = {**steps[control["at"]], name: value}
    elif name == "add":
        steps += [_new_step(value, n_columns)] if value else []
    elif name == "scaling":
        values["scaling"] = value
    else:
        missing = {**missing, name: value}
    return read({**values, "steps": steps, "missing": missing}, Recipe, "The preparation")


def _new_step(kind: str, n_columns: int) -> dict[str, Any]:
    """Return a step with its defaults, but a window that fits a narrow table."""
    widest = max(n_columns - 1 + n_columns % 2, 3)
    return {"kind": kind, **({"window": widest} if kind == "derivative" and widest < 7 else {})}


def _choice(source: DataSource, recipe: Recipe) -> Any:
    return msgspec.to_builtins(source.with_recipe(recipe))

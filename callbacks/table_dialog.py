"""The dialog of the table: what its tabs show, and what their controls choose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pandas as pd
from dash import ALL, Dash, Input, Output, State, ctx, no_update
from dash.development.base_component import Component
from msgspec.structs import replace

from callbacks.page_state import NamedControl, connect_choice, connect_script
from callbacks.session import workspace
from melm_core.base import UserError
from melm_core.recipe import Recipe
from melm_studio.layout import ids
from melm_studio.layout.table_dialog.classes import classes_form
from melm_studio.layout.table_dialog.columns import (
    ORDER_MARK,
    PAGE_LENGTH,
    ROLES,
    can_be,
    columns_table,
)
from melm_studio.layout.table_dialog.dialog import file_form
from melm_studio.layout.table_dialog.filters import filter_list, range_choice, value_choice
from melm_studio.layout.table_dialog.recipe import recipe_form
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import (
    GRID,
    MAX_FILTERS,
    NO_VALUE,
    ORDER,
    ClassRules,
    Column,
    LabeledData,
    ReadOptions,
    Role,
    RowFilter,
    Table,
    TableError,
    can_be_pixels,
    cell_texts,
    class_values,
    count,
    filtered_table,
    fitting_grid,
    grid_answer,
    is_measure,
    number,
    pixel_grid,
)
from melm_studio.validation import InputError, read
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.table_choices import (
    AT_CUTS,
    EACH_VALUE,
    EQUAL_PARTS,
    changed_recipe,
    class_rules,
    read_otherwise,
    with_order,
    with_role,
    with_roles,
    without_filter,
)

_MAX_VALUES = 30  # of a column of numbers, for its values to be offered instead of a range
_MAX_CHOICES = 1_000
_REFUSAL = Output(ids.COLUMNS_ERROR, "children", allow_duplicate=True)
_TABLE, _TAB = Input(ids.TABLE_SHOWN, "data"), Input(ids.TABLE_TAB, "value")
# Redraws a control whose choice was refused.
_REFUSED = Input(ids.COLUMNS_ERROR, "children")


def register(app: Dash) -> None:
    """Connect the dialog and its tabs."""
    _connect_dialog(app)
    _connect_columns(app)
    _connect_classes(app)
    _connect_rows(app)
    _connect_recipe(app)
    _connect_file(app)


def _connect_dialog(app: Dash) -> None:
    """Connect opening the dialog, the data that it then shows, and refused choices."""
    app.callback(
        Output(ids.COLUMNS, "opened"),
        Input(ids.COLUMNS_OPEN, "n_clicks"),
        prevent_initial_call=True,
    )(open_dialog)
    opened = Input(ids.COLUMNS, "opened")
    # A dialog that is closed asks the server for nothing.
    connect_script(
        app,
        "dataOfDialog",
        Output(ids.TABLE_SHOWN, "data"),
        opened,
        Input(ids.DATA, "data"),
        prevent_initial_call=True,
    )
    # In the browser, since the server may be the reason why a file was refused.
    connect_script(
        app,
        "complainOfColumns",
        Output(ids.COLUMNS_ERROR, "children"),
        Input(ids.DATA_ERROR, "children"),
        opened,
        prevent_initial_call=True,
    )


def open_dialog(clicks: int | None) -> bool:
    """Open the dialog."""
    return bool(clicks)


def _connect_columns(app: Dash) -> None:
    app.callback(
        Output(ids.COLUMNS_TABLE, "children"),
        Output(ids.COLUMNS_PAGE, "total"),
        Output(ids.COLUMNS_PAGE, "value"),
        Output(ids.COLUMNS_RESET, "disabled"),
        Output(ids.COLUMNS_ALL, "disabled"),
        _TABLE,
        Input(ids.COLUMNS_SEARCH, "value"),
        Input(ids.COLUMNS_PAGE, "value"),
        _REFUSED,
        prevent_initial_call=True,
    )(show_columns)
    app.callback(
        Output(ids.GRID_FIELD, "hidden"),
        Output(ids.GRID, "value"),
        Output(ids.GRID, "error"),
        _TABLE,
        _REFUSED,
        prevent_initial_call=True,
    )(show_grid)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Output(ids.GRID, "error", allow_duplicate=True),
        Input(ids.GRID, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(choose_grid)
    connect_choice(app, choose_role, Input({"type": "role", "column": ALL}, "value"))
    connect_choice(app, choose_order, Input({"type": "order", "column": ALL}, "value"))
    connect_choice(
        app,
        choose_roles,
        Input(ids.COLUMNS_ALL, "value"),
        State(ids.COLUMNS_SEARCH, "value"),
        resets=[Output(ids.COLUMNS_ALL, "value")],
    )
    connect_choice(app, infer_roles, Input(ids.COLUMNS_RESET, "n_clicks"))


def show_columns(data: Any, search: Any, page: Any, error: str | None) -> tuple[Any, ...]:
    """Show one page of the columns whose name contains the search text."""
    if data is None:
        return (no_update,) * 5
    try:
        shown = ShownData.from_json(data)
        labeled = workspace().data(shown)
    except UserError as refusal:
        return str(refusal), 1, 1, True, True
    columns = labeled.columns
    matches = _matching(columns, search)
    n_pages = max(1, -(-len(matches) // PAGE_LENGTH))
    page = min(page, n_pages) if isinstance(page, int) and page > 0 else 1
    part = matches[(page - 1) * PAGE_LENGTH : page * PAGE_LENGTH]
    return (
        columns_table(part, len(matches), _orders(labeled)),
        n_pages,
        page,
        not (shown.source.roles or shown.source.answers),
        len(matches) in (0, len(columns)),
    )


def show_grid(data: Any, error: str | None) -> tuple[Any, ...]:
    """Show the size of the images that the features are, where they are or can be said to be."""
    if data is None:
        return (no_update,) * 3
    try:
        shown = ShownData.from_json(data)
        labeled = workspace().data(shown)
        return not can_be_pixels(labeled), _grid_text(shown, labeled), None
    except UserError:
        return True, "", None


def _grid_text(shown: ShownData, labeled: LabeledData) -> str:
    grid = fitting_grid(labeled, shown.source.answers.get(GRID, ""))
    return "" if grid is None else grid.size


def choose_grid(text: str | None, data: Any) -> tuple[Any, Any]:
    """Say that the features are the pixels of an image, or that they are none."""
    if text is None or data is None:
        return no_update, no_update
    try:
        shown = ShownData.from_json(data)
        labeled = workspace().data(shown)
        present = _grid_text(shown, labeled)
    except UserError:
        return no_update, no_update
    if text.strip() == present:  # filled in, not typed
        return no_update, None
    try:
        answer = grid_answer(text)
        pixel_grid(labeled, answer)  # refuses what the columns cannot be
    except TableError as refusal:
        return no_update, str(refusal)
    answers = {**shown.source.answers, GRID: answer}
    return msgspec.to_builtins(replace(shown.source, answers=answers)), None


def choose_role(values: list[str | None], data: Any) -> DataSource | None:
    """Use a column differently."""
    shown = ShownData.from_json(data)
    # Controls that have just been drawn hold the present roles: only a difference is a choice.
    for column, value in _of_columns(workspace().data(shown).columns):
        if value != ROLES[column.role][0]:
            return with_role(shown, column.name, value)
    return None


def choose_order(values: list[str | None], data: Any) -> DataSource | None:
    """Put the categories of a column in another order."""
    shown = ShownData.from_json(data)
    labeled = workspace().data(shown)
    orders = _orders(labeled)
    for column, text in _of_columns(labeled.columns):
        parts = (part.strip() for part in (text or "").split(ORDER_MARK.strip()))
        order = tuple(filter(None, parts))
        if orders.get(column.name, order) != order:
            return with_order(shown.source, column.name, order)
    return None


def _of_columns(columns: Sequence[Column]) -> Iterator[tuple[Column, Any]]:
    """The values of the controls of a call, one for each column on the page of the table."""
    for control in ctx.inputs_list[0]:
        if control["id"]["column"] < len(columns):
            yield columns[control["id"]["column"]], control["value"]


def choose_roles(use: str | None, search: Any, data: Any) -> DataSource | None:
    """Use all columns that the search found in the same way, where they can be used so."""
    if not use:
        return None
    shown = ShownData.from_json(data)
    matching = _matching(workspace().data(shown).columns, search)
    can_become = (
        column for _, column in matching if column.role is not Role.LABEL and can_be(use, column)
    )
    return with_roles(shown.source, [column.name for column in can_become], use)


def infer_roles(clicks: int | None, data: Any) -> DataSource | None:
    """Discard the chosen roles and the answers to questions."""
    source = ShownData.from_json(data).source
    return replace(source, roles={}, orders={}, answers={}) if clicks else None


def _orders(labeled: LabeledData) -> dict[str, tuple[str, ...]]:
    encodings = (encoding for encoding in labeled.encodings if encoding.is_ordered)
    return {encoding.name: tuple(map(str, encoding.levels)) for encoding in encodings}


def _matching(columns: Sequence[Column], search: Any) -> list[tuple[int, Column]]:
    """List the columns whose name contains the search text, with their positions."""
    text = search.strip().casefold() if isinstance(search, str) else ""
    return [pair for pair in enumerate(columns) if text in pair[1].name.casefold()]


def _connect_classes(app: Dash) -> None:
    app.callback(Output(ids.CLASSES_FORM, "children"), _TABLE, _TAB, prevent_initial_call=True)(
        show_classes
    )
    connect_choice(
        app,
        apply_classes,
        Input(ids.CLASSES_APPLY, "n_clicks"),
        State({"type": "class-name", "at": ALL}, "name"),
        State({"type": "class-name", "at": ALL}, "value"),
        State({"type": "class-rule", "name": ALL}, "id"),
        State({"type": "class-rule", "name": ALL}, "value"),
        refusal=_REFUSAL,
    )
    connect_choice(app, reset_classes, Input(ids.CLASSES_RESET, "n_clicks"))


def show_classes(data: Any, tab: str) -> Any:
    """Show the values of the label, or the ranges of a number, with their classes."""
    if tab != "classes" or data is None:
        return no_update
    try:
        shown = ShownData.from_json(data)
        return _classes_form(shown, workspace().table(shown.source))
    except UserError as refusal:
        return str(refusal)


def _classes_form(shown: ShownData, table: Table) -> Component:
    cells, rules = table.frame[shown.label], shown.source.classes
    how = EQUAL_PARTS if rules.quantiles or is_measure(cells) else EACH_VALUE
    return classes_form(
        shown.label,
        class_values(table.frame, shown.label, rules),
        rules,
        is_number=cells.dtype.kind == "f",
        how=AT_CUTS if rules.cuts else how,
    )


def apply_classes(
    clicks: int | None,
    values: list[str],
    names: list[str | None],
    rule_ids: list[NamedControl],
    rules: list[Any],
    data: Any,
) -> DataSource | None:
    """Make the classes that the form says."""
    if not clicks:
        return None
    form = {rule["name"]: value for rule, value in zip(rule_ids, rules, strict=False)}
    typed = ((value, (name or "").strip()) for value, name in zip(values, names, strict=False))
    renamed = {value: name for value, name in typed if name != value}
    source = ShownData.from_json(data).source
    return replace(source, classes=class_rules(form, renamed))


def reset_classes(clicks: int | None, data: Any) -> DataSource | None:
    """Make each value a class again, in their natural order, and cut numbers as by default."""
    if not clicks:
        return None
    shown = ShownData.from_json(data)
    source = shown.source
    answers = {question: answer for question, answer in source.answers.items() if question != ORDER}
    orders = {name: order for name, order in source.orders.items() if name != shown.label}
    return replace(source, classes=ClassRules(), answers=answers, orders=orders)


def _connect_rows(app: Dash) -> None:
    app.callback(
        Output(ids.FILTERS, "children"),
        Output(ids.FILTER_COLUMN, "data"),
        _TABLE,
        _TAB,
        prevent_initial_call=True,
    )(show_filters)
    app.callback(
        Output(ids.FILTER_VALUES, "children"),
        Input(ids.FILTER_COLUMN, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(offer_values)
    connect_choice(
        app,
        add_filter,
        Input(ids.FILTER_KEEP, "n_clicks"),
        Input(ids.FILTER_DROP, "n_clicks"),
        State(ids.FILTER_COLUMN, "value"),
        State({"type": "filter-part", "name": ALL}, "id"),
        State({"type": "filter-part", "name": ALL}, "value"),
        refusal=_REFUSAL,
        resets=[Output(ids.FILTER_COLUMN, "value")],
    )
    connect_choice(app, remove_filter, Input({"type": "filter-removal", "part": ALL}, "n_clicks"))


def show_filters(data: Any, tab: str) -> tuple[Any, Any]:
    """Show the filters, and the columns to choose rows by."""
    if tab != "rows" or data is None:
        return no_update, no_update
    try:
        source = ShownData.from_json(data).source
        table = workspace().whole_table(source)
        whole, used = table.frame, filtered_table(table, source.filters).frame
    except UserError as refusal:
        return str(refusal), []
    n_all = len(whole) + len(source.left_out)
    rows = f"{number(len(used))} of {count(n_all, 'row')} are used."
    words = [rule.words for rule in source.filters]
    return filter_list(words, len(source.left_out), rows), list(map(str, whole.columns))


def offer_values(column: str | None, data: Any) -> Any:
    """Offer the values of a column, or a range of its numbers."""
    if not column or data is None:
        return None
    try:
        frame = workspace().whole_table(ShownData.from_json(data).source).frame
    except UserError as refusal:
        return str(refusal)
    return _choice_of(frame[column]) if column in frame else None


def _choice_of(cells: pd.Series) -> Component:
    if cells.dtype.kind == "f" and cells.nunique() > _MAX_VALUES:
        return range_choice(float(cells.min()), float(cells.max()))
    counts = pd.Series(cell_texts(cells)).value_counts()
    values = [
        (str(value), f"{'missing' if value == NO_VALUE else value} ({number(n_rows)})")
        for value, n_rows in counts.head(_MAX_CHOICES).items()
    ]
    return value_choice(values)


def add_filter(
    keep: int | None,
    drop: int | None,
    column: str | None,
    part_ids: list[NamedControl],
    parts: list[Any],
    data: Any,
) -> DataSource | None:
    """Keep the rows with the chosen values, or leave them out."""
    if not (keep or drop):
        return None
    source = ShownData.from_json(data).source
    given = {
        control["name"]: part
        for control, part in zip(part_ids, parts, strict=True)
        if part not in (None, "", [])
    }
    is_kept = ctx.triggered_id == ids.FILTER_KEEP
    if not column:
        raise InputError("Choose a column first.")
    if len(source.filters) >= MAX_FILTERS:
        raise InputError(f"There can be {MAX_FILTERS} filters. Remove one first.")
    rule = read({"column": column, "is_kept": is_kept, **given}, RowFilter, "The filter")
    return replace(source, filters=(*source.filters, rule))


def remove_filter(clicks: list[int | None], data: Any) -> DataSource | None:
    """Remove a filter, or put rows back that were left out by hand."""
    source = ShownData.from_json(data).source
    return without_filter(source, ctx.triggered_id["part"]) if any(clicks) else None


def _connect_recipe(app: Dash) -> None:
    app.callback(
        Output(ids.COLUMNS, "opened", allow_duplicate=True),
        Output(ids.TABLE_TAB, "value"),
        Input(ids.RECIPE_OPEN, "n_clicks"),
        prevent_initial_call=True,
    )(open_recipe)
    app.callback(
        Output(ids.RECIPE_FORM, "children"), _TABLE, _TAB, _REFUSED, prevent_initial_call=True
    )(show_recipe)
    connect_choice(
        app,
        change_recipe,
        Input({"type": "recipe", "name": ALL}, "value"),
        Input({"type": "recipe", "name": ALL}, "checked"),
        Input({"type": "recipe-step", "at": ALL, "name": ALL}, "value"),
        refusal=_REFUSAL,
        clears=False,  # which would draw the form anew, as it was
    )
    buttons = Input({"type": "recipe-button", "act": ALL, "at": ALL}, "n_clicks")
    connect_choice(app, move_step, buttons)
    connect_choice(app, reset_recipe, Input(ids.RECIPE_RESET, "n_clicks"))


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
) -> DataSource | None:
    """Prepare the features as the form says."""
    control = ctx.triggered_id
    if not control:
        return None
    shown = ShownData.from_json(data)
    source = shown.source
    if control["type"] == "recipe-step" and control["at"] >= len(source.recipe.steps):
        return None  # of a step that is gone
    value, n_columns = ctx.triggered[0]["value"], len(_numeric(shown))
    recipe = changed_recipe(source.full_recipe, control, value, n_columns)
    # Controls that have just been drawn hold what is so: only a difference is a choice.
    return None if recipe == source.full_recipe else source.with_recipe(recipe)


def move_step(clicks: list[int | None], data: Any) -> DataSource | None:
    """Take a step earlier, or remove it."""
    source, pressed = ShownData.from_json(data).source, ctx.triggered_id
    steps = list(source.recipe.steps)
    if not any(clicks) or not 0 <= pressed["at"] < len(steps):  # clicked twice
        return None
    step = steps.pop(pressed["at"])
    if pressed["act"] == "earlier":
        steps.insert(pressed["at"] - 1, step)
    return source.with_recipe(replace(source.full_recipe, steps=tuple(steps)))


def reset_recipe(clicks: int | None, data: Any) -> DataSource | None:
    """Standardize, without any step."""
    return ShownData.from_json(data).source.with_recipe(Recipe()) if clicks else None


def _numeric(shown: ShownData) -> list[str]:
    """List the columns that steps change."""
    columns = workspace().data(shown).columns
    return [column.name for column in columns if column.role is Role.NUMERIC]


def _connect_file(app: Dash) -> None:
    app.callback(Output(ids.FILE_FORM, "children"), _TABLE, _TAB, prevent_initial_call=True)(
        show_options
    )
    connect_choice(
        app,
        read_again,
        Input({"type": "read-option", "name": ALL}, "value"),
        State({"type": "read-option", "name": ALL}, "id"),
    )


def show_options(data: Any, tab: str) -> Any:
    """Show the sheets of the file and how its cells are read."""
    if tab != "file" or data is None:
        return no_update
    try:
        source = ShownData.from_json(data).source
        table = workspace().table(source)
    except UserError as refusal:
        return str(refusal)
    return file_form(table.sheets, table.sheet, source.read_options)


def read_again(values: list[Any], option_ids: list[NamedControl], data: Any) -> DataSource | None:
    """Read the file in another way."""
    choices = {option["name"]: value for option, value in zip(option_ids, values, strict=True)}
    if not choices:
        return None
    source = ShownData.from_json(data).source
    present = replace(source.read_options, preferred_sheet="")
    if "sheet" in choices:  # of a workbook, whose first table is read where none is chosen
        present = replace(present, sheet=workspace().table(source).sheet)
    # The tab does not offer what questions ask about alone.
    options = read(msgspec.to_builtins(present) | choices, ReadOptions, "The file")
    # Controls that have just been drawn hold what is so: only a difference is a choice.
    if options == present:
        return None
    return read_otherwise(source, options, is_same=options.sheet == present.sheet)

"""The columns of the table: shown page by page, and used differently if the user chooses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import msgspec
from dash import ALL, Dash, Input, Output, State, ctx, no_update
from msgspec.structs import replace

from callbacks.page_state import connect_script
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.layout import ids
from melm_studio.layout.table_dialog.columns import (
    ORDER_MARK,
    PAGE_LENGTH,
    ROLES,
    can_be,
    columns_table,
)
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import (
    GRID,
    SINGLE_USES,
    ClassRules,
    Column,
    LabeledData,
    Role,
    TableError,
    Use,
    answers_without,
    can_be_pixels,
    fitting_grid,
    grid_answer,
    pixel_grid,
)
from melm_studio.validation import read
from melm_studio.workspace.data_source import ShownData


def register(app: Dash) -> None:
    """Connect the dialog, its table of columns, and the choices made there."""
    _connect_dialog(app)
    _connect_table(app)
    _connect_choices(app)


def _connect_dialog(app: Dash) -> None:
    """Connect opening the dialog, the data that it then shows, and refused choices."""
    app.callback(
        Output(ids.COLUMNS, "opened"),
        Input(ids.COLUMNS_OPEN, "n_clicks"),
        prevent_initial_call=True,
    )(open_dialog)
    # A dialog that is closed asks the server for nothing.
    connect_script(
        app,
        "dataOfDialog",
        Output(ids.TABLE_SHOWN, "data"),
        Input(ids.COLUMNS, "opened"),
        Input(ids.DATA, "data"),
        prevent_initial_call=True,
    )
    # In the browser, since the server may be the reason why a file was refused.
    connect_script(
        app,
        "complainOfColumns",
        Output(ids.COLUMNS_ERROR, "children"),
        Input(ids.DATA_ERROR, "children"),
        Input(ids.COLUMNS, "opened"),
        prevent_initial_call=True,
    )


def _connect_table(app: Dash) -> None:
    """Connect the page of the matching columns, and what can be done with them."""
    app.callback(
        Output(ids.COLUMNS_TABLE, "children"),
        Output(ids.COLUMNS_PAGE, "total"),
        Output(ids.COLUMNS_PAGE, "value"),
        Output(ids.COLUMNS_RESET, "disabled"),
        Output(ids.COLUMNS_ALL, "disabled"),
        Input(ids.TABLE_SHOWN, "data"),
        Input(ids.COLUMNS_SEARCH, "value"),
        Input(ids.COLUMNS_PAGE, "value"),
        Input(ids.COLUMNS_ERROR, "children"),  # redraws a control whose choice was refused
        prevent_initial_call=True,
    )(show_columns)
    app.callback(
        Output(ids.GRID_FIELD, "hidden"),
        Output(ids.GRID, "value"),
        Output(ids.GRID, "error"),
        Input(ids.TABLE_SHOWN, "data"),
        Input(ids.COLUMNS_ERROR, "children"),
        prevent_initial_call=True,
    )(show_grid)


def _connect_choices(app: Dash) -> None:
    """Connect the uses of columns that the user chooses, each a new choice of the data."""
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Output(ids.GRID, "error", allow_duplicate=True),
        Input(ids.GRID, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(choose_grid)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input({"type": "role", "column": ALL}, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(choose_role)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input({"type": "order", "column": ALL}, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(choose_order)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Output(ids.COLUMNS_ALL, "value"),
        Input(ids.COLUMNS_ALL, "value"),
        State(ids.COLUMNS_SEARCH, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(choose_roles)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input(ids.COLUMNS_RESET, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(infer_roles)


def open_dialog(clicks: int | None) -> bool:
    """Open the dialog."""
    return bool(clicks)


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
    orders = _orders(labeled)
    matches = _matching(columns, search)
    n_pages = max(1, -(-len(matches) // PAGE_LENGTH))
    page = min(page, n_pages) if isinstance(page, int) and page > 0 else 1
    part = matches[(page - 1) * PAGE_LENGTH : page * PAGE_LENGTH]
    is_all = len(matches) in (0, len(columns))
    return (
        columns_table(part, len(matches), orders),
        n_pages,
        page,
        not (shown.source.roles or shown.source.answers),
        is_all,
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


def choose_role(values: list[str | None], data: Any) -> Any:
    """Use a column differently."""
    try:
        shown = ShownData.from_json(data)
        columns = workspace().data(shown).columns
    except UserError:
        return no_update
    # Controls that have just been drawn hold the present roles: only a difference is a choice.
    choices = [
        (columns[control["id"]["column"]].name, control["value"])
        for control in ctx.inputs_list[0]
        if control["id"]["column"] < len(columns)
        and control["value"] != ROLES[columns[control["id"]["column"]].role][0]
    ]
    return msgspec.to_builtins(with_role(shown, *choices[0])) if choices else no_update


def choose_order(values: list[str | None], data: Any) -> Any:
    """Put the categories of a column in another order."""
    try:
        shown = ShownData.from_json(data)
        labeled = workspace().data(shown)
    except UserError:
        return no_update
    columns = labeled.columns
    orders = _orders(labeled)
    source = shown.source
    for control in ctx.inputs_list[0]:
        place, text = control["id"]["column"], control["value"] or ""
        order = tuple(part.strip() for part in text.split(ORDER_MARK.strip()) if part.strip())
        if place < len(columns) and orders.get(columns[place].name, order) != order:
            name = columns[place].name
            roles = {**source.roles, name: Use.ORDERED}
            reordered = replace(source, roles=roles, orders={**source.orders, name: order})
            return msgspec.to_builtins(reordered)
    return no_update


def choose_roles(use: str | None, search: Any, data: Any) -> tuple[Any, Any]:
    """Use all columns that the search found in the same way, where they can be used so."""
    if not use or data is None:
        return no_update, no_update
    try:
        shown = ShownData.from_json(data)
        columns = workspace().data(shown).columns
    except UserError:
        return no_update, None
    taken = _use(use)
    uses = {
        column.name: taken
        for _, column in _matching(columns, search)
        if column.role is not Role.LABEL and can_be(use, column)
    }
    answers = reduce(answers_without, uses, shown.source.answers)
    source = replace(shown.source, roles={**shown.source.roles, **uses}, answers=answers)
    return msgspec.to_builtins(source), None


def infer_roles(clicks: int | None, data: Any) -> Any:
    """Discard the chosen roles and the answers to questions."""
    if not clicks or data is None:
        return no_update
    source = ShownData.from_json(data).source
    return msgspec.to_builtins(replace(source, roles={}, orders={}, answers={}))


def with_role(shown: ShownData, name: str, use: str | None) -> DataSource:
    """Return the source of the shown data with another use of one column."""
    source = shown.source
    others = {
        column: role
        for column, role in source.roles.items()
        if column != name and not (role == use and use in SINGLE_USES)
    }
    source = replace(source, answers=answers_without(source.answers, name))
    if use == "label":
        return replace(source, label=name, roles=others, classes=ClassRules())
    # If the label column gets another use, the label is inferred from the other columns.
    label = None if shown.label == name else source.label
    return replace(source, label=label, roles={**others, name: _use(use)})


def _use(value: str | None) -> Use:
    return read(value, Use, "The use of a column")


def _orders(labeled: LabeledData) -> dict[str, tuple[str, ...]]:
    encodings = (encoding for encoding in labeled.encodings if encoding.is_ordered)
    return {encoding.name: tuple(map(str, encoding.levels)) for encoding in encodings}


def _matching(columns: Sequence[Column], search: Any) -> list[tuple[int, Column]]:
    """List the columns whose name contains the search text, with their positions."""
    return [
        (place, column) for place, column in enumerate(columns) if _matches(column.name, search)
    ]


def _matches(name: str, search: Any) -> bool:
    return not isinstance(search, str) or search.strip().casefold() in name.casefold()

"""Rows chosen by the values of columns: shown, added, removed."""

from __future__ import annotations

from typing import Any

import msgspec
import pandas as pd
from dash import ALL, Dash, Input, Output, State, ctx, no_update
from dash.development.base_component import Component
from msgspec.structs import replace

from callbacks.named_control import NamedControl
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.layout import ids
from melm_studio.layout.table_dialog.filters import filter_list, range_choice, value_choice
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import (
    MAX_FILTERS,
    NO_VALUE,
    RowFilter,
    cell_texts,
    count,
    filtered_table,
    number,
)
from melm_studio.validation import InputError, read
from melm_studio.workspace.data_source import ShownData

_MAX_VALUES = 30  # of a column of numbers, for its values to be offered instead of a range
_MAX_CHOICES = 1_000


def register(app: Dash) -> None:
    """Connect the tab of the rows."""
    app.callback(
        Output(ids.FILTERS, "children"),
        Output(ids.FILTER_COLUMN, "data"),
        Input(ids.TABLE_SHOWN, "data"),
        Input(ids.TABLE_TAB, "value"),
        prevent_initial_call=True,
    )(show_filters)
    app.callback(
        Output(ids.FILTER_VALUES, "children"),
        Input(ids.FILTER_COLUMN, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(offer_values)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Output(ids.COLUMNS_ERROR, "children", allow_duplicate=True),
        Output(ids.FILTER_COLUMN, "value"),
        Input(ids.FILTER_KEEP, "n_clicks"),
        Input(ids.FILTER_DROP, "n_clicks"),
        State(ids.FILTER_COLUMN, "value"),
        State({"type": "filter-part", "name": ALL}, "id"),
        State({"type": "filter-part", "name": ALL}, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(add_filter)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input({"type": "filter-removal", "part": ALL}, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(remove_filter)


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


def add_filter(
    keep: int | None,
    drop: int | None,
    column: str | None,
    part_ids: list[NamedControl],
    parts: list[Any],
    data: Any,
) -> tuple[Any, Any, Any]:
    """Keep the rows with the chosen values, or leave them out."""
    if data is None or not (keep or drop):
        return (no_update,) * 3
    source = ShownData.from_json(data).source
    given = {
        control["name"]: part
        for control, part in zip(part_ids, parts, strict=True)
        if part not in (None, "", [])
    }
    is_kept = ctx.triggered_id == ids.FILTER_KEEP
    try:
        if not column:
            raise InputError("Choose a column first.")
        if len(source.filters) >= MAX_FILTERS:
            raise InputError(f"There can be {MAX_FILTERS} filters. Remove one first.")
        rule = read({"column": column, "is_kept": is_kept, **given}, RowFilter, "The filter")
    except InputError as refusal:
        return no_update, str(refusal), no_update
    filtered = replace(source, filters=(*source.filters, rule))
    return msgspec.to_builtins(filtered), None, None


def remove_filter(clicks: list[int | None], data: Any) -> Any:
    """Remove a filter, or put rows back that were left out by hand."""
    if data is None or not any(clicks):
        return no_update
    source, place = ShownData.from_json(data).source, ctx.triggered_id["part"]
    return msgspec.to_builtins(_without(source, place))


def _without(source: DataSource, removed: str) -> DataSource:
    if removed == "left-out":
        return replace(source, left_out=())
    remaining = (rule for place, rule in enumerate(source.filters) if str(place) != removed)
    return replace(source, filters=tuple(remaining))


def _choice_of(cells: pd.Series) -> Component:
    if cells.dtype.kind == "f" and cells.nunique() > _MAX_VALUES:
        return range_choice(float(cells.min()), float(cells.max()))
    counts = pd.Series(cell_texts(cells)).value_counts()
    values = [
        (str(value), f"{'missing' if value == NO_VALUE else value} ({number(n_rows)})")
        for value, n_rows in counts.head(_MAX_CHOICES).items()
    ]
    return value_choice(values)

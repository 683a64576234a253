"""Reading of the file: shown, and chosen anew."""

from __future__ import annotations

from typing import Any

import msgspec
from dash import ALL, Dash, Input, Output, State, no_update
from msgspec.structs import replace

from callbacks.named_control import NamedControl
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.layout import ids
from melm_studio.layout.table_dialog.dialog import file_form
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import ReadOptions, answers_beside_reading
from melm_studio.validation import InputError, read
from melm_studio.workspace.data_source import ShownData


def register(app: Dash) -> None:
    """Connect the tab of the file."""
    app.callback(
        Output(ids.FILE_FORM, "children"),
        Input(ids.TABLE_SHOWN, "data"),
        Input(ids.TABLE_TAB, "value"),
        prevent_initial_call=True,
    )(show_options)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input({"type": "read-option", "name": ALL}, "value"),
        State({"type": "read-option", "name": ALL}, "id"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(read_again)


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


def read_again(values: list[Any], option_ids: list[NamedControl], data: Any) -> Any:
    """Read the file in another way."""
    choices = {option["name"]: value for option, value in zip(option_ids, values, strict=True)}
    if data is None or not choices:
        return no_update
    try:
        shown = ShownData.from_json(data)
        present = replace(shown.source.read_options, preferred_sheet="")
        if "sheet" in choices:  # of a workbook, whose first table is read where none is chosen
            present = replace(present, sheet=workspace().table(shown.source).sheet)
        # The tab does not offer what questions ask about alone.
        options = read(msgspec.to_builtins(present) | choices, ReadOptions, "The file")
    except (InputError, UserError):
        return no_update
    # Controls that have just been drawn hold what is so: only a difference is a choice.
    if options == present:
        return no_update
    return msgspec.to_builtins(_read(shown.source, options, is_same=options.sheet == present.sheet))


def _read(source: DataSource, options: ReadOptions, *, is_same: bool) -> DataSource:
    """Return the source to be read in another way; another sheet has other columns."""
    if is_same:
        answers = answers_beside_reading(source.answers)
        return replace(source, reading=options, answers=answers)
    return DataSource(kind=source.kind, key=source.key, name=source.name, reading=options)

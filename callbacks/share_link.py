"""Links: the view that the address of the page asks for, and its restoring: data, runs, view."""

from __future__ import annotations

from typing import Any

import msgspec
from dash import Dash, Input, Output, State, ctx, no_update
from msgspec.structs import replace

from callbacks.page_state import connect_script
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.layout import ids
from melm_studio.validation import InputError, read
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.restored_view import RequestedView
from melm_studio.workspace.view_query import data_of_query, from_query

_NOT_OPENED = "This link cannot be opened. {reason}"
NEEDS_FILE = (
    "This view needs the file {name}, which is not stored here. Drop or choose it to continue."
)
OTHER_FILE = (
    "The content of this file differs from that of {name}, which the view needs. Drop the original "
    "file, or continue with this one."
)
_NOT_PREPARED = (
    "The table of this view can no longer be prepared as it was. Choose the data and run the "
    "method again."
)


def register(app: Dash) -> None:
    """Read the address when the page is opened."""
    connect_script(
        app,
        "readAddress",
        Output(ids.ADDRESS, "data"),
        Output(ids.MODE, "value"),
        Input(ids.ADDRESS, "id"),
    )
    app.callback(
        Output(ids.REQUESTED, "data", allow_duplicate=True),
        Output(ids.RESTORED, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.ADDRESS, "data"),
        prevent_initial_call=True,
    )(request_view)
    app.callback(
        Output(ids.RESTORED, "data"),
        Output(ids.REQUESTED, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.REQUESTED, "data"),
        Input(ids.DATA, "data"),
        prevent_initial_call=True,
    )(restore)
    app.callback(
        Output(ids.REQUESTED, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.DATA_ERROR, "children"),
        State(ids.REQUESTED, "data"),
        prevent_initial_call=True,
    )(give_up)
    connect_script(
        app,
        "bringUp",
        Input(ids.RESTORED, "data"),
    )


def request_view(search: str | None) -> tuple[Any, Any, str | None]:
    """Request the view of the address, or the data if it names no view."""
    if not _names_a_view(search or ""):
        return None, no_update, None
    try:
        source = data_of_query(search or "")
        if source is not None:
            return None, {"choice": msgspec.to_builtins(source)}, None
        return {"view": from_query(search or "").to_json()}, no_update, None
    except InputError as error:
        return None, no_update, _NOT_OPENED.format(reason=error)


def _names_a_view(search: str) -> bool:
    """Return whether an address names a view; it may name only a mode, as in "?mode=present"."""
    query = search.removeprefix("?")
    return bool(query) and (not query.startswith("mode=") or "&" in query)


def restore(wanted: Any, data: Any) -> tuple[Any, ...]:
    """Choose the data of the requested view, or find or start its runs."""
    if wanted is None:
        return (no_update,) * 3
    try:
        requested = read(wanted, RequestedView, "The requested view")
        shown = None if data is None else ShownData.from_json(data)
        if shown is None or not requested.is_of(shown):
            is_new = f"{ids.REQUESTED}.data" in ctx.triggered_prop_ids
            return _choose_data(requested, shown, is_new=is_new)
        restored = requested.restored(workspace(), shown)
    except UserError as error:
        return no_update, None, str(error)
    return restored, None, None


def give_up(error: str | None, wanted: Any) -> tuple[Any, Any]:
    """Drop the request if its data cannot be chosen."""
    was_asked = error and isinstance(wanted, dict) and wanted.get("asked")
    return (None, error) if was_asked else (no_update, no_update)


def _choose_data(
    requested: RequestedView, shown: ShownData | None, *, is_new: bool
) -> tuple[Any, ...]:
    """Choose the data if they are stored here; otherwise ask for the file and wait."""
    source = requested.view.source
    if is_new and not workspace().has_file(source):
        return no_update, no_update, NEEDS_FILE.format(name=source.name)
    if not is_new and shown is not None and shown.source.key != source.key:
        is_other = shown.source.kind == "upload" and not requested.asked
        message = OTHER_FILE.format(name=source.name) if is_other else no_update
        return no_update, no_update, message
    if not is_new and requested.asked:
        raise UserError(_NOT_PREPARED)
    # A script makes the choice: within a chain of callbacks, Dash calls each only once.
    choice = {"choice": msgspec.to_builtins(source)}
    return choice, msgspec.to_builtins(replace(requested, asked=True)), None

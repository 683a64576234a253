"""Links: the view that the address of the page asks for."""

from __future__ import annotations

from typing import Any

import msgspec
from dash import Dash, Input, Output, no_update

from callbacks.scripts import connect_script
from melm_studio.layout import ids
from melm_studio.validation import InputError
from melm_studio.workspace.view_query import data_of_query, from_query

_NOT_OPENED = "This link cannot be opened. {reason}"


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
    """An address may also name only a mode, as in "?mode=present"."""
    query = search.removeprefix("?")
    return bool(query) and (not query.startswith("mode=") or "&" in query)

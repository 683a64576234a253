"""Links: the view that the address of the page asks for."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output

from callbacks.scripts import connect_script
from melm_studio.layout import ids
from melm_studio.views.validation import InputError
from melm_studio.views.view_query import from_query

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
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.ADDRESS, "data"),
        prevent_initial_call=True,
    )(request_view)


def request_view(search: str | None) -> tuple[dict[str, Any] | None, str | None]:
    """Request the view of the address, if it names one."""
    if not _names_a_view(search or ""):
        return None, None
    try:
        return {"view": from_query(search or "").to_json()}, None
    except InputError as error:
        return None, _NOT_OPENED.format(reason=error)


def _names_a_view(search: str) -> bool:
    """An address may also name only a mode, as in "?mode=present"."""
    query = search.removeprefix("?")
    return bool(query) and (not query.startswith("mode=") or "&" in query)

"""Looking at the columns of the table, and making something else of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, no_update

from callbacks.routes.session import owner
from callbacks.services import Studio
from melm_studio.layout import ids
from melm_studio.layout.columns import PAGE_LENGTH, ROLES, columns_table
from melm_studio.tables import LabelledData

_GONE = "These data are no longer stored here. Drop the file once more, or choose a sample."


def register(app: Dash, studio: Studio) -> None:
    """Open the window, show its columns page by page, follow what is chosen."""

    @app.callback(
        Output(ids.COLUMNS, "opened"),
        Input(ids.COLUMNS_OPEN, "n_clicks"),
        prevent_initial_call=True,
    )
    def open_view(clicks: int | None) -> bool:
        return bool(clicks)

    @app.callback(
        Output(ids.COLUMNS_TABLE, "children"),
        Output(ids.COLUMNS_PAGE, "total"),
        Output(ids.COLUMNS_PAGE, "value"),
        Output(ids.COLUMNS_RESET, "disabled"),
        Input(ids.COLUMNS, "opened"),
        Input(ids.COLUMNS_SEARCH, "value"),
        Input(ids.COLUMNS_PAGE, "value"),
        Input(ids.DATA, "data"),
        Input(ids.COLUMNS_ERROR, "children"),  # what was refused is to be seen no longer
        prevent_initial_call=True,
    )
    def show(
        is_open: bool, search: Any, page: Any, data: dict[str, Any] | None, error: str | None
    ) -> tuple[Any, ...]:
        if not is_open or data is None:
            return (no_update,) * 4
        columns = _columns(studio, data)
        if columns is None:
            return _GONE, 1, 1, True
        found = [(at, one) for at, one in enumerate(columns) if _matches(one.name, search)]
        n_pages = max(1, -(-len(found) // PAGE_LENGTH))
        page = min(page, n_pages) if isinstance(page, int) and page > 0 else 1
        shown = found[(page - 1) * PAGE_LENGTH : page * PAGE_LENGTH]
        is_guessed = not data["source"]["roles"]
        return columns_table(shown, len(found)), n_pages, page, is_guessed

    # In the browser, since a file may be refused for want of a server.
    app.clientside_callback(
        ClientsideFunction("studio", "complainOfColumns"),
        Output(ids.COLUMNS_ERROR, "children"),
        Input(ids.DATA_ERROR, "children"),
        Input(ids.COLUMNS, "opened"),
        prevent_initial_call=True,
    )

    @app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input({"type": "role", "column": ALL}, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )
    def choose_role(values: list[Any], data: dict[str, Any] | None) -> Any:
        columns = _columns(studio, data) if data else None
        if columns is None:
            return no_update
        # Rows that were just put up hold what is so: only what differs was chosen.
        chosen = [
            (columns[row["id"]["column"]].name, row["value"])
            for row in ctx.inputs_list[0]
            if row["id"]["column"] < len(columns)
            and row["value"] != ROLES[columns[row["id"]["column"]].role][0]
        ]
        return with_role(data, *chosen[0]) if data and chosen else no_update

    @app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input(ids.COLUMNS_RESET, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )
    def guess_again(clicks: int | None, data: dict[str, Any] | None) -> Any:
        return {**data["source"], "roles": {}} if clicks and data else no_update


def with_role(data: dict[str, Any], name: str, use: str) -> dict[str, Any]:
    """The choice of data in which a column is used in another way."""
    source = data["source"]
    others = {column: role for column, role in source["roles"].items() if column != name}
    if use == "label":
        return {**source, "label": name, "roles": others}
    # Where the label is made something else, it is guessed among the other columns.
    label = None if data["label"] == name else source["label"]
    return {**source, "label": label, "roles": {**others, name: use}}


def _columns(studio: Studio, data: dict[str, Any]) -> Sequence[Any] | None:
    raw = studio.store.get_data(owner(), data["id"])
    return None if raw is None else LabelledData.from_bytes(raw).columns


def _matches(name: str, search: Any) -> bool:
    return not isinstance(search, str) or search.strip().casefold() in name.casefold()

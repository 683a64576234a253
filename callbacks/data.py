"""Choosing data: a sample or an upload, its label column, its preparation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import ALL, Dash, Input, Output, State, ctx, no_update

from callbacks.routes.session import owner
from callbacks.services import Studio
from melm_studio.figures.theme import THEMES, Scheme, class_shape
from melm_studio.layout import ids
from melm_studio.layout.summary import data_summary
from melm_studio.tables import (
    SAMPLES,
    LabelledData,
    Role,
    Table,
    TableError,
    Use,
    label_candidates,
    load_sample,
    prepare,
    read_table,
    summarize,
)
from melm_studio.worker.records.limits import LimitReachedError

_GONE = "{name} is no longer stored here. Drop the file once more, or choose a sample."
_FORGOTTEN = "What was chosen here last cannot be read any more. Choose a sample or drop a CSV."

# What the browser keeps of a choice; whatever else it brings back was not written by this page.
_FIELDS = {
    "kind": str,
    "key": str,
    "name": str,
    "label": str | None,
    "standardise": bool,
    "roles": dict,
}
_N_COLORS = len(THEMES[Scheme.LIGHT].class_colors)


def register(app: Dash, studio: Studio) -> None:
    """Connect the data part of the rail."""

    @app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input({"type": "sample", "key": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    def choose_sample(clicks: list[int | None]) -> Any:
        if not any(clicks):
            return no_update
        key = ctx.triggered_id["key"]
        return {"kind": "sample", "key": key, "label": None, "standardise": True}

    @app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input(ids.LABEL, "value"),
        Input(ids.STANDARDISE, "checked"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )
    def choose_preparation(
        label: str | None, standardise: bool, data: dict[str, Any] | None
    ) -> Any:
        if label is None or data is None:
            return no_update
        roles = {column: use for column, use in data["source"]["roles"].items() if column != label}
        chosen = {**data["source"], "label": label, "standardise": standardise, "roles": roles}
        # A label that was guessed and then filled in is no choice: nothing is read again.
        return no_update if chosen == {**data["source"], "label": data["label"]} else chosen

    @app.callback(
        Output(ids.DATA_SUMMARY, "children"),
        Output(ids.LABEL, "data"),
        Output(ids.LABEL, "value"),
        Output(ids.STANDARDISE, "checked"),
        Output(ids.DATA, "data"),
        Output(ids.SOURCE, "data"),
        Output(ids.DATA_ERROR, "children"),
        Input(ids.CHOICE, "data"),
        Input(ids.SOURCE, "data"),
    )
    def describe(choice: Any, remembered: Any) -> tuple[Any, ...]:
        is_new = ctx.triggered_id == ids.CHOICE
        try:
            source = _checked(choice if is_new else remembered)
            table = chosen_table(studio, source)
            data = prepared(studio, table, source)
        except (TableError, LimitReachedError) as error:
            return *[no_update] * 6, str(error)
        label = next(column.name for column in data.columns if column.role is Role.LABEL)
        return (
            data_summary(data, summarize(data), _swatches(data)),
            [{"value": name, "label": name} for name in label_candidates(table)],
            label,
            source["standardise"],
            {"id": data.content_hash, "name": data.name, "label": label, "source": source},
            source if is_new else no_update,
            None,
        )


def _checked(remembered: Any) -> dict[str, Any]:
    if isinstance(remembered, dict):
        defaults = {"name": "That table", "label": None, "standardise": True, "roles": {}}
        source = {**defaults, **remembered}
        are_known = all(isinstance(source.get(field), kind) for field, kind in _FIELDS.items())
        if are_known and all(use in tuple(Use) for use in source["roles"].values()):
            return source
    raise TableError(_FORGOTTEN)


def prepared(studio: Studio, table: Table, source: Mapping[str, Any]) -> LabelledData:
    """The data of a table, prepared as was chosen and kept for the visitor's runs."""
    data = prepare(table, source["label"], standardize=source["standardise"], roles=source["roles"])
    studio.store.put_data(owner(), data.content_hash, data.to_bytes())
    return data


def chosen_table(studio: Studio, source: Mapping[str, Any]) -> Table:
    """The sample or the visitor's file.

    Raises
    ------
    TableError
        If it is not there any more, or cannot be read.
    """
    if source["kind"] == "sample" and source["key"] in SAMPLES:
        return load_sample(source["key"])
    raw = studio.store.get_upload(owner(), source["key"])
    if raw is None:
        raise TableError(_GONE.format(name=source["name"]))
    most = studio.settings
    return read_table(raw, source["name"], max_rows=most.max_rows, max_columns=most.max_columns)


def _swatches(data: LabelledData) -> list[tuple[str, str]]:
    return [
        (f"var(--class-{code % _N_COLORS})", class_shape(code, _N_COLORS))
        for code in range(len(data.class_names))
    ]

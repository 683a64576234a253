"""The classes of the label: shown, renamed, merged, left out, or cut from a number."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from dash import ALL, Dash, Input, Output, State, no_update
from dash.development.base_component import Component
from msgspec.structs import replace

from callbacks.named_control import NamedControl
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.layout import ids
from melm_studio.layout.table_dialog.classes import AT_CUTS, EACH_VALUE, EQUAL_PARTS, classes_form
from melm_studio.tables import ORDER, ClassRules, Table, class_values, is_measure
from melm_studio.validation import InputError, read
from melm_studio.workspace.data_source import ShownData

_SEPARATORS = re.compile(r"[;,\s]+")


def register(app: Dash) -> None:
    """Connect the tab of the classes."""
    app.callback(
        Output(ids.CLASSES_FORM, "children"),
        Input(ids.TABLE_SHOWN, "data"),
        Input(ids.TABLE_TAB, "value"),
        prevent_initial_call=True,
    )(show_classes)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Output(ids.COLUMNS_ERROR, "children", allow_duplicate=True),
        Input(ids.CLASSES_APPLY, "n_clicks"),
        State({"type": "class-name", "at": ALL}, "name"),
        State({"type": "class-name", "at": ALL}, "value"),
        State({"type": "class-rule", "name": ALL}, "id"),
        State({"type": "class-rule", "name": ALL}, "value"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(apply_classes)
    app.callback(
        Output(ids.CHOICE, "data", allow_duplicate=True),
        Input(ids.CLASSES_RESET, "n_clicks"),
        State(ids.DATA, "data"),
        prevent_initial_call=True,
    )(reset_classes)


def show_classes(data: Any, tab: str) -> Any:
    """Show the values of the label, or the ranges of a number, with their classes."""
    if tab != "classes" or data is None:
        return no_update
    try:
        shown = ShownData.from_json(data)
        return _form(shown, workspace().table(shown.source))
    except UserError as refusal:
        return str(refusal)


def apply_classes(
    clicks: int | None,
    values: list[str],
    names: list[str | None],
    rule_ids: list[NamedControl],
    rules: list[Any],
    data: Any,
) -> tuple[Any, Any]:
    """Make the classes that the form says."""
    if not clicks or data is None:
        return no_update, no_update
    form = {rule["name"]: value for rule, value in zip(rule_ids, rules, strict=False)}
    renamed = {
        value: (name or "").strip()
        for value, name in zip(values, names, strict=False)
        if (name or "").strip() != value
    }
    try:
        source = ShownData.from_json(data).source
        classes = _rules(form, renamed)
    except InputError as refusal:
        return no_update, str(refusal)
    return msgspec.to_builtins(replace(source, classes=classes)), None


def reset_classes(clicks: int | None, data: Any) -> Any:
    """Make each value a class again, in their natural order, and cut numbers as by default."""
    if not clicks or data is None:
        return no_update
    shown = ShownData.from_json(data)
    source = shown.source
    answers = {question: answer for question, answer in source.answers.items() if question != ORDER}
    orders = {name: order for name, order in source.orders.items() if name != shown.label}
    return msgspec.to_builtins(
        replace(source, classes=ClassRules(), answers=answers, orders=orders)
    )


def _form(shown: ShownData, table: Table) -> Component:
    cells, rules = table.frame[shown.label], shown.source.classes
    how = EQUAL_PARTS if rules.quantiles or is_measure(cells) else EACH_VALUE
    return classes_form(
        shown.label,
        class_values(table.frame, shown.label, rules),
        rules,
        is_number=cells.dtype.kind == "f",
        how=AT_CUTS if rules.cuts else how,
    )


def _rules(form: dict[str, Any], names: dict[str, str]) -> ClassRules:
    how = form.get("how", EACH_VALUE)
    values = {
        "names": names,
        "min_rows": form.get("min_rows"),
        "rare": form.get("rare"),
        "quantiles": form.get("quantiles") if how == EQUAL_PARTS else 0,
        "cuts": sorted(_cuts(str(form.get("cuts") or ""))) if how == AT_CUTS else (),
    }
    if how == AT_CUTS and not values["cuts"]:
        raise InputError("Name at least one number at which the label is cut, such as 1.5; 4.")
    return read(values, ClassRules, "The classes")


def _cuts(text: str) -> list[float]:
    parts = [part for part in _SEPARATORS.split(text.strip()) if part]
    try:
        return [float(part) for part in parts]
    except ValueError:
        raise InputError(
            f'The cuts must be numbers, separated by semicolons; they are "{text[:100]}".'
        ) from None

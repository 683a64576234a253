"""Choices of a table: other sources of its data, and what the values of its forms say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

import msgspec
import pandas as pd
from msgspec.structs import replace

from melm_core.base import UserError
from melm_core.methods import METHODS, STARTS
from melm_core.recipe import Recipe
from melm_studio.runs.execution.refusals import check_data
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import (
    FEATURES,
    LABEL,
    MAX_EDITED_ROWS,
    OTHER_COLUMNS,
    SHEET,
    SINGLE_USES,
    ClassRules,
    Column,
    LabeledData,
    Mark,
    ReadOptions,
    Use,
    answers_about_file,
    answers_beside_reading,
    answers_without,
    shortened,
)
from melm_studio.validation import InputError, read
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.workspace import Workspace

# The ways in which a label becomes classes.
EACH_VALUE, EQUAL_PARTS, AT_CUTS = "values", "quantiles", "cuts"
# A filter of the rows that were left out by hand.
LEFT_OUT = "left-out"
_SEPARATORS = re.compile(r"[;,\s]+")
_MARKED = "yes"
_TAKEN = 'The table has a column "{name}" already. Choose another name.'
_NO_COLUMN = 'The table has no column "{name}". Choose one of its columns.'
_TOO_MANY = f"More than {MAX_EDITED_ROWS:,} rows would be left out. Remove them from the file."


def with_label(source: DataSource, label: str) -> DataSource:
    """Return the data with another label, which was chosen."""
    return replace(_for_label(source, label), label=label)


def _for_label(source: DataSource, label: str) -> DataSource:
    """Without what was chosen of a column as something else, and of the classes of another."""
    roles = {column: use for column, use in source.roles.items() if column != label}
    answers = answers_without(source.answers, label)
    return replace(source, roles=roles, classes=ClassRules(), answers=answers)


def answered(source: DataSource, question: str, answer: str) -> DataSource:
    """Return the data with an answer to a question of the table, by its id."""
    answers = {**source.answers, question: answer}
    if question in OTHER_COLUMNS:  # what was chosen is of those that the table had
        about = answers_about_file(answers)
        sheet = "" if question == SHEET else source.reading.sheet
        reading = replace(source.reading, sheet=sheet)
        return DataSource(source.kind, source.key, source.name, reading=reading, answers=about)
    if question == LABEL:
        source = _for_label(source, answer)
        answers = {**source.answers, LABEL: answer}
    return replace(source, answers=answers)


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


def with_feature(shown: ShownData, column: Column) -> DataSource:
    """Return the source of the shown data with a feature as information, or with it as feature."""
    return with_role(shown, column.name, Use.INFO if column.role in FEATURES else Use.FEATURE)


def with_roles(source: DataSource, names: Iterable[str], use: str) -> DataSource:
    """Return the data with the same use of several columns."""
    uses = dict.fromkeys(names, _use(use))
    answers = reduce(answers_without, uses, source.answers)
    return replace(source, roles={**source.roles, **uses}, answers=answers)


def _use(value: str | None) -> Use:
    return read(value, Use, "The use of a column")


def with_order(source: DataSource, name: str, order: tuple[str, ...]) -> DataSource:
    """Return the data with the categories of a column in another order."""
    roles = {**source.roles, name: Use.ORDERED}
    return replace(source, roles=roles, orders={**source.orders, name: order})


def class_rules(form: Mapping[str, Any], names: Mapping[str, str]) -> ClassRules:
    """Return the rules of the classes that a form says.

    Parameters
    ----------
    form : mapping of str to Any
        Its controls by name: ``how``, ``quantiles``, ``cuts``, ``min_rows`` and ``rare``.
    names : mapping of str to str
        Values of the label whose class has another name.

    Raises
    ------
    InputError
        If a control breaks a rule.
    """
    how = form.get("how", EACH_VALUE)
    cuts = sorted(_cuts(str(form.get("cuts") or ""))) if how == AT_CUTS else ()
    if how == AT_CUTS and not cuts:
        raise InputError("Name at least one number at which the label is cut, such as 1.5; 4.")
    values = {
        "names": names,
        "min_rows": form.get("min_rows"),
        "rare": form.get("rare"),
        "quantiles": form.get("quantiles") if how == EQUAL_PARTS else 0,
        "cuts": cuts,
    }
    return read(values, ClassRules, "The classes")


def _cuts(text: str) -> list[float]:
    parts = [part for part in _SEPARATORS.split(text.strip()) if part]
    try:
        return [float(part) for part in parts]
    except ValueError:
        raise InputError(
            f'The cuts must be numbers, separated by semicolons; they are "{text[:100]}".'
        ) from None


def read_otherwise(source: DataSource, options: ReadOptions, *, is_same: bool) -> DataSource:
    """Return the data to be read in another way; another sheet has other columns."""
    if is_same:
        answers = answers_beside_reading(source.answers)
        return replace(source, reading=options, answers=answers)
    return DataSource(kind=source.kind, key=source.key, name=source.name, reading=options)


def without_filter(source: DataSource, removed: str) -> DataSource:
    """Return the data without a filter, by its place; or with the rows left out by hand."""
    if removed == LEFT_OUT:
        return replace(source, left_out=())
    remaining = (rule for place, rule in enumerate(source.filters) if str(place) != removed)
    return replace(source, filters=tuple(remaining))


def without_rows(source: DataSource, rows: Iterable[int]) -> DataSource:
    """Return the data without further rows of the file, counted from 1 without the header.

    Raises
    ------
    UserError
        If that are too many.
    """
    left_out = tuple(sorted({*source.left_out, *rows}))
    if len(left_out) > MAX_EDITED_ROWS:
        raise UserError(_TOO_MANY)
    return replace(source, left_out=left_out)


def without_columns(source: DataSource, names: Iterable[str], frame: pd.DataFrame) -> DataSource:
    """Return the data without columns of their table, which is `frame`.

    Raises
    ------
    UserError
        If it has no such column.
    """
    names = list(names)
    for name in names:
        if name not in frame:
            raise UserError(_NO_COLUMN.format(name=shortened(name)))
    return replace(source, roles={**source.roles, **dict.fromkeys(names, Use.IGNORED)})


def with_class(source: DataSource, name: str, rows: tuple[int, ...]) -> DataSource:
    """Return the data in which rows have another class."""
    mark = Mark(source.label or "", name, rows)
    return replace(source, marks=(*source.marks, mark))


def with_column(
    source: DataSource, name: str, rows: tuple[int, ...], frame: pd.DataFrame
) -> DataSource:
    """Return the data with a new column of information that marks rows; `frame` is their table.

    Raises
    ------
    UserError
        If the table has a column of that name.
    """
    if name in frame.columns:
        raise UserError(_TAKEN.format(name=shortened(name)))
    roles = {**source.roles, name: Use.INFO}
    return replace(source, marks=(*source.marks, Mark(name, _MARKED, rows)), roles=roles)


def unedited(source: DataSource) -> DataSource:
    """Return the data with all rows of their table, as it was."""
    marked = {mark.column for mark in source.marks}
    roles = {column: use for column, use in source.roles.items() if column not in marked}
    return replace(source, left_out=(), marks=(), filters=(), roles=roles)


def fit_on(space: Workspace, record: RunRecord, source: DataSource) -> RunRecord:
    """Return a run like another one on data that were edited: the one there is, or a queued one.

    Raises
    ------
    UserError
        If the data cannot be run on.
    """
    data = space.prepare(space.table(source), source)
    parameters = _parameters_on(data, record)
    check_data(record.method, data, parameters)
    if equal := space.equal_fit(data.content_hash, record.method, parameters):
        return equal
    shown = ShownData(data.content_hash, data.name, source.label or "", source)
    fit = space.new_fit(shown, record.method, parameters, data)
    space.queue(fit)
    return fit


def _parameters_on(data: LabeledData, record: RunRecord) -> RunParameters:
    """Return those of the run; without its start where the features are others now."""
    start = record.parameters.init
    if start is None or len(start[0][0]) == data.X.shape[1]:
        return record.parameters
    settings = {each.name: each.default for each in METHODS[record.method].parameters}
    return replace(record.parameters, init=None, n_init=int(settings.get(STARTS.name, 1)))


def changed_recipe(
    recipe: Recipe, control: Mapping[str, Any], value: Any, n_columns: int
) -> Recipe:
    """Return a recipe with the value of one control of its form.

    Parameters
    ----------
    recipe : Recipe
    control : mapping of str to Any
        Its ``type``, ``name`` and, of a step, the place ``at``.
    value : Any
    n_columns : int
        Of the table, which steps change.

    Raises
    ------
    InputError
        If the value breaks a rule.
    """
    name, values = control["name"], msgspec.to_builtins(recipe)
    steps, missing = list(values.get("steps", ())), values.get("missing", {})
    if control["type"] == "recipe-step":
        steps[control["at"]] = {**steps[control["at"]], name: value}
    elif name == "add":
        steps += [_new_step(value, n_columns)] if value else []
    elif name == "scaling":
        values["scaling"] = value
    else:
        missing = {**missing, name: value}
    return read({**values, "steps": steps, "missing": missing}, Recipe, "The preparation")


def _new_step(kind: str, n_columns: int) -> dict[str, Any]:
    """Return a step with its defaults, but a window that fits a narrow table."""
    widest = max(n_columns - 1 + n_columns % 2, 3)
    return {"kind": kind, **({"window": widest} if kind == "derivative" and widest < 7 else {})}

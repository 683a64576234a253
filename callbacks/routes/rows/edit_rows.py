"""Rows left out, given another class or marked in a new column, and the same run again."""

from __future__ import annotations

from typing import Annotated, Any

import flask
import msgspec
from dash import Dash
from msgspec import Meta, Struct
from msgspec.structs import replace

from callbacks.session import own_run, workspace
from melm_core.base import UserError
from melm_core.methods import METHODS, STARTS
from melm_studio.runs.execution.refusals import check_data
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import MAX_EDITED_ROWS, LabeledData, Mark, RowNumbers, Use, Words, shortened
from melm_studio.validation import read
from melm_studio.workspace.data_source import ShownData

_MARKED = "yes"
_TAKEN = 'The table has a column "{name}" already. Choose another name.'
_TOO_MANY = f"More than {MAX_EDITED_ROWS:,} rows would be left out. Remove them from the file."


class LeftOut(Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of the file to leave out, in addition to those that are."""

    rows: RowNumbers


class Named(Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of the file and the name of their class or column."""

    rows: RowNumbers
    value: Annotated[Words, Meta(title="The name")]


def register(app: Dash) -> None:
    """Connect the routes, which answer with the new choice of data for the page."""
    app.server.post("/runs/<run_id>/leave-out")(leave_out)
    app.server.post("/runs/<run_id>/new-class")(new_class)
    app.server.post("/runs/<run_id>/new-column")(new_column)
    app.server.post("/runs/<run_id>/put-back")(put_back)


def leave_out(run_id: str) -> tuple[dict[str, Any], int]:
    """Leave rows out and run the same method again."""
    record, source = _run_and_source(run_id)
    rows = read(flask.request.get_json(silent=True), LeftOut, "The selection").rows
    left_out = tuple(sorted({*source.left_out, *rows}))
    if len(left_out) > MAX_EDITED_ROWS:
        raise UserError(_TOO_MANY)
    return _run_again(record, replace(source, left_out=left_out))


def new_class(run_id: str) -> tuple[dict[str, Any], int]:
    """Give rows another class and run the same method again."""
    record, source = _run_and_source(run_id)
    wanted = read(flask.request.get_json(silent=True), Named, "The selection")
    mark = Mark(source.label or "", wanted.value, wanted.rows)
    return _run_again(record, replace(source, marks=(*source.marks, mark)))


def new_column(run_id: str) -> tuple[dict[str, Any], int]:
    """Mark rows in a new column of information and run the same method again."""
    record, source = _run_and_source(run_id)
    wanted = read(flask.request.get_json(silent=True), Named, "The selection")
    if wanted.value in workspace().table(source).frame.columns:
        raise UserError(_TAKEN.format(name=shortened(wanted.value)))
    mark = Mark(wanted.value, _MARKED, wanted.rows)
    roles = {**source.roles, wanted.value: Use.INFO}
    return _run_again(record, replace(source, marks=(*source.marks, mark), roles=roles))


def put_back(run_id: str) -> tuple[dict[str, Any], int]:
    """Return to the table as it was: to the same run of it, or else to a new one."""
    record, source = _run_and_source(run_id)
    marked = {mark.column for mark in source.marks}
    roles = {column: use for column, use in source.roles.items() if column not in marked}
    return _run_again(record, replace(source, left_out=(), marks=(), filters=(), roles=roles))


def _run_and_source(run_id: str) -> tuple[RunRecord, DataSource]:
    record = own_run(run_id)
    return record, record.source


def _run_again(record: RunRecord, source: DataSource) -> tuple[dict[str, Any], int]:
    own = workspace()
    data = own.prepare(own.table(source), source)
    parameters = _parameters(record, data)
    check_data(record.method, data, parameters)
    fit = own.equal_fit(data.content_hash, record.method, parameters)
    if fit is None:
        shown = ShownData(data.content_hash, data.name, source.label or "", source)
        fit = own.new_fit(shown, record.method, parameters, data.X.shape[1])
        own.queue(fit)
    choice = msgspec.to_builtins(source)
    return {"revision": own.revision(), "choice": choice, "run": fit.run_id}, 201


def _parameters(record: RunRecord, data: LabeledData) -> RunParameters:
    """Those of the run; without its start where the features are others now."""
    start = record.parameters.init
    if start is None or len(start[0][0]) == data.X.shape[1]:
        return record.parameters
    settings = {one.name: one.default for one in METHODS[record.method].parameters}
    return replace(record.parameters, init=None, n_init=int(settings.get(STARTS.name, 1)))

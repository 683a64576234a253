"""Rows of the table in the plane on screen: one in full, several as a list and as CSV, found."""

from __future__ import annotations

from typing import Annotated, Any

import flask
import msgspec
from dash import Dash
from msgspec import Meta, Struct

from callbacks.routes.export import attachment
from callbacks.routes.requested_view import requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_core.base import FloatArray, UserError
from melm_studio.analyses.probabilities import PROBABILITIES
from melm_studio.rows.details import row_details, unlabeled_details
from melm_studio.rows.placement import RowPlacer
from melm_studio.rows.row_lists import outliers, rows_named, suspect_labels
from melm_studio.rows.selection import selection, selection_table
from melm_studio.rows.spreadsheet import csv_text
from melm_studio.rows.unlabeled_rows import ChosenRows
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.tables import LabeledData
from melm_studio.validation import Count, Text, read

_REFITTING = "Refitting in 5 folds, to judge each row by planes fitted without it…"
_MAX_SELECTED = 1_000_000


class RequestedRows(Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of the file, counted from 1 without the header."""

    rows: Annotated[tuple[Count, ...], Meta(title="The list of rows", max_length=_MAX_SELECTED)]


def register(app: Dash) -> None:
    """Connect the routes."""
    plane = "/runs/<run_id>/planes/<int:sequence>"
    app.server.get(f"{plane}/rows/<int:row>")(details)
    app.server.post(f"{plane}/rows")(selected)
    app.server.post(f"{plane}/rows.csv")(selected_csv)
    app.server.get(f"{plane}/outliers")(found_outliers)
    app.server.get("/runs/<run_id>/rows-named")(named)
    app.server.post("/runs/<run_id>/suspect-labels")(suspects)


def details(run_id: str, sequence: int, row: int) -> dict[str, Any]:
    """One row in full."""
    record, data, placer = _plane(run_id, sequence)
    chosen = ChosenRows.of(data, [row])
    if not len(chosen):
        flask.abort(404)
    if len(chosen.unlabeled):
        return _json(unlabeled_details(data, placer, int(chosen.unlabeled[0])))
    known = _known_probabilities(record)
    return _json(row_details(data, placer, int(chosen.labeled[0]), known))


def selected(run_id: str, sequence: int) -> dict[str, Any]:
    """The rows of the body, and what distinguishes them."""
    record, data, placer = _plane(run_id, sequence)
    chosen = _requested(data)
    return _json(selection(data, placer, chosen, _known_probabilities(record)))


def selected_csv(run_id: str, sequence: int) -> flask.Response:
    """The rows of the body with every column of their file, predictions and coordinates."""
    record, data, placer = _plane(run_id, sequence)
    columns = services().rows.table(workspace(), record)
    table = selection_table(data, placer, _requested(data), columns)
    return attachment(csv_text(table), record, "selection.csv", "text/csv")


def found_outliers(run_id: str, sequence: int) -> dict[str, Any]:
    """The rows beyond the limits of T² and Q."""
    _, data, placer = _plane(run_id, sequence)
    return _json(outliers(data, placer))


def named(run_id: str) -> dict[str, Any]:
    """The rows whose name contains ``text``."""
    data = services().rows.data(own_run(run_id))
    text = read(flask.request.args.get("text", ""), Text, "The name")
    return _json(rows_named(data, text))


def suspects(run_id: str) -> dict[str, Any]:
    """The rows whose label is suspect, once probabilities are computed; else what is going on."""
    record, own = own_run(run_id), workspace()
    data = services().rows.data(record)
    work = own.analyze(record, PROBABILITIES)
    if work.state is RunState.FAILED:
        raise UserError(work.message)
    known = _known_probabilities(record) if work.state.is_final else None
    if known is None:
        return {"rows": None, "words": _REFITTING}
    return _json(suspect_labels(data, known))


def _known_probabilities(record: RunRecord) -> FloatArray | None:
    """The out-of-fold probabilities of the rows of a run; None if not computed."""
    current = workspace().about(record, PROBABILITIES.name)
    if current is None or not PROBABILITIES.stands(current):
        return None
    return PROBABILITIES.stored(services().store, current.run_id)


def _plane(run_id: str, sequence: int) -> tuple[RunRecord, LabeledData, RowPlacer]:
    record, event = own_run(run_id), requested_event(run_id, sequence)
    placer = services().rows.placer(record, event, requested_options())
    return record, services().rows.data(record), placer


def _requested(data: LabeledData) -> ChosenRows:
    values = flask.request.get_json(silent=True)
    return ChosenRows.of(data, read(values, RequestedRows, "The selection").rows)


def _json(value: Struct) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(value)
    return values

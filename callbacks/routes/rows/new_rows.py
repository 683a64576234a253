"""New rows: an uploaded file placed in the plane on screen, and the result as CSV."""

from __future__ import annotations

from typing import Any

import flask
import msgspec
import numpy as np
from dash import Dash

from callbacks.routes.export import attachment
from callbacks.routes.requested_view import requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_studio.planes.plane_view import MAX_DRAWN_ROWS
from melm_studio.rows.new_rows import NewRows
from melm_studio.rows.new_rows_report import new_rows_report, new_rows_table
from melm_studio.rows.placement import RowPlacer
from melm_studio.rows.spreadsheet import csv_text
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.tables import number
from melm_studio.validation import read

_SAMPLE = "The picture shows {drawn} of the {all} new rows, evenly spaced. The CSV has all."
_DIGITS = 5  # in standard deviations: a fraction of a pixel


def register(app: Dash) -> None:
    """Connect the routes; ``file`` is the key of the upload and ``name`` its name."""
    app.server.get("/runs/<run_id>/planes/<int:sequence>/new-rows")(new_rows)
    app.server.get("/runs/<run_id>/planes/<int:sequence>/new-rows.csv")(new_rows_csv)


def new_rows(run_id: str, sequence: int) -> dict[str, Any]:
    """A report, and the points to draw; of very many rows an evenly spaced subset."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    new, placer = _new_rows(record), _placer(record, event)
    data = services().rows.data(record)
    rows = placer.new_rows(data, new.X)
    placement = placer.place(rows, is_new=True)
    drawn = np.arange(0, len(rows), -(-len(rows) // MAX_DRAWN_ROWS))
    points = services().renderer.positions(record, event, rows[drawn], requested_options())
    report = new_rows_report(data, placer, new, placement)
    if len(drawn) < len(rows):
        note = _SAMPLE.format(drawn=number(len(drawn)), all=number(len(rows)))
        report = msgspec.structs.replace(report, notes=(*report.notes, note))
    return {
        "report": msgspec.to_builtins(report),
        "points": {
            "x": points[:, 0].round(_DIGITS).tolist(),
            "y": points[:, 1].round(_DIGITS).tolist(),
            "rows": new.row_numbers[drawn].tolist(),
            "names": [new.names[i] for i in drawn] if new.names else [],
            "classes": placement.predicted[drawn].tolist(),
            "probabilities": placement.probabilities[drawn].max(axis=1).round(4).tolist(),
            "unlike": placement.is_unlike[drawn].tolist(),
        },
    }


def new_rows_csv(run_id: str, sequence: int) -> flask.Response:
    """Every new row with its prediction, distances and coordinates."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    new, placer = _new_rows(record), _placer(record, event)
    data = services().rows.data(record)
    placement = placer.place(placer.new_rows(data, new.X), is_new=True)
    table = new_rows_table(data, new, placement)
    return attachment(csv_text(table), record, "new-rows.csv", "text/csv")


def _new_rows(record: RunRecord) -> NewRows:
    query = flask.request.args
    values = {"kind": "upload", "key": query.get("file", ""), "name": query.get("name", "")}
    source = read(values, DataSource, "The file of the new rows")
    return services().rows.new_rows(workspace(), record, source)


def _placer(record: RunRecord, event: PlaneEvent) -> RowPlacer:
    return services().rows.placer(record, event, requested_options())

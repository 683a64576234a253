"""Rows of a run: found, edited, marked, drawn every one, new ones placed; and their T² and Q."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import flask
import msgspec
import numpy as np
import pandas as pd
from flask import Blueprint
from msgspec import Meta, Struct

from callbacks.addresses import Body
from callbacks.routes.export import attachment
from callbacks.routes.markup import at_once, markup_of
from callbacks.routes.requested_view import (
    requested,
    requested_body,
    requested_event,
    requested_scheme,
)
from callbacks.services import services
from callbacks.session import known_runs, own_run, workspace
from melm_core.base import FloatArray, UserError, thinned
from melm_studio.analyses.distances import distances_shown, row_contributions, row_distances
from melm_studio.analyses.probabilities import PROBABILITIES
from melm_studio.planes.coloring import RowMarks, row_colors, row_symbols
from melm_studio.planes.drawn_rows import EveryRow, Parts, every_point
from melm_studio.planes.encoding import PACKED_ROWS, as_bytes, stepped, whole
from melm_studio.planes.figure import row_numbers
from melm_studio.planes.plane_view import MAX_DRAWN_ROWS, PlaneViewer
from melm_studio.planes.view_options import Shown
from melm_studio.rows.details import row_details, unlabeled_details
from melm_studio.rows.held_out_probabilities import KnownProbabilities
from melm_studio.rows.new_rows import NewRows
from melm_studio.rows.new_rows_report import new_rows_report, new_rows_table, taken_for
from melm_studio.rows.placement import Placement, RowPlacer
from melm_studio.rows.row_summaries import ChosenRows, indices_of
from melm_studio.rows.selection import (
    outliers,
    rows_named,
    selection,
    selection_table,
    suspect_labels,
)
from melm_studio.rows.spreadsheet import csv_text
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.tables import (
    LabeledData,
    RowNumbers,
    Words,
    number,
)
from melm_studio.validation import Count, Text, read
from melm_studio.workspace.table_choices import (
    fit_on,
    unedited,
    with_class,
    with_column,
    without_columns,
    without_rows,
)
from melm_studio.workspace.view_spec import row_scales

_REFITTING = "Refitting in 5 folds, to judge each row by planes fitted without it…"
_MAX_SELECTED = 1_000_000
_SAMPLE = "The picture shows {drawn} of the {all} new rows, evenly spaced. The CSV has all."
_DIGITS = 5  # in standard deviations: a fraction of a pixel


routes = Blueprint("rows", __name__)


class RequestedRows(Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of the file, counted from 1 without the header."""

    rows: Annotated[tuple[Count, ...], Meta(title="The list of rows", max_length=_MAX_SELECTED)]


@routes.get("/runs/<run_id>/planes/<int:sequence>/rows/<int:row>")
def details(run_id: str, sequence: int, row: int) -> dict[str, Any]:
    """Return the details of one row."""
    plane = _plane(run_id, sequence)
    data, probabilities = plane.data, plane.probabilities
    rows = ChosenRows.of(data, [row])
    if not len(rows):
        flask.abort(404)
    if len(rows.unlabeled):
        card = unlabeled_details(data, plane.placer, int(rows.unlabeled[0]))
    else:
        card = row_details(data, plane.placer, int(rows.labeled[0]), probabilities)
    return _json(card) | {"markup": markup_of("row_card", card)}


@routes.post("/runs/<run_id>/planes/<int:sequence>/rows", body=Body.JSON)
def selected(run_id: str, sequence: int) -> dict[str, Any]:
    """Return the rows of the body, and what distinguishes them; ``markup`` is for the page."""
    plane = _plane(run_id, sequence)
    selected_rows = selection(plane.data, plane.placer, _requested(plane.data), plane.probabilities)
    return _json(selected_rows) | {"markup": markup_of("selected", selected_rows)}


@routes.post("/runs/<run_id>/planes/<int:sequence>/rows.csv", body=Body.JSON, is_heavy=True)
def selected_csv(run_id: str, sequence: int) -> flask.Response:
    """Return the rows of the body with all columns of their file, predictions and coordinates."""
    plane = _plane(run_id, sequence)
    columns = services().rows.table(workspace(), plane.record)
    rows = _requested(plane.data)
    table = selection_table(plane.data, plane.placer, rows, columns, plane.probabilities)
    return attachment(csv_text(table), plane.record, "selection.csv", "text/csv")


@routes.get("/runs/<run_id>/planes/<int:sequence>/outliers")
def found_outliers(run_id: str, sequence: int) -> dict[str, Any]:
    """Return the rows beyond the limits of T² and Q."""
    plane = _plane(run_id, sequence)
    return _json(outliers(plane.data, plane.placer))


@routes.get("/runs/<run_id>/rows-named")
def named(run_id: str) -> dict[str, Any]:
    """Return the rows whose name contains ``text``."""
    data = services().rows.data(own_run(run_id))
    text = read(flask.request.args.get("text", ""), Text, "The name")
    return _json(rows_named(data, text))


@routes.post("/runs/<run_id>/suspect-labels")
def suspects(run_id: str) -> dict[str, Any]:
    """Return the rows with suspect labels, once probabilities are computed; else the progress."""
    record, space = own_run(run_id), workspace()
    data = services().rows.data(record)
    work = space.analyze(record, PROBABILITIES)
    if work.state is RunState.FAILED:
        raise UserError(work.message)
    probabilities = known_runs().probabilities(record) if work.state.is_final else None
    if probabilities is None:
        return {"rows": None, "words": _REFITTING}
    return _json(suspect_labels(data, probabilities.log_mixtures))


@dataclass(frozen=True, eq=False)
class _Plane:
    """The plane on screen, and what is known of rows in it."""

    record: RunRecord
    data: LabeledData
    placer: RowPlacer
    probabilities: KnownProbabilities | None


def _plane(run_id: str, sequence: int) -> _Plane:
    shown = requested(own_run(run_id), requested_event(run_id, sequence))
    rows, probabilities = services().rows, known_runs().probabilities_in_plane(shown)
    return _Plane(shown.record, rows.data(shown.record), rows.placer(shown), probabilities)


def _requested(data: LabeledData) -> ChosenRows:
    values = flask.request.get_json(silent=True)
    return ChosenRows.of(data, read(values, RequestedRows, "The selection").rows)


def _json(value: Struct) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(value)
    return values


class LeftOut(Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of the file to leave out, in addition to those that are."""

    rows: RowNumbers


class Named(Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of the file and the name of their class or column."""

    rows: RowNumbers
    value: Annotated[Words, Meta(title="The name")]


class Columns(Struct, frozen=True, forbid_unknown_fields=True):
    """Columns of the table, by their names."""

    columns: Annotated[list[Words], Meta(title="The columns", min_length=1, max_length=100)]


@routes.post("/runs/<run_id>/leave-out", body=Body.JSON, is_heavy=True)
def leave_out(run_id: str) -> tuple[dict[str, Any], int]:
    """Leave rows out and run the same method again."""
    record = own_run(run_id)
    rows = requested_body(LeftOut, "The selection").rows
    return _run_again(record, without_rows(record.source, rows))


@routes.post("/runs/<run_id>/leave-out-columns", body=Body.JSON, is_heavy=True)
def leave_columns_out(run_id: str) -> tuple[dict[str, Any], int]:
    """Leave columns out and run the same method again."""
    record = own_run(run_id)
    columns = requested_body(Columns, "The columns").columns
    table = workspace().table(record.source)
    return _run_again(record, without_columns(record.source, columns, table.frame))


@routes.post("/runs/<run_id>/new-class", body=Body.JSON, is_heavy=True)
def new_class(run_id: str) -> tuple[dict[str, Any], int]:
    """Give rows another class and run the same method again."""
    record, wanted = own_run(run_id), requested_body(Named, "The selection")
    return _run_again(record, with_class(record.source, wanted.value, wanted.rows))


@routes.post("/runs/<run_id>/new-column", body=Body.JSON, is_heavy=True)
def new_column(run_id: str) -> tuple[dict[str, Any], int]:
    """Mark rows in a new column of information and run the same method again."""
    record, wanted = own_run(run_id), requested_body(Named, "The selection")
    table = workspace().table(record.source)
    source = with_column(record.source, wanted.value, wanted.rows, table.frame)
    return _run_again(record, source)


@routes.post("/runs/<run_id>/put-back", is_heavy=True)
def put_back(run_id: str) -> tuple[dict[str, Any], int]:
    """Return to the table as it was: to the same run of it, or else to a new one."""
    record = own_run(run_id)
    return _run_again(record, unedited(record.source))


def _run_again(record: RunRecord, source: DataSource) -> tuple[dict[str, Any], int]:
    space = workspace()
    fit = fit_on(space, record, source)
    choice = msgspec.to_builtins(source)
    return {"revision": space.revision(), "choice": choice, "run": fit.run_id}, 201


@routes.get("/runs/<run_id>/planes/<int:sequence>/distances")
def distances(run_id: str, sequence: int) -> dict[str, Any]:
    """Return T² and Q of the rows, their limits, and why the row of the query is where it is."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    placer = services().rows.placer(requested(record, event))
    data = services().rows.data(record)
    of_rows = row_distances(data, placer)
    row = flask.request.args.get("row", type=int)
    indices = indices_of(data, [] if row is None else [row])
    explained = row_contributions(data, placer, int(indices[0])) if len(indices) else None
    scheme = requested_scheme()
    blocks = distances_shown(data, of_rows, row, explained, scheme)
    return at_once(run_id, of_rows.words, blocks)


@routes.get("/runs/<run_id>/every-row")
def rows_of_run(run_id: str) -> flask.Response:
    """Return number, class and held-out mark of every row, those without a class included."""
    return packed_rows_of(services().planes.viewer(own_run(run_id)))


@routes.get("/runs/<run_id>/planes/<int:sequence>/every-point")
def points_of_plane(run_id: str, sequence: int) -> flask.Response:
    """Return the place of every row in the plane."""
    shown = requested(own_run(run_id), requested_event(run_id, sequence))
    axes, parts = services().planes.drawn_parts(shown)
    return packed_points_of(parts, axes)


def packed_rows_of(viewer: PlaneViewer) -> flask.Response:
    """Return number, class and held-out flag of every row of a data set."""
    every_row = EveryRow.of(viewer.parts)
    body = as_bytes(
        numbers=stepped(every_row.numbers, 4, step=1.0),
        classes=whole(every_row.codes),
        held_out=whole(every_row.is_held_out),
    )
    return _tagged(flask.Response(body, mimetype=PACKED_ROWS))


def packed_points_of(parts: Parts, axes: FloatArray) -> flask.Response:
    """Return the coordinates of every row on axes; noise, which does not compress."""
    x, y = every_point(axes, parts, is_line=not axes[1].any()).T
    body = as_bytes(x=stepped(x, 3), y=stepped(y, 3))
    return _tagged(flask.Response(body, mimetype="application/octet-stream"))


def _tagged(response: flask.Response) -> flask.Response:
    """Tag a response: the browser keeps it and asks whether it still holds."""
    response.add_etag()
    response.make_conditional(flask.request)
    return response


@routes.get("/runs/<run_id>/columns")
def columns(run_id: str) -> dict[str, Any]:
    """Return the names of the columns of the run's table."""
    table = services().rows.table(workspace(), own_run(run_id))
    return {"columns": [str(name) for name in table.columns]}


@routes.get("/runs/<run_id>/colors")
def colors(run_id: str) -> dict[str, Any]:
    """Return the colors of the points by ``column``, on a page of a ``scheme``."""
    scheme = requested_scheme()
    return _marks(own_run(run_id), partial(row_colors, scheme=scheme))


@routes.get("/runs/<run_id>/symbols")
def symbols(run_id: str) -> dict[str, Any]:
    """Return the symbols of the points by ``column``."""
    return _marks(own_run(run_id), row_symbols)


def _marks(record: RunRecord, marks_of: Callable[[pd.Series], RowMarks]) -> dict[str, Any]:
    """Mark the points of each trace by a column, and every row where they are more.

    ``markup`` is their legend.
    """
    viewer = services().planes.viewer(record)
    numbers = EveryRow.of(viewer.parts).numbers
    column = flask.request.args.get("column", "")
    (values,) = known_runs().column(record, column, [numbers])
    marks = marks_of(values)
    traces = (np.searchsorted(numbers, rows) for rows in row_numbers(viewer.drawn_rows))
    shown = marks.of_traces(traces)
    codes = whole(marks.codes).as_json()
    has_more = viewer.n_drawn < len(numbers)
    return {
        **msgspec.to_builtins(shown),
        "markup": markup_of("mark_legend", column, shown),
        "every": {"palette": marks.palette, "codes": codes} if has_more else None,
    }


@routes.get("/runs/<run_id>/planes/<int:sequence>/new-rows", is_heavy=True)
def new_rows(run_id: str, sequence: int) -> dict[str, Any]:
    """Return a report, and the points to draw; of very many rows an evenly spaced subset.

    ``markup`` is what the page says of them.
    """
    shown = requested(own_run(run_id), requested_event(run_id, sequence))
    new, placer = requested_new_rows(shown.record), services().rows.placer(shown)
    data = services().rows.data(shown.record)
    rows = placer.new_rows(data, new.X)
    placement = _placement(shown, placer, rows, new)
    drawn = thinned(np.arange(len(rows)), MAX_DRAWN_ROWS)
    points = services().planes.positions(shown, rows[drawn])
    report = new_rows_report(data, placer, new, placement)
    if len(drawn) < len(rows):
        note = _SAMPLE.format(drawn=number(len(drawn)), all=number(len(rows)))
        report = msgspec.structs.replace(report, notes=(*report.notes, note))
    return {
        "report": msgspec.to_builtins(report),
        "markup": markup_of("new_rows", report),
        "points": {
            "x": points[:, 0].round(_DIGITS).tolist(),
            "y": points[:, 1].round(_DIGITS).tolist(),
            "rows": new.row_numbers[drawn].tolist(),
            "names": [new.names[i] for i in drawn] if new.names else [],
            "classes": placement.predicted[drawn].tolist(),
            "words": taken_for(data, placement, drawn),
            "unlike": placement.is_unlike[drawn].tolist(),
        },
    }


@routes.get("/runs/<run_id>/planes/<int:sequence>/new-rows.csv", is_heavy=True)
def new_rows_csv(run_id: str, sequence: int) -> flask.Response:
    """List every new row with its prediction, distances and coordinates."""
    shown = requested(own_run(run_id), requested_event(run_id, sequence))
    new, placer = requested_new_rows(shown.record), services().rows.placer(shown)
    data = services().rows.data(shown.record)
    placement = _placement(shown, placer, placer.new_rows(data, new.X), new)
    table = new_rows_table(data, new, placement)
    return attachment(csv_text(table), shown.record, "new-rows.csv", "text/csv")


def requested_new_rows(record: RunRecord) -> NewRows:
    """Return the rows of the file that a request names, as the data of a run are prepared."""
    query = flask.request.args
    values = {"kind": "upload", "key": query.get("file", ""), "name": query.get("name", "")}
    source = read(values, DataSource, "The file of the new rows")
    scaled = row_scales(query.get("scaled", ""))
    return services().rows.new_rows(workspace(), record, source, scaled)


def _placement(shown: Shown, placer: RowPlacer, rows: FloatArray, new: NewRows) -> Placement:
    probabilities = known_runs().probabilities_in_plane(shown)
    placement = placer.place(rows, is_new=True)
    return placement.with_sets(None if probabilities is None else probabilities.p_values_of(new))

"""Publications of runs: figures for print, reports, tables that compare them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import flask
import numpy as np
import pandas as pd
from flask import Blueprint
from msgspec import Meta, Struct, field

from callbacks.addresses import Body
from callbacks.routes.export import attachment
from callbacks.routes.requested_view import (
    options_in,
    requested,
    requested_body,
    requested_event,
    requested_plane,
)
from callbacks.services import services
from callbacks.session import known_runs, own_fit, own_run, workspace
from melm_core.base import UserError
from melm_studio.analyses.check import CHECK
from melm_studio.analyses.ranking import RANKING, ranked
from melm_studio.analyses.verdict_file import FILE_NAME
from melm_studio.planes.coloring import point_symbols
from melm_studio.planes.view_options import Shown
from melm_studio.publication.comparison import (
    Agreement,
    ComparedRun,
    Mover,
    agreement,
    biggest_movers,
    compared,
    movers_frame,
    ordered,
    overlap_frame,
    ranking_frame,
    scores_frame,
)
from melm_studio.publication.publisher import Publisher, light_colors, print_figure, selected_points
from melm_studio.publication.style import FigureFormat, FigureStyle
from melm_studio.rows.spreadsheet import csv_text
from melm_studio.runs.records.run import RunRecord
from melm_studio.validation import Coordinate, Count, InputError, Text
from melm_studio.workspace.workspace import MAX_PANELS

if TYPE_CHECKING:
    from melm_studio.publication.printing import FigurePanel

MAX_ROWS = 1_000_000
_TYPES = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}
Range = tuple[Coordinate, Coordinate]
MAX_RUNS = 9
_TOO_MANY = f"A report compares 1 to {MAX_RUNS} runs. Remove some of them."


routes = Blueprint("publication", __name__)


class PanelRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Content of a panel of the page.

    Attributes
    ----------
    run : str
    plane : int or None
        None for the newest.
    view : mapping of str to str
        The view options, as the fields of a query.
    limits : tuple of tuple of float, or None
        The ranges of x and y that are shown at least.
    color_by, shape_by : str or None
        The columns that give points their colors and shapes; None for the classes.
    marks_outside : bool
        Whether rows beyond the limits have a mark at the edge.
    n_arrows : int or None
    classes, rows : tuple of int, or None
        The classes by code and the rows by number that are shown in full; None for all.
    """

    run: Annotated[Text, Meta(title="The run")]
    plane: Annotated[Count, Meta(title="The plane number")] | None = None
    view: dict[Text, Text] = field(default_factory=dict)
    limits: Annotated[tuple[Range, Range], Meta(title="The limits")] | None = None
    color_by: Text | None = None
    shape_by: Text | None = None
    marks_outside: Annotated[bool, Meta(title="The option to mark rows outside")] = True
    n_arrows: Annotated[Count, Meta(title="The number of arrows")] | None = None
    classes: Annotated[tuple[Count, ...], Meta(title="The list of classes")] | None = None
    rows: (
        Annotated[tuple[Count, ...], Meta(title="The list of rows", max_length=MAX_ROWS)] | None
    ) = None


class FigureRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A figure of panels, as a file of some format."""

    panels: Annotated[
        tuple[PanelRequest, ...],
        Meta(
            title="The list of panels",
            description=f"a list of 1 to {MAX_PANELS} panels",
            min_length=1,
            max_length=MAX_PANELS,
        ),
    ]
    style: FigureStyle = FigureStyle()
    format: Annotated[FigureFormat, Meta(title="The format")] = "pdf"


@routes.post("/figure", body=Body.JSON, is_heavy=True)
def print_panels() -> flask.Response:
    """Print the figure that the body of the request describes; notes are in a header."""
    request = requested_body(FigureRequest, "The figure")
    publisher = _publisher()
    panels = [_panel(publisher, panel) for panel in request.panels]
    printed = print_figure(panels, request.style, request.format)
    kind = "figure" if len(panels) == 1 else "comparison"
    response = attachment(
        printed.content,
        own_run(request.panels[0].run),
        f"{kind}.{request.format}",
        _TYPES[request.format],
    )
    response.headers["X-Notes"] = quote(" ".join(printed.notes))
    response.headers["Cache-Control"] = "no-store"
    return response


def _publisher() -> Publisher:
    return Publisher(known_runs(), flask.request.url_root)


def _panel(publisher: Publisher, request: PanelRequest) -> FigurePanel:
    record, viewed = own_run(request.run), options_in(request.view)
    return publisher.figure_panel(
        Shown.of(record, requested_event(request.run, request.plane), viewed),
        limits=None if request.limits is None else np.array(request.limits),
        marks_outside=request.marks_outside,
        n_arrows=request.n_arrows,
        shown_classes=None if request.classes is None else frozenset(request.classes),
        colors=publisher.column_marks(record, request.color_by, light_colors),
        shapes=publisher.column_marks(record, request.shape_by, point_symbols),
        selected=selected_points(services().planes.viewer(record), request.rows),
    )


@routes.get("/runs/<run_id>/report.html", is_heavy=True)
def report_run(run_id: str) -> flask.Response:
    """Return the report of a run, of the plane and view options in the query."""
    record = own_run(run_id)
    page = _publisher().report(requested(record, requested_plane(run_id)))
    return attachment(page, record, "report.html", "text/html")


@routes.get(f"/runs/<run_id>/{FILE_NAME}", is_heavy=True)
def verdict(run_id: str) -> flask.Response:
    """Return the verdict of a run, as a file that others can compute again."""
    record = own_fit(run_id)
    return attachment(workspace().verdict(record), record, FILE_NAME, "application/json")


@routes.get("/report.html", is_heavy=True)
def report_comparison() -> flask.Response:
    """Return the report of the runs that ``run``, repeatable, names: their newest planes."""
    records = [own_run(run_id) for run_id in dict.fromkeys(flask.request.args.getlist("run"))]
    if not 1 <= len(records) <= MAX_RUNS:
        raise InputError(_TOO_MANY)
    events = [requested_event(record.run_id, None) for record in records]
    page = _publisher().comparison(records, events)
    return attachment(page, records[0], "comparison.html", "text/html")


@routes.get("/compare/scores")
def scores() -> dict[str, str]:
    """Return the list of the runs and the table of their scores, as the page shows them.

    The table is sorted by the column that ``sort`` names, if any.
    """
    from melm_studio.layout.compare import compare_table, run_list  # noqa: PLC0415 - with Dash
    from melm_studio.layout.elements import markup, table_file  # noqa: PLC0415

    runs = _runs()
    column, rows = flask.request.args.get("sort"), _compared(runs)
    listed = markup([run_list(rows)])
    is_descending = "descending" in flask.request.args
    if column is not None:
        rows = ordered(rows, column, descending=is_descending)
    file = table_file("compare/table.csv", [run.run_id for run in runs])
    table = compare_table(rows, column, descending=is_descending)
    return {"list": listed, "table": markup([table, file])}


@routes.get("/compare/pair.html")
def pair() -> str:
    """Return how two runs differ, as the page shows it."""
    from melm_studio.layout.compare import pair_view  # noqa: PLC0415 - with Dash
    from melm_studio.layout.elements import markup  # noqa: PLC0415

    runs = _two_runs()
    angles, movers = _agreement(runs), _movers_or_why_not(runs)
    alike = runs[0].data_id == runs[1].data_id and not isinstance(movers, str)
    can_morph = alike and angles.degrees[0][1] is not None
    names = [run.run_id for run in runs]
    return markup(pair_view(angles, movers, names, can_morph=can_morph))


def _movers_or_why_not(runs: Sequence[RunRecord]) -> Sequence[Mover] | str:
    try:
        return _movers(runs)
    except UserError as error:
        return str(error)


@routes.get("/compare/table.csv")
def scores_csv() -> flask.Response:
    """Return the scores of the runs."""
    runs = _runs()
    return _sent_table(scores_frame(_compared(runs)), runs[0], "scores.csv")


def _compared(runs: Sequence[RunRecord]) -> Sequence[ComparedRun]:
    return compared(services().store, services().renderer, runs, workspace().checks())


def _agreement(runs: Sequence[RunRecord]) -> Agreement:
    return agreement(services().store, services().planes, runs)


@routes.get("/compare/movers.csv")
def movers_csv() -> flask.Response:
    """Return the rows that move most from the first run to the second."""
    runs = _two_runs()
    return _sent_table(movers_frame(_movers(runs)), runs[0], "movers.csv")


def _two_runs() -> list[RunRecord]:
    runs = _runs()
    if len(runs) != 2:
        flask.abort(404)
    return runs


def _movers(runs: Sequence[RunRecord]) -> Sequence[Mover]:
    return biggest_movers(services().store, services().renderer, *runs)


@routes.get("/runs/<run_id>/ranking.csv")
def ranking_csv(run_id: str) -> flask.Response:
    """List all methods by their held-out accuracy, as far as they are compared."""
    record = _run_of_kind(run_id, "ranking")
    rows = ranked(RANKING.stored(services().store, record.run_id))
    if not rows:
        flask.abort(404)
    return _sent_table(ranking_frame(rows), record, "all-methods.csv")


@routes.get("/runs/<run_id>/overlap.csv")
def overlap_csv(run_id: str) -> flask.Response:
    """Return the held-out confusion of the classes that a check found."""
    record = _run_of_kind(run_id, "check")
    overlap = CHECK.stored(services().store, record.run_id).overlap
    if not overlap:
        flask.abort(404)
    names = services().planes.data(record).class_names
    return _sent_table(overlap_frame(overlap, names), record, "confusion.csv")


def _runs() -> list[RunRecord]:
    names = dict.fromkeys(flask.request.args.getlist("run"))
    if not 1 <= len(names) <= MAX_PANELS:
        flask.abort(404)
    return [own_run(name) for name in names]


def _run_of_kind(run_id: str, kind: str) -> RunRecord:
    record = own_run(run_id)
    if record.kind != kind:
        flask.abort(404)
    return record


def _sent_table(table: pd.DataFrame, record: RunRecord, suffix: str) -> flask.Response:
    return attachment(csv_text(table), record, suffix, "text/csv")

"""Publications of runs: figures for print, reports, tables that compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import flask
import numpy as np
import pandas as pd
from msgspec import Meta, Struct, field, structs

from callbacks.addresses import Body
from callbacks.routes.analyses import analysis_sections
from callbacks.routes.export import attachment
from callbacks.routes.requested_view import (
    morph_target,
    options_in,
    requested_event,
    requested_options,
    shown_verdict,
)
from callbacks.routes.rows import column_values
from callbacks.services import Served, services
from callbacks.session import own_fit, own_run, workspace
from melm_core.base import UserError
from melm_studio.abandonment import go_on
from melm_studio.analyses.check import CHECK
from melm_studio.analyses.ranking import RANKING, ranked
from melm_studio.analyses.report_section import Picture, Section
from melm_studio.analyses.tree import TREE, Height, TreeReport, tree_arrays
from melm_studio.analyses.verdict_file import FILE_NAME, NoVerdictError
from melm_studio.planes.captions import axis_titles, changes_of, title_of_view
from melm_studio.planes.coloring import Marks, point_colors, point_symbols
from melm_studio.planes.drawn_rows import every_point_by_class, numbers_by_class
from melm_studio.planes.pixel_images import pixel_images
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.theme import Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import DEFAULT_VIEW, ViewOptions
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
from melm_studio.publication.report import (
    printed_images,
    report_of_comparison,
    report_of_run,
    report_page,
)
from melm_studio.publication.report_run import ReportedRun
from melm_studio.publication.style import FigureFormat, FigureStyle
from melm_studio.rows.spreadsheet import csv_text
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.validation import Coordinate, Count, InputError, Text, read
from melm_studio.workspace.view_query import to_query
from melm_studio.workspace.view_spec import spec_of
from melm_studio.workspace.workspace import MAX_PANELS

if TYPE_CHECKING:
    from melm_studio.publication.printing import ColumnMarks, FigurePanel, PrintedFigure

MAX_ROWS = 1_000_000
_TYPES = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}
Range = tuple[Coordinate, Coordinate]
MAX_RUNS = 9
_ONE = FigureStyle(width=150, height=110, legend="right", font=8)
_TREE_MM = (150.0, 75.0)
_SEVERAL = FigureStyle(width=170, height=150, font=7)
_TOO_MANY = f"A report compares 1 to {MAX_RUNS} runs. Remove some of them."


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


def register(app: Served) -> None:
    """Connect the routes."""
    app.server.post("/figure", body=Body.JSON, is_heavy=True)(print_panels)
    app.server.get("/runs/<run_id>/report.html", is_heavy=True)(report_run)
    app.server.get("/report.html", is_heavy=True)(report_comparison)
    app.server.get(f"/runs/<run_id>/{FILE_NAME}", is_heavy=True)(verdict)
    app.server.get("/compare/scores")(scores)
    app.server.get("/compare/pair.html")(pair)
    app.server.get("/compare/table.csv")(scores_csv)
    app.server.get("/compare/movers.csv")(movers_csv)
    app.server.get("/runs/<run_id>/ranking.csv")(ranking_csv)
    app.server.get("/runs/<run_id>/overlap.csv")(overlap_csv)


def print_panels() -> flask.Response:
    """Print the figure that the body of the request describes; notes are in a header."""
    request = read(flask.request.get_json(silent=True), FigureRequest, "The figure")
    panels = [_panel(panel) for panel in request.panels]
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


def _panel(request: PanelRequest) -> FigurePanel:
    record = own_run(request.run)
    event, options = requested_event(request.run, request.plane), options_in(request.view)
    return figure_panel(
        record,
        event,
        options,
        limits=None if request.limits is None else np.array(request.limits),
        marks_outside=request.marks_outside,
        n_arrows=request.n_arrows,
        shown_classes=None if request.classes is None else frozenset(request.classes),
        colors=column_marks(record, request.color_by, _light_colors),
        shapes=column_marks(record, request.shape_by, point_symbols),
        selected=_selected(services().renderer.viewer(record), request.rows),
    )


def _light_colors(values: Sequence[pd.Series]) -> Marks:
    return point_colors(values, Scheme.LIGHT)


def _selected(viewer: PlaneViewer, rows: tuple[int, ...] | None) -> Any:
    """For each class, which of its training and of its held-out points are selected."""
    if rows is None:
        return None
    return tuple(
        (np.isin(train, rows), np.isin(held_out, rows))
        for train, held_out in numbers_by_class(viewer.parts)
    )


def figure_panel(
    record: RunRecord, event: PlaneEvent, options: ViewOptions, **shown: Any
) -> FigurePanel:
    """Return the panel of a plane; `shown` is what `FigurePanel` takes besides the view."""
    from melm_studio.publication.printing import FigurePanel  # noqa: PLC0415 - with matplotlib

    go_on()
    renderer = services().renderer
    viewer = renderer.viewer(record)
    view = _view_of_every_row(record, event, options)
    return FigurePanel(
        view=view,
        class_names=viewer.class_names,
        title=title_of_view(record, options),
        axis_titles=axis_titles(renderer, record, view, options),
        has_equal_units=viewer.n_components > 1,
        unseen=renderer.unseen_features(record, event, options),
        **shown,
    )


def _view_of_every_row(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> PlaneView:
    """Return the view of a plane with all of its rows, as the page shows it at rest."""
    renderer = services().renderer
    view, viewer = renderer.view(record, event, options), renderer.viewer(record)
    if viewer.n_drawn == viewer.n_rows:
        return view
    axes, parts = renderer.drawn_parts(record, event, options)
    points = every_point_by_class(axes, parts, is_line=viewer.n_components == 1)
    classes = tuple(
        replace(part, train=train, held_out=held_out)
        for part, (train, held_out) in zip(view.classes, points, strict=True)
    )
    return replace(view, classes=classes)


def column_marks(
    record: RunRecord, name: str | None, marks: Callable[[Sequence[pd.Series]], Marks]
) -> ColumnMarks | None:
    """Return the colors or shapes of all rows by a column; None for no column."""
    from melm_studio.publication.printing import ColumnMarks  # noqa: PLC0415 - with matplotlib

    if name is None:
        return None
    by_class = numbers_by_class(services().renderer.viewer(record).parts)
    train, held_out = zip(*by_class, strict=True)
    values = column_values(record, name, [*train, *held_out])
    return ColumnMarks(name, marks(values))


def print_figure(
    panels: Sequence[FigurePanel], style: FigureStyle, file_format: FigureFormat
) -> PrintedFigure:
    """Return a figure as a file."""
    from melm_studio.publication import printing  # noqa: PLC0415 - with matplotlib

    return printing.print_figure(panels, style, file_format)


def report_run(run_id: str) -> flask.Response:
    """Return the report of a run, of the plane and view options in the query."""
    record, options = own_run(run_id), requested_options()
    event = requested_event(run_id, flask.request.args.get("plane", type=int))
    run = _reported(record, event, options)
    return _sent(report_of_run(run), record, "report.html")


def verdict(run_id: str) -> flask.Response:
    """Return the verdict of a run, as a file that others can compute again."""
    record = own_fit(run_id)
    return attachment(workspace().verdict(record), record, FILE_NAME, "application/json")


def report_comparison() -> flask.Response:
    """Return the report of the runs that ``run``, repeatable, names: their newest planes."""
    records = [own_run(run_id) for run_id in dict.fromkeys(flask.request.args.getlist("run"))]
    if not 1 <= len(records) <= MAX_RUNS:
        raise InputError(_TOO_MANY)
    events = [requested_event(record.run_id, None) for record in records]
    options = [ViewOptions(toward=records[0].run_id) for _ in records]
    panels = [figure_panel(*each) for each in zip(records, events, options, strict=True)]
    picture = _picture(panels, _SEVERAL, f"The planes of {len(records)} runs side by side")
    runs = [
        _reported(record, event, DEFAULT_VIEW)
        for record, event in zip(records, events, strict=True)
    ]
    angles = _agreement(records)
    return _sent(report_of_comparison(runs, picture, angles), records[0], "comparison.html")


def _reported(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> ReportedRun:
    renderer = services().renderer
    check = workspace().checks().get(record.run_id)
    view = renderer.view(record, event, options)
    name = f"The plane of {title_of_view(record, options)}, with points, contours and arrows"
    return ReportedRun(
        record=record,
        event=structs.replace(event, components=renderer.components(record, event, options)),
        data=renderer.data(record),
        divergence=renderer.divergence(record, event, options),
        scores=view.scores,
        arrows=view.loadings,
        lengths=view.lengths,
        importance=renderer.importance(record, event, options),
        verdict=shown_verdict(record, event, options),
        check=None if check is None else CHECK.stored(services().store, check.run_id),
        is_check_final=check is not None and check.state.is_final,
        pictures=(_picture([figure_panel(record, event, options)], _ONE, name),),
        link=_link(record, event, options),
        more=(*_images(record, event, options), *_analyses(record)),
        changes=changes_of(options, morph_target(options)),
        shown_gamma=options.gamma,
        verdict_file=_verdict_file(record),
    )


def _verdict_file(record: RunRecord) -> bytes:
    with suppress(NoVerdictError):
        return workspace().verdict(record)
    return b""


def _images(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> Iterator[Section]:
    images = pixel_images(services().renderer, record, event, options)
    if images is not None:
        yield Section("The features as pixels", pictures=(printed_images(images),))


def _analyses(record: RunRecord) -> Iterator[Section]:
    for name, report, subject, section in analysis_sections(record):
        if name == TREE.name:
            yield replace(section, pictures=(_tree(report, len(subject.class_names)),))
        elif name != CHECK.name:  # the section of the run itself says it, beside the picture
            yield section


def _tree(report: TreeReport, n_classes: int) -> Picture:
    arrays, height = tree_arrays(report, n_classes, Height.ACCURACY)
    from melm_studio.publication.printing import trees  # noqa: PLC0415 - with matplotlib

    panel = trees.TreePanel("", arrays, height, 1 / n_classes)
    return Picture(trees.print_trees([panel], _TREE_MM), "Optima by kernel width")


def _picture(panels: list[FigurePanel], style: FigureStyle, description: str) -> Picture:
    return Picture(print_figure(panels, style, "svg").content, description)


def _link(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> str:
    """Return the address of the view; empty if it is too long, or its data are unknown."""
    divergence = services().renderer.divergence(record, event, options)
    try:
        spec = spec_of(
            record,
            event,
            options,
            other=morph_target(options),
            mode="explore",
            hidden=(),
            marks={},
            divergence=divergence,
        )
        return f"{flask.request.url_root}?{to_query(spec)}"
    except InputError:
        return ""


def _sent(report: Any, record: RunRecord, suffix: str) -> flask.Response:
    return attachment(report_page(report), record, suffix, "text/html")


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


def scores_csv() -> flask.Response:
    """Return the scores of the runs."""
    runs = _runs()
    return _sent_table(scores_frame(_compared(runs)), runs[0], "scores.csv")


def _compared(runs: Sequence[RunRecord]) -> Sequence[ComparedRun]:
    return compared(services().store, services().renderer, runs, workspace().checks())


def _agreement(runs: Sequence[RunRecord]) -> Agreement:
    return agreement(services().store, services().renderer, runs)


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


def ranking_csv(run_id: str) -> flask.Response:
    """List all methods by their held-out accuracy, as far as they are compared."""
    record = _run_of_kind(run_id, "ranking")
    rows = ranked(RANKING.stored(services().store, record.run_id))
    if not rows:
        flask.abort(404)
    return _sent_table(ranking_frame(rows), record, "all-methods.csv")


def overlap_csv(run_id: str) -> flask.Response:
    """Return the held-out confusion of the classes that a check found."""
    record = _run_of_kind(run_id, "check")
    overlap = CHECK.stored(services().store, record.run_id).overlap
    if not overlap:
        flask.abort(404)
    names = services().renderer.data(record).class_names
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

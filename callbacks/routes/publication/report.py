"""Reports: a run, or several side by side, as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import flask
from dash import Dash
from msgspec.structs import replace

from callbacks.routes.analyses import analysis_sections
from callbacks.routes.export import attachment
from callbacks.routes.publication.panels import figure_panel, print_figure
from callbacks.routes.requested_view import requested_event, requested_options, shown_verdict
from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_studio.analyses.drawn_tree import Height, tree_arrays
from melm_studio.analyses.report_section import Picture, Section
from melm_studio.analyses.tree_run import tree_of
from melm_studio.analyses.tree_section import tree_section
from melm_studio.analyses.validation_run import report_of
from melm_studio.planes.captions import changes_of, title_of_view
from melm_studio.planes.view_options import DEFAULT_VIEW, ViewOptions
from melm_studio.publication.comparison import agreement
from melm_studio.publication.report import report_of_comparison, report_of_run
from melm_studio.publication.report_run import ReportedRun
from melm_studio.publication.style import FigureStyle
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.validation import InputError
from melm_studio.workspace.view_query import to_query
from melm_studio.workspace.view_spec import spec_of

if TYPE_CHECKING:
    from melm_studio.publication.printing import FigurePanel

MAX_RUNS = 9

_ONE = FigureStyle(width=150, height=110, legend="right", font=8)
_TREE_MM = (150.0, 75.0)
_SEVERAL = FigureStyle(width=170, height=150, font=7)
_TOO_MANY = f"A report compares 1 to {MAX_RUNS} runs. Remove some of them."


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/runs/<run_id>/report.html")(report_run)
    app.server.get("/report.html")(report_comparison)


def report_run(run_id: str) -> flask.Response:
    """The report of a run, of the plane and under the view options in the query."""
    record, options = own_run(run_id), requested_options()
    event = requested_event(run_id, flask.request.args.get("plane", type=int))
    run = _reported(record, event, options)
    return _sent(report_of_run(run), record, "report.html")


def report_comparison() -> flask.Response:
    """The report of the runs that ``run``, repeatable, names: their newest planes."""
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
    angles = agreement(services().store, services().renderer, records)
    return _sent(report_of_comparison(runs, picture, angles), records[0], "comparison.html")


def _reported(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> ReportedRun:
    renderer = services().renderer
    check = workspace().checks().get(record.run_id)
    view = renderer.view(record, event, options)
    name = f"The plane of {title_of_view(record, options)}, with points, contours and arrows"
    return ReportedRun(
        record=record,
        event=replace(event, components=renderer.components(record, event, options)),
        data=renderer.data(record),
        divergence=renderer.divergence(record, event, options),
        scores=view.scores,
        arrows=view.loadings,
        verdict=shown_verdict(record, event, options),
        check=None if check is None else report_of(services().store, check.run_id),
        is_check_final=check is not None and check.state.is_final,
        pictures=(_picture([figure_panel(record, event, options)], _ONE, name),),
        link=_link(record, event, options),
        more=tuple(_analyses(record)),
        changes=changes_of(options, _morph_target(options)),
        shown_gamma=options.gamma if options.gamma != record.gamma else None,
    )


def _analyses(record: RunRecord) -> Iterator[Section]:
    for _, _, _, section in analysis_sections(record):
        yield section
    if (tree := _tree(record)) is not None:
        yield tree


def _tree(record: RunRecord) -> Section | None:
    """The section on the tree of a run, if it has one."""
    current = workspace().about(record, "tree")
    if current is None or not (found := tree_of(services().store, current.run_id)).planes:
        return None
    n_classes = len(services().renderer.viewer(record).class_names)
    arrays, height = tree_arrays(found, n_classes, Height.ACCURACY)
    trees: Any = import_module("melm_studio.publication.printing.trees")
    panel = trees.TreePanel("", arrays, height, 1 / n_classes)
    picture = Picture(trees.print_trees([panel], _TREE_MM), "Optima by kernel width")
    return tree_section(found, n_classes, picture, is_final=current.state.is_final)


def _morph_target(options: ViewOptions) -> RunRecord | None:
    return own_run(options.morph.run_id) if options.morph else None


def _picture(panels: list[FigurePanel], style: FigureStyle, description: str) -> Picture:
    return Picture(print_figure(panels, style, "svg").content, description)


def _link(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> str:
    """The address of the view; empty if it is too long for one or its data are not known."""
    divergence = services().renderer.divergence(record, event, options)
    try:
        spec = spec_of(
            record,
            event,
            options,
            other=_morph_target(options),
            mode="explore",
            hidden=(),
            marks={},
            divergence=divergence,
        )
        return f"{flask.request.url_root}?{to_query(spec)}"
    except InputError:
        return ""


def _sent(report: Any, record: RunRecord, suffix: str) -> flask.Response:
    pages: Any = import_module("melm_studio.publication.report_page")
    return attachment(pages.report_page(report), record, suffix, "text/html")

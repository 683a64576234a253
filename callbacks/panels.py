"""The panels: one for each of the visitor's runs of the data that the page shows."""

from __future__ import annotations

from typing import Any

import flask
from dash import Dash, Input, Output
from dash.development.base_component import Component

from callbacks.services import services
from callbacks.session import has_owner, workspace
from melm_core.methods import METHODS
from melm_studio.analyses.tree import TREE_METHOD
from melm_studio.configuration.limits import DiskFullError
from melm_studio.layout import ids
from melm_studio.layout.page import first_source, page
from melm_studio.layout.panel import panel, run_tab
from melm_studio.layout.shell.first_paint import first_page as before_dash
from melm_studio.layout.shell.welcome import welcome
from melm_studio.planes.captions import edited_rows, title
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.run import RunRecord
from melm_studio.validation import read
from melm_studio.workspace.data_source import ShownData


def register(app: Dash) -> None:
    """Connect the list of panels."""
    app.callback(
        Output(ids.PANELS, "data-revision"),
        Output(ids.PANELS, "children"),
        Output(ids.RUN_TABS, "children"),
        Input(ids.REVISION, "data"),
        Input(ids.DATA, "data"),
    )(show_revision)


def first_page() -> Component:
    """The page as a visitor gets it, before callbacks fill in data and runs."""
    return page(is_new=has_owner() and not workspace().panels())


def first_data() -> DataSource:
    """The data of a first visit."""
    return read(first_source(), DataSource, "The data of a first visit")


def first_paint() -> Component:
    """The page as a visitor sees it before Dash has rendered it."""
    if not has_owner() or workspace().panels():
        return before_dash(None, is_new=False)
    if flask.request.args:  # a link shows data of its own
        return before_dash(None)
    source = first_data()
    try:
        table = services().tables.describe(workspace(), source)
    except DiskFullError:  # the page itself tells what is asked of it that there is no room for
        return before_dash(None)
    return before_dash(ShownData(table.id, table.name, table.label, source), table.class_names)


def show_revision(_: str | None, data: Any) -> tuple[str | None, list[Component], list[Component]]:
    """List the panels and tabs with the revision that they are of.

    An answer that another one has overtaken, as that of Run, takes its revision back too, so
    that the page asks again.
    """
    listed = workspace().revision()  # first: a run that comes between is asked for again
    return listed, *show_panels(data)


def show_panels(data: Any) -> tuple[list[Component], list[Component]]:
    """List the panels and tabs of the runs of the shown data."""
    shown = ShownData.from_json(data) if data else None
    runs = workspace().shown_fits(shown)
    if shown is not None and not runs:
        return [welcome(shown)], []
    return [_panel(run) for run in runs], [run_tab(run.run_id, title(run)) for run in runs]


def _panel(run: RunRecord) -> Component:
    return panel(
        run.run_id,
        title(run),
        run.data_name,
        gamma=run.density_gamma,
        n_components=run.parameters.n_components,
        is_linear=METHODS[run.method].is_linear,
        is_search=METHODS[run.method].streams,
        has_latent=METHODS[run.method].predicts_indicators,
        has_tree=run.method == TREE_METHOD,
        has_classes=run.n_classes != 1,
        space=_space(run),
        edits=", ".join(edited_rows(run)),
        projection="" if METHODS[run.method].is_linear else METHODS[run.method].label,
    )


def _space(run: RunRecord) -> str:
    """Equal for two runs if the plane of one can be morphed into that of the other."""
    is_linear = METHODS[run.method].is_linear
    return f"{run.data_id}:{run.parameters.n_components}" if is_linear else ""

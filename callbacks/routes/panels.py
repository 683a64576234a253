"""The panels: one for each of the visitor's runs of the data that the page shows."""

from __future__ import annotations

from typing import Any

import flask
import msgspec
from dash import Dash

from callbacks.addresses import Body
from callbacks.session import workspace
from melm_core.base import UserError
from melm_core.methods import BANDWIDTH, METHODS
from melm_studio.analyses.tree import TREE_METHOD
from melm_studio.layout.panel import described_panel
from melm_studio.planes.captions import edited_rows, title
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import WITHIN
from melm_studio.workspace.data_source import FILE_GONE, ShownData

RUN_GONE = "The run of this address is gone, or belongs to another browser."


def register(app: Dash) -> None:
    """Connect the route."""
    app.server.post("/panels", body=Body.JSON)(panels)
    app.server.get("/runs/<run_id>/source")(source)


def panels() -> dict[str, Any]:
    """List the panels of the data in the body."""
    return listed(ShownData.from_json(flask.request.get_json(silent=True)))


def source(run_id: str) -> dict[str, Any]:
    """Return the choice of data with which the page shows a run.

    Raises
    ------
    UserError
        If the visitor has no such run, or its file is no longer stored.
    """
    record = workspace().run(run_id)
    if record is None:
        raise UserError(RUN_GONE)
    chosen = record.source
    if not workspace().has_file(chosen):
        raise UserError(FILE_GONE.format(name=chosen.name))
    choice: dict[str, Any] = msgspec.to_builtins(chosen)
    return choice


def listed(shown: ShownData) -> dict[str, Any]:
    """Return the panels of the runs of some data, and the revision that they are of."""
    space = workspace()
    revision = space.revision()  # first: a run that comes between is asked for again
    return {"revision": revision, "panels": [_panel(run) for run in space.shown_fits(shown)]}


def _panel(run: RunRecord) -> dict[str, str]:
    return described_panel(
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
        is_machine=METHODS[run.method].takes(BANDWIDTH.name),
        is_within=WITHIN in run.source.answers.values(),
        space=_space(run),
        edits=", ".join(edited_rows(run)),
        projection="" if METHODS[run.method].is_linear else METHODS[run.method].label,
    )


def _space(run: RunRecord) -> str:
    """Equal for two runs if the plane of one can be morphed into that of the other."""
    is_linear = METHODS[run.method].is_linear
    return f"{run.data_id}:{run.parameters.n_components}" if is_linear else ""

"""Colors and symbols of the drawn points by any column; rows without a label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flask
import msgspec
import numpy as np
import pandas as pd
from dash import Dash

from callbacks.routes.requested_view import requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_core.base import IntArray, UserError
from melm_studio.figures.coloring import point_colors, point_symbols
from melm_studio.figures.plane import row_numbers
from melm_studio.figures.theme import Scheme
from melm_studio.tables import shortened
from melm_studio.views.plane_view import MAX_DRAWN_ROWS
from melm_studio.worker.records.run import RunRecord


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/runs/<run_id>/columns")(columns)
    app.server.get("/runs/<run_id>/colors")(colors)
    app.server.get("/runs/<run_id>/symbols")(symbols)
    app.server.get("/runs/<run_id>/planes/<int:sequence>/unlabeled")(unlabeled)


def columns(run_id: str) -> dict[str, Any]:
    """The names of the columns of the run's table."""
    table = services().rows.table(workspace(), own_run(run_id))
    return {"columns": [str(name) for name in table.columns]}


def colors(run_id: str) -> dict[str, Any]:
    """The colors of the points by ``column``, on a page of a ``scheme``."""
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    found: dict[str, Any] = msgspec.to_builtins(point_colors(_values(own_run(run_id)), scheme))
    return found


def symbols(run_id: str) -> dict[str, Any]:
    """The symbols of the points by ``column``."""
    found: dict[str, Any] = msgspec.to_builtins(point_symbols(_values(own_run(run_id))))
    return found


def unlabeled(run_id: str, sequence: int) -> dict[str, Any]:
    """The points of rows without a label; of very many rows an evenly spaced subset."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    data = services().rows.data(record)
    if data.unlabeled is None:
        return {"x": [], "y": [], "rows": []}
    options = requested_options()
    placer = services().rows.placer(record, event, options)
    chosen = np.arange(0, len(data.unlabeled.X), -(-len(data.unlabeled.X) // MAX_DRAWN_ROWS))
    rows = placer.new_rows(data, data.unlabeled.X[chosen])
    points = services().renderer.positions(record, event, rows, options).round(5)
    return {
        "x": points[:, 0].tolist(),
        "y": points[:, 1].tolist(),
        "rows": data.unlabeled.row_numbers[chosen].tolist(),
    }


def _values(record: RunRecord) -> list[pd.Series]:
    """The values of a column at the points of each trace."""
    drawn = row_numbers(services().renderer.viewer(record).drawn_rows)
    return column_values(record, flask.request.args.get("column", ""), drawn)


def column_values(
    record: RunRecord, name: str, drawn: Sequence[list[int] | IntArray]
) -> list[pd.Series]:
    """Return the values of a column of the run's table at rows of the file, for each list of them.

    Raises
    ------
    UserError
        If the table has no such column.
    """
    table = services().rows.table(workspace(), record)
    if name not in table.columns:
        raise UserError(
            f'The table of this run has no column "{shortened(name)}". Reload the page.'
        )
    return [table[name].reindex(pd.Index(np.asarray(rows, dtype=np.int64)) - 1) for rows in drawn]

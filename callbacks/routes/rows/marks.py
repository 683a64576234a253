"""Colors and symbols of the drawn points by any column."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import flask
import msgspec
import numpy as np
import pandas as pd
from dash import Dash

from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_core.base import IntArray, UserError
from melm_studio.planes.coloring import RowMarks, row_colors, row_symbols
from melm_studio.planes.every_row import EveryRow
from melm_studio.planes.figure import row_numbers
from melm_studio.planes.theme import Scheme
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import shortened


def register(app: Dash) -> None:
    """Connect the routes."""
    app.server.get("/runs/<run_id>/columns")(columns)
    app.server.get("/runs/<run_id>/colors")(colors)
    app.server.get("/runs/<run_id>/symbols")(symbols)


def columns(run_id: str) -> dict[str, Any]:
    """The names of the columns of the run's table."""
    table = services().rows.table(workspace(), own_run(run_id))
    return {"columns": [str(name) for name in table.columns]}


def colors(run_id: str) -> dict[str, Any]:
    """The colors of the points by ``column``, on a page of a ``scheme``."""
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    return _marks(own_run(run_id), partial(row_colors, scheme=scheme))


def symbols(run_id: str) -> dict[str, Any]:
    """The symbols of the points by ``column``."""
    return _marks(own_run(run_id), row_symbols)


def _marks(record: RunRecord, marks_of: Callable[[pd.Series], RowMarks]) -> dict[str, Any]:
    """The marks of the points of each trace by a column, and of every row where they are more."""
    viewer = services().renderer.viewer(record)
    numbers = EveryRow.of(viewer.parts).numbers
    (values,) = column_values(record, flask.request.args.get("column", ""), [numbers])
    found = marks_of(values)
    traces = (np.searchsorted(numbers, rows) for rows in row_numbers(viewer.drawn_rows))
    answer: dict[str, Any] = msgspec.to_builtins(found.of_traces(traces))
    codes = base64.b64encode(found.codes.tobytes()).decode()
    has_more = viewer.n_drawn < len(numbers)
    return answer | {"every": {"palette": found.palette, "codes": codes} if has_more else None}


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

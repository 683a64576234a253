"""A table with a map in it: the map as it is beside a plane, in Compare."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, no_update

from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.layout import ids
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.map_comparison import map_fits


def register(app: Dash) -> None:
    """Begin the comparison when a file with a map is shown for the first time."""
    app.callback(
        Output(ids.MODE, "value", allow_duplicate=True),
        Output(ids.RUN_ERROR, "children", allow_duplicate=True),
        Input(ids.DATA, "data"),
        State(ids.REQUESTED, "data"),
        prevent_initial_call=True,
    )(compare_map)


def compare_map(data: Any, requested: Any) -> tuple[Any, Any]:
    """Run the map and its comparisons, and ask whether the map is real; nothing of other tables.

    Nor of a table that is chosen for a view of a link or a story, which is `requested`.
    """
    space = workspace()
    shown = None if data is None or requested else ShownData.from_json(data)
    if shown is None or shown.source.kind != "upload" or space.shown_fits(shown):
        return no_update, no_update
    try:
        fits = map_fits(space, shown)
        if not fits:
            return no_update, no_update
        space.queue(*fits)
        if fits[0].n_classes > 1:
            space.check(fits[0])
    except UserError as error:  # what was queued before stays
        return no_update, str(error)
    return "compare", None

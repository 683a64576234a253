"""Links: the view that the address of the page asks for, and its restoring: data, runs, view."""

from __future__ import annotations

from typing import Any

import msgspec
from dash import Dash, Input, Output, State, ctx, no_update
from msgspec import Struct
from msgspec.structs import replace

from callbacks.page_state import connect_script
from callbacks.session import workspace
from melm_core.base import UserError
from melm_studio.analyses import ANALYSES
from melm_studio.layout import ids
from melm_studio.planes.view_options import DEFAULT_VIEW, ViewOptions
from melm_studio.runs.execution.refusals import check_data
from melm_studio.runs.records.run import RunRecord
from melm_studio.validation import InputError, read
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.view_query import data_of_query, from_query
from melm_studio.workspace.view_spec import SharedMorph, ViewSpec
from melm_studio.workspace.workspace import Workspace

_NOT_OPENED = "This link cannot be opened. {reason}"
NEEDS_FILE = (
    "This view needs the file {name}, which is not stored here. Drop or choose it to continue."
)
OTHER_FILE = (
    "The content of this file differs from that of {name}, which the view needs. Drop the original "
    "file, or continue with this one."
)
OTHER_PREPARATION = "The table was prepared differently here, so the results may differ."
_NOT_PREPARED = (
    "The table of this view can no longer be prepared as it was. Choose the data and run the "
    "method again."
)
_OTHER_FEATURES = (
    "The run of this view starts from a plane of {expected} features, but the data have {found}. "
    "Open the view with its own data."
)


def register(app: Dash) -> None:
    """Read the address when the page is opened."""
    connect_script(
        app,
        "readAddress",
        Output(ids.ADDRESS, "data"),
        Output(ids.MODE, "value"),
        Input(ids.ADDRESS, "id"),
    )
    app.callback(
        Output(ids.REQUESTED, "data", allow_duplicate=True),
        Output(ids.RESTORED, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.ADDRESS, "data"),
        prevent_initial_call=True,
    )(request_view)
    app.callback(
        Output(ids.RESTORED, "data"),
        Output(ids.REQUESTED, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.REQUESTED, "data"),
        Input(ids.DATA, "data"),
        prevent_initial_call=True,
    )(restore)
    app.callback(
        Output(ids.REQUESTED, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.DATA_ERROR, "children"),
        State(ids.REQUESTED, "data"),
        prevent_initial_call=True,
    )(give_up)
    connect_script(
        app,
        "bringUp",
        Input(ids.RESTORED, "data"),
    )


def request_view(search: str | None) -> tuple[Any, Any, str | None]:
    """Request the view of the address, or the data if it names no view."""
    if not _names_a_view(search or ""):
        return None, no_update, None
    try:
        source = data_of_query(search or "")
        if source is not None:
            return None, {"choice": msgspec.to_builtins(source)}, None
        return {"view": from_query(search or "").to_json()}, no_update, None
    except InputError as error:
        return None, no_update, _NOT_OPENED.format(reason=error)


def _names_a_view(search: str) -> bool:
    """Return whether an address names a view; it may name only a mode, as in "?mode=present"."""
    query = search.removeprefix("?")
    return bool(query) and (not query.startswith("mode=") or "&" in query)


class RequestedView(Struct, frozen=True, forbid_unknown_fields=True):
    """The view that the page is to restore.

    Attributes
    ----------
    view : ViewSpec
    quiet : bool
        Whether a view that is reproduced needs no message.
    asked : bool
        Whether the page was told to choose the data.
    """

    view: ViewSpec
    quiet: bool = False
    asked: bool = False


def restore(wanted: Any, data: Any) -> tuple[Any, ...]:
    """Choose the data of the requested view, or find or start its runs."""
    if wanted is None:
        return (no_update,) * 3
    try:
        requested = read(wanted, RequestedView, "The requested view")
        shown = None if data is None else ShownData.from_json(data)
        if shown is None or not _is_of(shown, requested.view):
            is_new = f"{ids.REQUESTED}.data" in ctx.triggered_prop_ids
            return _choose_data(requested, shown, is_new=is_new)
        restored = _restored(workspace(), requested, shown)
    except UserError as error:
        return no_update, None, str(error)
    return restored, None, None


def give_up(error: str | None, wanted: Any) -> tuple[Any, Any]:
    """Drop the request if its data cannot be chosen."""
    was_asked = error and isinstance(wanted, dict) and wanted.get("asked")
    return (None, error) if was_asked else (no_update, no_update)


def _choose_data(
    requested: RequestedView, shown: ShownData | None, *, is_new: bool
) -> tuple[Any, ...]:
    """Choose the data if they are stored here; otherwise ask for the file and wait."""
    source = requested.view.source
    if is_new and not workspace().has_file(source):
        return no_update, no_update, NEEDS_FILE.format(name=source.name)
    if not is_new and shown is not None and shown.source.key != source.key:
        is_other = shown.source.kind == "upload" and not requested.asked
        message = OTHER_FILE.format(name=source.name) if is_other else no_update
        return no_update, no_update, message
    if not is_new and requested.asked:
        raise UserError(_NOT_PREPARED)
    # A script makes the choice: within a chain of callbacks, Dash calls each only once.
    choice = {"choice": msgspec.to_builtins(source)}
    return choice, msgspec.to_builtins(replace(requested, asked=True)), None


def _is_of(shown: ShownData, view: ViewSpec) -> bool:
    """Return whether the page shows the data of the view, prepared in the same way."""
    here, other = shown.source, view.source
    is_same = replace(here, label=None) == replace(other, label=None)
    return is_same and other.label in (None, shown.label)


def _restored(space: Workspace, requested: RequestedView, shown: ShownData) -> dict[str, Any]:
    """Return what the page's script needs to show the view."""
    view = requested.view
    is_other = view.morph is not None and view.morph.plane is not None
    others = () if view.morph is None or is_other else (view.morph,)
    fits = [_own_fit(space, shown, part) for part in (view, *others)]
    morph = None
    if view.morph is not None:
        other = space.analyze(fits[0], ANALYSES[view.morph.of]) if is_other else fits[1]
        morph = [other.run_id, view.morph.share, view.morph.plane]
    return {
        "run": fits[0].run_id,
        "plane": view.plane,
        "options": {**_script_options(view.options), "morph": morph},
        "other": view.morph.of if view.morph and is_other else None,
        "mode": view.mode,
        "hidden": list(view.hidden),
        "layers": list(view.layers),
        "marks": {
            "colorBy": view.marks.color_by,
            "shapeBy": view.marks.shape_by,
            "newRows": view.marks.new_rows and msgspec.to_builtins(view.marks.new_rows),
        },
        "divergence": view.divergence,
        "caution": "" if view.data_id in ("", shown.id) else OTHER_PREPARATION,
        "quiet": requested.quiet,
    }


def _script_options(options: ViewOptions) -> dict[str, Any]:
    """Return the view options as the page's scripts hold them."""
    is_turned = options.view_angle != DEFAULT_VIEW.view_angle
    return {
        "gamma": options.gamma,
        "n_top_features": options.n_top_features,
        "edits": [[edit.feature, *edit.loading] for edit in options.edits],
        "view_angle": options.view_angle if is_turned else None,
        "batch_weight": options.batch_weight,
        "places": None if options.places is DEFAULT_VIEW.places else options.places,
    }


def _own_fit(space: Workspace, shown: ShownData, requested: ViewSpec | SharedMorph) -> RunRecord:
    """Return the visitor's own fit with these parameters, or queue a new one."""
    method, parameters = requested.method, requested.run_parameters
    if equal := space.equal_fit(shown.id, method, parameters):
        return equal
    data = space.data(shown)
    check_data(method, data, parameters)
    found_features = data.X.shape[1]
    expected = len(parameters.init[0][0]) if parameters.init else found_features
    if expected != found_features:
        raise UserError(_OTHER_FEATURES.format(expected=expected, found=found_features))
    fit = space.new_fit(shown, method, parameters, data)
    space.queue(fit)
    return fit

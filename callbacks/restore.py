"""Bringing up the view of a recipe: its data, its runs, then the picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, ctx, no_update

from callbacks.panels import PANELS_FULL, fits, is_full, newest_revision, source_of
from callbacks.routes.session import owner
from callbacks.runs import check_data
from callbacks.services import Studio
from melm_studio.layout import ids
from melm_studio.tables import LabelledData
from melm_studio.views import validation
from melm_studio.views.validation import ReadingError
from melm_studio.views.view_spec import Recipe
from melm_studio.worker.records.run import RunRecord, new_run, table_of

NEEDS_FILE = "This view needs the file {name}, which is not stored here. Drop it to go on."
OTHER_FILE = (
    "The file that was dropped is another one than the view needs, whatever its name. Drop the "
    "{name} that the view was made of, or go on with this one."
)
OTHER_PREPARATION = "The table was prepared otherwise here, so the results may differ."

_NOT_PREPARED = "The table of this view can no longer be prepared as it was."
_NO_PLANE_OF = (
    "The run of this view began from a plane of {expected} features, and the data have {found}."
)


def register(app: Dash, studio: Studio) -> None:
    """Work towards the view that is wanted, one step at every change of the data."""

    @app.callback(
        Output(ids.BROUGHT, "data"),
        Output(ids.WANTED, "data", allow_duplicate=True),
        Output(ids.REVISION, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.WANTED, "data"),
        Input(ids.DATA, "data"),
        prevent_initial_call=True,
    )
    def work_towards(wanted: Any, data: dict[str, Any] | None) -> tuple[Any, ...]:
        if wanted is None:
            return (no_update,) * 4
        try:
            wanted = validation.fields(wanted, ("view", "quiet", "asked"), "What is wanted")
            recipe = Recipe.from_json(wanted.get("view"))
            if data is None or not _is_of(data, recipe):
                is_new = f"{ids.WANTED}.data" in ctx.triggered_prop_ids
                return _first_the_data(studio, wanted, recipe, data, is_new=is_new)
            brought, is_new = _brought(studio, recipe, data)
        except ValueError as error:
            return no_update, None, no_update, str(error)
        quiet = {"quiet": bool(wanted.get("quiet"))}
        return brought | quiet, None, newest_revision(studio) if is_new else no_update, None

    @app.callback(
        Output(ids.WANTED, "data", allow_duplicate=True),
        Output(ids.NOTICE, "children", allow_duplicate=True),
        Input(ids.DATA_ERROR, "children"),
        State(ids.WANTED, "data"),
        prevent_initial_call=True,
    )
    def give_up(error: str | None, wanted: Any) -> tuple[Any, Any]:
        is_answer = error and isinstance(wanted, dict) and wanted.get("asked")
        return (None, error) if is_answer else (no_update, no_update)

    app.clientside_callback(
        ClientsideFunction("studio", "bringUp"),
        Input(ids.BROUGHT, "data"),
    )


def standing_run(
    studio: Studio, data_id: str, method: str, parameters: Mapping[str, Any]
) -> RunRecord | None:
    """The visitor's newest run of the same data and parameters that came to its end, or may yet."""
    alike = [
        run
        for run in fits(studio)
        if (run.data_id, run.method) == (data_id, method)
        and run.parameters == parameters
        and not run.state.is_cut_short
    ]
    return alike[-1] if alike else None


def _first_the_data(
    studio: Studio,
    wanted: Mapping[str, Any],
    recipe: Recipe,
    data: Mapping[str, Any] | None,
    *,
    is_new: bool,
) -> tuple[Any, ...]:
    """Chooses the data where that can be done; else asks for the file, and waits."""
    source = dict(recipe.source)
    if is_new and not _is_stored(studio, source):
        return no_update, no_update, no_update, NEEDS_FILE.format(name=source["name"])
    if not is_new and data is not None and data["source"]["key"] != source["key"]:
        is_waiting = data["source"]["kind"] == "upload" and not wanted.get("asked")
        words = OTHER_FILE.format(name=source["name"]) if is_waiting else no_update
        return no_update, no_update, no_update, words
    if not is_new and wanted.get("asked"):
        raise ReadingError(_NOT_PREPARED)
    # The script makes the choice: in a chain of callbacks none comes to its turn twice.
    return {"choice": source}, {**wanted, "asked": True}, no_update, None


def _is_stored(studio: Studio, source: Mapping[str, Any]) -> bool:
    is_sample = source["kind"] == "sample"
    return is_sample or studio.store.get_upload(owner(), source["key"]) is not None


def _is_of(data: Mapping[str, Any], recipe: Recipe) -> bool:
    """Whether the data on the page are those of the recipe, prepared in its way."""
    shown, wanted = source_of(data), recipe.source
    parts = ("kind", "key", "standardise", *(["name"] if "name" in wanted else []))
    is_same = all(shown.get(part) == wanted[part] for part in parts)
    has_same_roles = (shown.get("roles") or {}) == wanted.get("roles", {})
    return is_same and has_same_roles and wanted["label"] in (None, shown["label"])


def _brought(
    studio: Studio, recipe: Recipe, data: Mapping[str, Any]
) -> tuple[dict[str, Any], bool]:
    """What the page's script needs to show the view, and whether a run had to be started."""
    runs = [_asked_run(studio, data, recipe.method, recipe.parameters)]
    if recipe.morph is not None:
        runs.append(_asked_run(studio, data, recipe.morph.method, recipe.morph.parameters))
    look = recipe.to_json()["look"]
    is_turned = look["from"] != [0.0, 0.0]
    brought = {
        "run": runs[0][0].run_id,
        "plane": recipe.plane,
        "look": {
            "gamma": look["gamma"],
            "kept": look["kept"],
            "moves": [[feature, *place] for feature, place in look["moves"]],
            "from": look["from"] if is_turned else None,
            "morph": None if recipe.morph is None else [runs[1][0].run_id, recipe.morph.share],
        },
        "mode": recipe.mode,
        "hidden": list(recipe.hidden),
        "divergence": recipe.divergence,
        "caution": "" if recipe.data_id in ("", data["id"]) else OTHER_PREPARATION,
    }
    return brought, any(is_new for _, is_new in runs)


def _asked_run(
    studio: Studio, data: Mapping[str, Any], method: str, parameters: Mapping[str, Any]
) -> tuple[RunRecord, bool]:
    """The visitor's own run if there is one, else a new one."""
    standing = standing_run(studio, data["id"], method, parameters)
    if standing is not None:
        return standing, False
    source = source_of(data)
    if is_full(studio, table_of(data["id"], source)):
        raise ReadingError(PANELS_FULL)
    raw = studio.store.get_data(owner(), data["id"])
    if raw is None:
        raise ReadingError(NEEDS_FILE.format(name=data["name"]))
    _check(method, LabelledData.from_bytes(raw), parameters)
    run = new_run(owner(), data["id"], data["name"], method, parameters, source=source)
    studio.store.create(run)
    return run, True


def _check(method: str, data: LabelledData, parameters: Mapping[str, Any]) -> None:
    check_data(method, data, parameters)
    expected = len(parameters["init"][0][0]) if "init" in parameters else data.X.shape[1]
    if expected != data.X.shape[1]:
        raise ReadingError(_NO_PLANE_OF.format(expected=expected, found=data.X.shape[1]))

"""The runs of the page: listed, begun one or many, stopped, continued, renamed, removed."""

from __future__ import annotations

from typing import Any

import flask
import msgspec
from flask import Blueprint
from msgspec.structs import replace

from callbacks.addresses import Body
from callbacks.guards.error_answers import sentence
from callbacks.identity import NotGrantedError
from callbacks.routes.requested_view import (
    requested,
    requested_body,
    requested_event,
    viewed_event,
)
from callbacks.services import services
from callbacks.session import own_fit, own_run, workspace
from melm_core.base import UserError
from melm_core.methods import AUTO, BATCH_WEIGHT, CURVED, METHODS, SHARED, STRAIGHT
from melm_core.recipe import MOST_CURVED
from melm_studio.configuration.limits import LimitReachedError
from melm_studio.configuration.messages import HAS_ENDED, NOT_CUT_SHORT, PAUSES_LATER
from melm_studio.layout.panel import described_panel
from melm_studio.planes.captions import title
from melm_studio.planes.view_options import ViewOptions
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import (
    FIT,
    PlaneEvent,
    RunRecord,
    RunRequest,
    RunState,
    can_choose_gamma,
)
from melm_studio.runs.store.attempts import reopen
from melm_studio.workspace.data_source import FILE_GONE, ShownData
from melm_studio.workspace.run_form import NewBatch, NewRun

_ALL_HERE = "All of these runs are on the page already."
_NO_WIDTH = "{method} has no kernel width to choose. Run a method that has one, such as MELM."
_NO_CURVES = (
    "The features of this run cannot bend, or do so already. Run a linear method that uses the "
    f"labels, on 2 to {MOST_CURVED} features, with straight ones."
)
_NONLINEAR = "This projection is nonlinear, so it cannot be refined. Refine a linear one."
_REFINING = next(method for method in METHODS.values() if method.accepts_init)


_REQUESTS = {
    "pause": RunRequest.paused,
    "step": RunRequest.stepped,
    "resume": RunRequest.resumed,
}
RUN_GONE = "The run of this address is gone, or belongs to another browser."

routes = Blueprint("runs", __name__)


@routes.post("/panels", body=Body.JSON)
def panels() -> dict[str, Any]:
    """List the panels of the data in the body."""
    return listed(ShownData.from_json(flask.request.get_json(silent=True)))


@routes.get("/runs/<run_id>/source")
def source(run_id: str) -> dict[str, Any]:
    """Return the choice of data with which the page shows a run.

    Raises
    ------
    NotGrantedError
        If the visitor has no such run.
    UserError
        If its file is no longer stored.
    """
    record = workspace().run(run_id)
    if record is None:
        raise NotGrantedError(RUN_GONE, 404)
    source = record.source
    if not workspace().has_file(source):
        raise UserError(FILE_GONE.format(name=source.name))
    choice: dict[str, Any] = msgspec.to_builtins(source)
    return choice


def listed(shown: ShownData) -> dict[str, Any]:
    """Return the panels of the runs of some data, and the revision that they are of."""
    space = workspace()
    revision = space.revision()  # first: a run that comes between is asked for again
    return {
        "revision": revision,
        "panels": [described_panel(run) for run in space.shown_fits(shown)],
    }


@routes.post("/runs", body=Body.JSON)
def start_run() -> tuple[dict[str, Any], int]:
    """Queue a run and list it with the others.

    A run that is on the page already is offered instead, unless the user wants it again.
    """
    space, asked = workspace(), requested_body(NewRun, "The run")
    fit, is_new = asked.fit(space)
    if not is_new:
        return {"same": {"run": fit.run_id, "title": title(fit)}}, 200
    space.queue(fit)
    # The panels come with this answer, so that the first plane waits for no further one.
    return {"runs": [fit.run_id], **listed(asked.shown)}, 201


@routes.post("/runs/batch", body=Body.JSON, is_heavy=True)
def start_batch() -> tuple[dict[str, Any], int]:
    """Check all runs of the batch, then queue those that are not on the page already."""
    space, asked = workspace(), requested_body(NewBatch, "The batch")
    fits = asked.fits(space)
    if not fits:
        return {"notice": _ALL_HERE, **listed(asked.shown)}, 200
    try:
        space.queue(*fits)
    except LimitReachedError as error:  # the runs before the limit stay queued
        return sentence(str(error)) | listed(asked.shown), 201
    return {"runs": [fit.run_id for fit in fits], **listed(asked.shown)}, 201


@routes.post("/runs/<run_id>/<any(stop, pause, step, resume):command>")
def command_run(run_id: str, command: str) -> tuple[dict[str, Any], int]:
    """Pass a command to a run that has not ended."""
    record, store = own_fit(run_id), services().store
    if record.state.is_final:
        return sentence(HAS_ENDED), 409
    if command == "stop":
        store.cancel(record.run_id)
    else:
        store.update_request(record.run_id, _REQUESTS[command])
    is_later = command != "stop" and record.state is RunState.QUEUED
    return {"words": PAUSES_LATER if is_later else ""}, 200


@routes.post("/runs/<run_id>/remove")
def remove(run_id: str) -> tuple[dict[str, Any], int]:
    """Remove a run and its checks, which stop."""
    workspace().remove(_fit_of_any_version(run_id))
    return {"revision": workspace().revision()}, 200


@routes.post("/runs/<run_id>/undo-removal")
def undo_removal(run_id: str) -> tuple[dict[str, Any], int]:
    """Undo the removal of a run."""
    workspace().put_back(_fit_of_any_version(run_id))
    return {"revision": workspace().revision()}, 200


def _fit_of_any_version(run_id: str) -> RunRecord:
    record = workspace().run_of_any_version(run_id)
    if record is None or record.kind != FIT:
        flask.abort(404)
    return record


@routes.post("/runs/<run_id>/continue")
def go_on(run_id: str) -> tuple[dict[str, Any], int]:
    """Queue a run that was cut short again, in its place and with all its starts."""
    if not reopen(services().store, own_fit(run_id).run_id):
        return sentence(NOT_CUT_SHORT), 409
    return {}, 200


@routes.post("/runs/<run_id>/rename", body=Body.SETTINGS)
def rename(run_id: str) -> tuple[dict[str, Any], int]:
    """Give a run the title in the body; an empty one gives it back that of its settings."""
    workspace().rename(own_fit(run_id), flask.request.get_data(as_text=True))
    return {"revision": workspace().revision()}, 200


@routes.post("/runs/<run_id>/choose-gamma")
def choose_gamma(run_id: str) -> tuple[dict[str, Any], int]:
    """Queue a run of the same method that chooses the kernel width by inner folds."""
    record = own_fit(run_id)
    if not can_choose_gamma(record):
        return sentence(_NO_WIDTH.format(method=METHODS[record.method].label)), 400
    return _run_again(record, gamma=AUTO)


@routes.post("/runs/<run_id>/one-component")
def one_component(run_id: str) -> tuple[dict[str, Any], int]:
    """Queue a run of the same method that finds one component."""
    return _run_again(own_fit(run_id), n_components=1)


@routes.post("/runs/<run_id>/curved")
def curved(run_id: str) -> tuple[dict[str, Any], int]:
    """Queue a run of the same method whose features bend where inner folds gain by it."""
    record = own_fit(run_id)
    if not record.can_bend:
        return sentence(_NO_CURVES), 400
    return _run_again(record, curves=AUTO)


def _run_again(record: RunRecord, **changes: Any) -> tuple[dict[str, Any], int]:
    """Queue a run of the same method on the same table with other parameters."""
    space = workspace()
    parameters = replace(record.parameters, init=None, **changes)
    space.queue(space.rerun(record, record.method, parameters))
    return {"revision": space.revision()}, 201


@routes.post("/runs/<run_id>/planes/<int:sequence>/refine")
def refine(run_id: str, sequence: int) -> tuple[dict[str, Any], int]:
    """Queue a run that starts from the plane on screen, with the γ on screen."""
    record = own_run(run_id)
    shown = requested(record, requested_event(run_id, sequence))
    event = viewed_event(shown)
    if not METHODS[record.method].is_linear:
        return sentence(_NONLINEAR), 400
    parameters = refining_parameters(record, event, shown.options)
    space = workspace()
    space.queue(space.rerun(record, _REFINING.key, parameters))
    return {"revision": space.revision()}, 201


def refining_parameters(
    record: RunRecord, event: PlaneEvent, options: ViewOptions
) -> RunParameters:
    """Return parameters for one start from the plane of an event, on the same training rows."""
    settings = {
        each.name: record.parameters.own.get(each.name, each.default)
        for each in _REFINING.parameters
        if each.name not in SHARED
    }
    weight = {} if options.batch_weight is None else {BATCH_WEIGHT.name: options.batch_weight}
    return replace(
        RunParameters.of(settings | weight),
        n_components=record.parameters.n_components,
        held_out=record.parameters.held_out,
        random_state=record.parameters.random_state,
        curves=CURVED if record.is_curved else STRAIGHT,
        gamma=record.gamma if options.gamma is None else options.gamma,
        n_init=1,
        init=(tuple(map(tuple, event.components.tolist())),),
    )

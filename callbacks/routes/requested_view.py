"""Parts that a request brings or names: a file, a run, its plane and view options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import flask
from msgspec.structs import replace

from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_studio.planes.theme import Scheme
from melm_studio.planes.view_options import Shown, ViewOptions
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.validation import MAX_TEXT, InputError, read, shown
from melm_studio.workspace.view_query import option_values

_NO_FILE = "No file arrived. Choose a CSV file and try again."
_LONG_NAME = (
    "The name of the file has {n:,} characters, and at most {most:,} are taken; it begins {name}. "
    "Rename the file and send it again."
)

T = TypeVar("T")


def requested_body(model: type[T], name: str) -> T:
    """Return the JSON body of the request as a model, called `name` where it breaks a rule.

    Raises
    ------
    InputError
        Names the value and the rule.
    """
    return read(flask.request.get_json(silent=True), model, name)


def stored_upload() -> tuple[str, str]:
    """Store the file of the request; return the hash of its content, and its name.

    Raises
    ------
    InputError
        If there is no file, or its name is too long.
    RequestEntityTooLarge
    """
    file = flask.request.files.get("file")
    if file is None:
        raise InputError(_NO_FILE)
    name = file.filename or "table"
    if len(name) > MAX_TEXT:
        raise InputError(_LONG_NAME.format(n=len(name), most=MAX_TEXT, name=shown(name)))
    return workspace().put_upload(file.read()), name


def requested_scheme() -> Scheme:
    """Return the color scheme of the page that asks."""
    return flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)


def requested_plane(run_id: str) -> PlaneEvent:
    """Return the plane that the query names, the newest by default; answer 404 if there is none."""
    return requested_event(run_id, flask.request.args.get("plane", type=int))


def requested_options() -> ViewOptions:
    """Return the view options in the query, see `option_values`.

    Answers 404 for a run that is unknown or belongs to another visitor.

    Raises
    ------
    InputError
        If an option breaks a rule.
    """
    return options_in(flask.request.args)


def options_in(fields: Mapping[str, str]) -> ViewOptions:
    """Return the view options in the fields of a query, as `requested_options` does."""
    options = read(option_values(fields), ViewOptions, "The view options")
    if options.morph is not None:
        own_run(options.morph.run_id)
    if options.toward is not None:
        own_run(options.toward)
    return options


def requested_event(run_id: str, sequence: int | None) -> PlaneEvent:
    """Return a plane by its number, the newest for None; answer 404 if there is none."""
    store = services().store
    event = store.last_event(run_id) if sequence is None else store.event(run_id, sequence)
    if event is None:
        flask.abort(404)
    return event


def requested(record: RunRecord, event: PlaneEvent) -> Shown:
    """Return a plane of a run under the view options in the query."""
    return Shown.of(record, event, requested_options())


def viewed_event(shown: Shown) -> PlaneEvent:
    """Return the event of a plane with the components that are shown."""
    return replace(shown.event, components=services().planes.components(shown))

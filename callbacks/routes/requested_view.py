"""The run, plane, and view options that a request names."""

from __future__ import annotations

from collections.abc import Mapping

import flask
from msgspec.structs import replace

from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_studio.analyses.check import run_verdict
from melm_studio.planes.view_options import ViewOptions
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.scores import Verdict
from melm_studio.validation import read
from melm_studio.workspace.view_query import option_values
from melm_studio.workspace.workspace import readable


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


def morph_target(options: ViewOptions) -> RunRecord | None:
    """Return the visitor's run to which the options morph, or None."""
    return own_run(options.morph.run_id) if options.morph else None


def requested_event(run_id: str, sequence: int | None) -> PlaneEvent:
    """Return a plane by its number, the newest for None; answer 404 if there is none."""
    store = services().store
    event = store.last_event(run_id) if sequence is None else store.event(run_id, sequence)
    if event is None:
        flask.abort(404)
    return event


def viewed_event(record: RunRecord, event: PlaneEvent) -> PlaneEvent:
    """Return the event with the components under the view options in the query."""
    components = services().renderer.components(record, event, requested_options())
    return replace(event, components=components)


def shown_verdict(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> Verdict:
    """Return the verdict on a run where its own plane is shown, as above its picture.

    Of any other plane, what its shares say.
    """
    app = services()
    # A run is judged by densities of its own width, whatever the width of those that are drawn.
    if not (record.state.is_final and event.is_final) or options.changes_plane:
        view = app.renderer.view(record, event, options)
        return view.scores.verdict(len(view.classes))
    fits, checks = workspace().fits_and_checks()
    check = checks.get(record.run_id)
    return run_verdict(app.renderer, app.store, record, event, fits=readable(fits), check=check)

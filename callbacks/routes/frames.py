"""Data that the page draws: states, progress, and views of planes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from threading import BoundedSemaphore
from time import perf_counter, sleep
from typing import Any

import flask
import msgspec
from dash import Dash

from callbacks.routes.requested_view import morph_target, requested_event, requested_options
from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_core.methods import COMPONENTS, METHODS
from melm_studio.analyses.check import CHECK, run_verdict, with_stability
from melm_studio.configuration.messages import DATA_GONE
from melm_studio.layout.elements import markup
from melm_studio.layout.feature_list import feature_list, image_groups, trade_off_chart
from melm_studio.layout.panel import divergence_terms
from melm_studio.planes.batches import batch_news, trade_off_points
from melm_studio.planes.captions import (
    SHAPES,
    STOPPING,
    axis_titles,
    changes_of,
    kept_sentence,
    objective_in_words,
    sample_caption,
    state_sentence,
)
from melm_studio.planes.encoding import compact
from melm_studio.planes.features import feature_ranking
from melm_studio.planes.figure import (
    arrow_handles,
    curve_figure,
    empty_figure,
    limits,
    plane_frame,
    row_numbers,
)
from melm_studio.planes.pixel_images import pixel_images, pixel_news
from melm_studio.planes.renderer import DataGoneError, widths
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import ViewOptions
from melm_studio.runs.records.run import (
    AT_WORK,
    PlaneEvent,
    RunRecord,
    RunState,
    UnreadableRun,
    can_choose_gamma,
    gamma_advice,
)
from melm_studio.scores import (
    blur_sentence,
    gamma_sentence,
    moves_sentence,
    regions_sentence,
    second_component_sentence,
    terms_in_words,
)
from melm_studio.validation import InputError
from melm_studio.workspace.workspace import MAX_PANELS, readable, revision_of

_EXTENSION = "melm-studio-held-frames"
# An answer without the first plane that the page waits for is held so long at most, within which
# most small tables have one: to ask for it many times takes more of the page than to draw it.
LONGEST_HOLD_S = 0.3
_LOOK_EVERY_S = 0.01
# Runs that look alike share a cached figure without data.
MAX_STYLES = 32
# The page shows fewer: those of one table.
MOST_RUNS = 4 * MAX_PANELS
_TOO_MANY_RUNS = (
    f"News of at most {MOST_RUNS} runs can be asked at once. Ask for the others after them."
)


def register(app: Dash) -> None:
    """Connect the routes."""
    # Half of the threads, so that others find some.
    app.server.extensions[_EXTENSION] = BoundedSemaphore(max(1, services().settings.threads // 2))
    app.server.get("/frames", is_prompt=True)(frames)
    app.server.get("/runs/<run_id>/figure")(figure)
    app.server.get("/runs/<run_id>/planes/<int:sequence>")(plane)
    app.server.get("/runs/<run_id>/gamma-advice")(gamma_advice_of)
    app.server.get("/runs/<run_id>/planes/<int:sequence>/trade-off")(trade_off)
    app.server.get("/runs/<run_id>/planes/<int:sequence>/features", is_heavy=True)(features)
    app.server.get("/runs/<run_id>/planes/<int:sequence>/terms")(terms)


def frames() -> flask.Response:
    """Return the state of every run, and the progress of those that the page shows.

    ``run=ID:SEQUENCE``, repeatable, names a run and the last plane that the page has of it; views
    are aligned to the run that ``toward`` names. With ``first``, the answer is held for a moment
    until one of the runs has its first plane.
    """
    began = perf_counter()
    pairs = (pair.partition(":") for pair in flask.request.args.getlist("run"))
    requested = {run_id: after for run_id, _, after in pairs}  # each once, however often named
    if len(requested) > MOST_RUNS:
        raise InputError(_TOO_MANY_RUNS)
    if "first" in flask.request.args:
        _hold_until_news([run_id for run_id, after in requested.items() if _sequence(after) < 0])
    own_fits, checks = workspace().fits_and_checks()
    fits = {record.run_id: record for record in own_fits}
    readable_fits = readable(own_fits)
    toward = flask.request.args.get("toward")
    options = ViewOptions(toward=toward if toward in fits else None)
    runs = {
        run_id: _news(fits[run_id], _sequence(after), options, readable_fits, checks.get(run_id))
        for run_id, after in requested.items()
        if run_id in fits
    }
    body = {
        "revision": revision_of(own_fits),
        "states": {run_id: record.state for run_id, record in fits.items()},
        "runs": runs,
        # In ms, by which the page knows how long the answer was on its way.
        "took": round(1000 * (perf_counter() - began), 1),
    }
    return flask.Response(msgspec.json.encode(body), mimetype="application/json")


def _hold_until_news(run_ids: Sequence[str]) -> None:
    """Return once one of the visitor's runs has a plane or has ended, or after a moment."""
    held: BoundedSemaphore = flask.current_app.extensions[_EXTENSION]
    ends = perf_counter() + LONGEST_HOLD_S
    if not held.acquire(blocking=False):
        return
    try:
        while run_ids and not any(map(_has_news, run_ids)) and perf_counter() < ends:
            sleep(_LOOK_EVERY_S)
    finally:
        held.release()


def _has_news(run_id: str) -> bool:
    record = workspace().run_of_any_version(run_id)
    if record is None or record.state.is_final:
        return True
    # What is found in one step ends with it: to say both at once spares the page half of the work.
    return METHODS[record.method].streams and services().store.history_size(run_id).n_events > 0


def figure(run_id: str) -> flask.Response:
    """Return the figures of a run without data, and the rows behind its points."""
    scheme = flask.request.args.get("scheme", Scheme.LIGHT, type=Scheme)
    if isinstance(workspace().run_of_any_version(run_id), UnreadableRun):
        return _blank_figure(scheme)
    record = own_run(run_id)
    viewer = services().renderer.viewer(record)
    objective = objective_in_words(record)
    style = _style(viewer.class_names, viewer.n_drawn, scheme, viewer.n_components, objective)
    body = {
        **style,
        "rows": row_numbers(viewer.drawn_rows),
        "classes": viewer.class_names,
        "surface": THEMES[scheme].surface,
        "unlabeled": viewer.n_unlabeled,
        # Of more rows, the traces draw a sample, and the page asks for the others once they rest.
        "is_sample": viewer.n_drawn < viewer.n_rows,
    }
    return flask.Response(json.dumps(body), mimetype="application/json")


def _blank_figure(scheme: Scheme) -> flask.Response:
    """Return the figures of a run of which no plane can be drawn."""
    style = _style((), 0, scheme, COMPONENTS.default, "divergence")
    rows = {"rows": row_numbers(([], [])), "unlabeled": 0, "is_sample": False}
    body = {**style, **rows, "classes": (), "surface": THEMES[scheme].surface}
    return flask.Response(json.dumps(body), mimetype="application/json")


def plane(run_id: str, sequence: int) -> dict[str, Any]:
    """Return the view of one plane."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    return _view(record, event, requested_options())


def gamma_advice_of(run_id: str) -> dict[str, Any]:
    """Return the held-out accuracy of inner folds by kernel width, and their advice."""
    record = own_run(run_id)
    advice = gamma_advice(record, workspace().fits())
    return {
        "advice": msgspec.to_builtins(advice),
        "advice_words": gamma_sentence(advice) if advice else "",
        "can_choose": can_choose_gamma(record),
    }


def trade_off(run_id: str, sequence: int) -> dict[str, Any]:
    """Accuracies of the classes and of the batches within them, by the weight of the batches.

    ``markup`` is their chart, for the page; it is empty without batches.
    """
    record, event = own_run(run_id), requested_event(run_id, sequence)
    renderer = services().renderer
    points = trade_off_points(renderer, record, event, requested_options())
    chance = 1.0 / len(renderer.viewer(record).class_names)
    chart = markup(trade_off_chart(points, chance)) if points else ""
    return {"points": [asdict(point) for point in points], "chance": chance, "markup": chart}


def terms(run_id: str, sequence: int) -> dict[str, Any]:
    """Return the terms of the divergence of one plane; ``markup`` is their table."""
    record, event = own_run(run_id), requested_event(run_id, sequence)
    renderer, options = services().renderer, requested_options()
    pair, parts = renderer.divergence_terms(record, event, options)
    divergence = renderer.divergence(record, event, options)
    n_classes = len(renderer.viewer(record).class_names)
    words = terms_in_words(parts, pair, divergence, n_classes)
    return {**msgspec.to_builtins(words), "markup": markup(divergence_terms(words))}


def features(run_id: str, sequence: int) -> dict[str, Any]:
    """Rank the features of one plane, the strongest first, with stability once it is known.

    ``markup`` is their list. A ``quick`` one is by the lengths of the arrows, and only that.
    """
    record, event = own_run(run_id), requested_event(run_id, sequence)
    options, is_quick = requested_options(), "quick" in flask.request.args
    renderer, store = services().renderer, services().store
    view, viewer = renderer.view(record, event, options), renderer.viewer(record)
    importance = None if is_quick else renderer.importance(record, event, options)
    shapes = viewer.shapes(renderer.components(record, event, options))
    names = viewer.feature_names
    ranking = feature_ranking(names, view.loadings, importance, view.lengths, shapes)
    if is_quick:
        return ranking | {"markup": markup(feature_list(ranking))}
    check = workspace().checks().get(run_id)
    stability = None if check is None else CHECK.stored(store, check.run_id).stability
    second = None if options.changes_plane else renderer.second_component(record, event)
    images = pixel_images(renderer, record, event, options)
    pixels = None
    if images is not None:
        shown = markup(image_groups(images))
        pixels = {"markup": shown, **pixel_news(images, names, view.loadings)}
    ranking = with_stability(ranking, stability)
    return ranking | {
        "markup": markup(feature_list(ranking)),
        "second": "" if second is None else second_component_sentence(second),
        "images": pixels,
    }


@lru_cache(maxsize=MAX_STYLES)
def _style(
    class_names: tuple[str, ...], n_drawn: int, scheme: Scheme, n_components: int, objective: str
) -> dict[str, Any]:
    """Return the figures of a plane and of its history, without data."""
    plane = empty_figure(class_names, n_drawn, scheme, n_components=n_components)
    curve = curve_figure(scheme, objective)
    return {"plane": plane.to_plotly_json(), "curve": curve.to_plotly_json()}


def _news(
    record: RunRecord,
    after: int,
    options: ViewOptions,
    fits: Iterable[RunRecord],
    check: RunRecord | None,
) -> dict[str, Any]:
    """State and objectives since the plane `after`, the newest plane if it is newer, a verdict."""
    store = services().store
    is_readable = not isinstance(record, UnreadableRun)
    events = store.events(record.run_id, after + 1) if is_readable else []
    newest = events[-1] if events else store.last_event(record.run_id) if is_readable else None
    try:
        plane, words = _newest_view(record, events, options), _words(record, newest)
        held_out = services().renderer.held_out_curve(record, events)
    except DataGoneError:  # other runs still have theirs
        plane, words = None, DATA_GONE.format(days=services().settings.days_kept)
        held_out = []
    return {
        "state": record.state,
        "gamma": record.gamma,
        "density_gamma": record.density_gamma,
        "gamma_path": msgspec.to_builtins(record.outcome.gamma_path),
        "is_final": record.state.is_final,
        "words": words,
        "fraction": 1.0 if record.state.is_final else newest.fraction if newest else 0.0,
        "sequences": [event.sequence for event in events],
        "objective": [event.objective for event in events],
        "best": [event.best_objective for event in events],
        "starts": [event.start for event in events],
        # Values over different rows do not compare; 0 for all of them.
        "n_sampled": [event.n_sampled for event in events],
        # Of the best planes, by sequence.
        "held_out": held_out,
        "plane": plane,
        "refitted": _refitted(record, newest) if is_readable and newest else None,
        "best_strip": _best_strip(record, events, plane),
        "verdict": _verdict(record, newest, fits, check),
    }


def _refitted(record: RunRecord, newest: PlaneEvent) -> dict[str, Any] | None:
    """Return held-out divergence along the planes of a run whose refits are done."""
    refits = services().renderer.refits(record)
    if refits is None:
        return None
    curve = refits.curve
    if curve is None:
        return {"curve": None}
    x = [share * newest.sequence for share in curve.fraction]
    return {"curve": {"x": x, "mean": curve.mean, "lower": curve.lower, "upper": curve.upper}}


def _best_strip(
    record: RunRecord, events: Sequence[PlaneEvent], plane: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Return the strip of the best plane among new events; None if none of them is the best."""
    best = next((each for each in reversed(events) if each.objective >= each.best_objective), None)
    if best is None or plane is None:
        return None
    if best is events[-1]:
        strip: dict[str, Any] = plane["strip"]
        return strip
    renderer = services().renderer
    verdict = renderer.scores(record, best).verdict(len(renderer.viewer(record).class_names))
    answer: dict[str, Any] = msgspec.to_builtins(verdict.strip)
    return answer


def _verdict(
    record: RunRecord,
    newest: PlaneEvent | None,
    fits: Iterable[RunRecord],
    check: RunRecord | None,
) -> dict[str, Any] | None:
    """Return the strip of a run that has ended with a plane."""
    renderer, store = services().renderer, services().store
    if newest is None or not record.state.is_final:
        return None
    try:
        verdict = run_verdict(renderer, store, record, newest, fits=fits, check=check)
    except DataGoneError:
        return None
    answer: dict[str, Any] = msgspec.to_builtins(verdict.strip)
    return answer


def _words(record: RunRecord, newest: PlaneEvent | None) -> str:
    is_queued = record.state is RunState.QUEUED
    if record.state in AT_WORK and services().store.request(record.run_id).is_cancelled:
        return STOPPING
    return state_sentence(record, newest, workspace().n_ahead(record) if is_queued else 0)


def _newest_view(
    record: RunRecord, events: Sequence[PlaneEvent], options: ViewOptions
) -> dict[str, Any] | None:
    return _view(record, events[-1], options) if events else None


def _view(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> dict[str, Any]:
    """Return the arrays of a view, its scores, and what the page needs to move its arrows."""
    renderer, method = services().renderer, METHODS[record.method]
    view, viewer = renderer.view(record, event, options), renderer.viewer(record)
    divergence = renderer.divergence(record, event, options)
    answer = {
        "sequence": event.sequence,
        "traces": plane_frame(view, compact),
        "limits": limits(view),
        "axes": axis_titles(renderer, record, view, options),
        "changes": changes_of(options, morph_target(options)),
        "places": _places(record, event, options, view),
        "has_held_out": any(len(part.held_out) for part in view.classes),
        "arrows": arrow_handles(view, len(viewer.feature_names)),
        "top_features": _kept_sentence(record, event, options, divergence),
        "batches": batch_news(record, view.scores),
        "strip": msgspec.to_builtins(view.scores.verdict(len(view.classes)).strip),
        "numbers": {
            "divergence-training": divergence,
            "divergence-held-out": view.scores.divergence_held_out,
            "accuracy-training": view.scores.accuracy_train,
            "accuracy-held-out": view.scores.accuracy_held_out,
        },
        "sample": _sample_caption(record, event, options),
        "caption": f"{method.label} {SHAPES[viewer.n_components]} of {record.data_name}",
    }
    return answer if options.gamma is None else answer | {"gamma": options.gamma}


def _places(
    record: RunRecord, event: PlaneEvent, options: ViewOptions, view: PlaneView
) -> dict[str, str] | None:
    """Say where the rows of a view at rest are, and of which rows its regions are."""
    renderer = services().renderer
    if not event.is_final or options.changes_plane:
        return None
    names, held_out = renderer.viewer(record).class_names, renderer.held_out_rows(record, event)
    if held_out is not None:
        said = regions_sentence(view.missing, names, len(held_out.y))
        return {"state": "", "warning": "", "words": said}
    refits = renderer.refits(record)
    if refits is None:
        return None
    if renderer.unseen(record, event) is None:
        return {"state": "", "warning": "", "words": refits.no_places}
    words = (moves_sentence(view.moves), regions_sentence(view.missing, names))
    return {
        "state": options.places,
        "warning": blur_sentence(refits) if view.moves is not None else "",
        "words": "; ".join(filter(None, words)),
    }


def _sample_caption(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> str:
    """Say which rows of a registered table a view is of."""
    return _rows_caption(record, event, options) if record.is_of_sample else ""


def _rows_caption(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> str:
    renderer = services().renderer
    viewer = renderer.viewer(record).at(*widths(record, options))
    components = renderer.components(record, event, options)
    return sample_caption(viewer.n_rows, viewer.n_rows_of_table(components))


def _kept_sentence(
    record: RunRecord, event: PlaneEvent, options: ViewOptions, divergence: float
) -> str | None:
    """Say the share of the divergence that top features keep, if only these are shown."""
    if options.n_top_features is None:
        return None
    renderer = services().renderer
    # Of the rows that the changed plane has: all rows of a table are known in its own plane only.
    viewer = renderer.viewer(record).of_table(None).at(*widths(record, options))
    total = viewer.divergence(event.components)
    names = renderer.kept_features(record, event, options)
    is_weighed = renderer.importance(record, event) is not None
    return kept_sentence(names, divergence / total, is_chosen_held_out=is_weighed)


def _sequence(text: str) -> int:
    """Parse the sequence that a page names; -1, before the first, for anything else."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else -1

"""Data that the page draws: states, progress, and views of planes, also in words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from threading import BoundedSemaphore
from time import perf_counter, sleep
from typing import Any

import flask
import msgspec
import numpy as np
from flask import Blueprint
from flask.blueprints import BlueprintSetupState
from msgspec.structs import replace

from callbacks.routes.markup import at_once
from callbacks.routes.requested_view import (
    requested,
    requested_event,
    requested_plane,
    requested_scheme,
)
from callbacks.services import services
from callbacks.session import known_runs, own_fit, own_run, workspace
from melm_core.methods import COMPONENTS, METHODS
from melm_studio.analyses.check import CHECK, with_stability
from melm_studio.analyses.trade_off import trade_off_points, trade_off_shown, trade_off_words
from melm_studio.layout.elements import markup
from melm_studio.layout.lists import feature_list, image_groups
from melm_studio.layout.panel import divergence_terms
from melm_studio.planes.captions import (
    objective_in_words,
    picture_in_words,
)
from melm_studio.planes.features import feature_ranking
from melm_studio.planes.figure import (
    curve_figure,
    empty_figure,
    row_numbers,
)
from melm_studio.planes.pixel_images import pixel_images, pixel_news
from melm_studio.planes.plane_view import FROM_THE_FRONT
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.planes.view_options import ViewOptions
from melm_studio.runs.records.run import (
    UnreadableRun,
    can_choose_gamma,
    gamma_advice,
)
from melm_studio.scores import (
    gamma_sentence,
    second_component_sentence,
    terms_in_words,
)
from melm_studio.validation import InputError
from melm_studio.workspace.run_news import RunNews
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
_FROM_THE_SIDE = (np.pi / 2, 0.0)  # where the third coordinate is across
routes = Blueprint("frames", __name__)


@routes.record
def limit_holding(state: BlueprintSetupState) -> None:
    """Let half of the threads hold answers, so that others find some."""
    n_threads = max(1, services().settings.threads // 2)
    state.app.extensions[_EXTENSION] = BoundedSemaphore(n_threads)


@routes.get("/frames", is_prompt=True)
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
    news = RunNews(known_runs())
    runs = {
        run_id: news.news(
            fits[run_id], _sequence(after), options, readable_fits, checks.get(run_id)
        )
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


@routes.get("/runs/<run_id>/figure")
def figure(run_id: str) -> flask.Response:
    """Return the figures of a run without data, and the rows behind its points."""
    scheme = requested_scheme()
    if isinstance(workspace().run_of_any_version(run_id), UnreadableRun):
        return _blank_figure(scheme)
    record = own_run(run_id)
    viewer = services().planes.viewer(record)
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


@routes.get("/runs/<run_id>/planes/<int:sequence>")
def plane(run_id: str, sequence: int) -> dict[str, Any]:
    """Return the view of one plane."""
    shown = requested(own_run(run_id), requested_event(run_id, sequence))
    return RunNews(known_runs()).view(shown)


@routes.get("/runs/<run_id>/gamma-advice")
def gamma_advice_of(run_id: str) -> dict[str, Any]:
    """Return the held-out accuracy of inner folds by kernel width, and their advice."""
    record = own_run(run_id)
    advice = gamma_advice(record, workspace().fits())
    return {
        "advice": msgspec.to_builtins(advice),
        "advice_words": gamma_sentence(advice) if advice else "",
        "can_choose": can_choose_gamma(record),
    }


@routes.get("/runs/<run_id>/planes/<int:sequence>/trade-off")
def trade_off(run_id: str, sequence: int) -> dict[str, Any]:
    """Accuracies of the classes and of the batches within them, by the weight of the batches."""
    shown = requested(own_run(run_id), requested_event(run_id, sequence))
    renderer = services().renderer
    points = trade_off_points(renderer, shown)
    chance = 1.0 / len(renderer.planes.viewer(shown.record).class_names)
    blocks = trade_off_shown(points, chance, requested_scheme())
    answer = at_once(run_id, trade_off_words(points), blocks)
    return {"points": [asdict(point) for point in points], "chance": chance, **answer}


@routes.get("/runs/<run_id>/planes/<int:sequence>/terms")
def terms(run_id: str, sequence: int) -> dict[str, Any]:
    """Return the terms of the divergence of one plane; ``markup`` is their table."""
    shown = requested(own_run(run_id), requested_event(run_id, sequence))
    renderer = services().renderer
    viewer = renderer.planes.viewer_of(shown)
    (first, second), parts = viewer.divergence_terms(renderer.planes.components(shown))
    names = viewer.class_names
    words = terms_in_words(
        parts, (names[first], names[second]), renderer.divergence(shown), len(names)
    )
    return {**msgspec.to_builtins(words), "markup": markup(divergence_terms(words))}


@routes.get("/runs/<run_id>/planes/<int:sequence>/features", is_heavy=True)
def features(run_id: str, sequence: int) -> dict[str, Any]:
    """Rank the features of one plane, the strongest first, with stability once it is known.

    ``markup`` is their list. A ``quick`` one is by the lengths of the arrows, and only that.
    """
    shown = requested(own_run(run_id), requested_event(run_id, sequence))
    is_quick = "quick" in flask.request.args
    renderer, store = services().renderer, services().store
    view, viewer = renderer.view(shown), renderer.planes.viewer(shown.record)
    importance = None if is_quick else renderer.planes.importance(shown)
    shapes = viewer.shapes(renderer.planes.components(shown))
    names = viewer.feature_names
    ranking = feature_ranking(names, view.loadings, importance, view.lengths, shapes)
    if is_quick:
        return ranking | {"markup": markup(feature_list(ranking))}
    check = workspace().checks().get(run_id)
    stability = None if check is None else CHECK.stored(store, check.run_id).stability
    second = None if shown.changes_plane else renderer.second_component(shown)
    images = pixel_images(renderer, shown)
    pixels = None
    if images is not None:
        pixels = {
            "markup": markup(image_groups(images)),
            **pixel_news(images, names, view.loadings),
        }
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


def _sequence(text: str) -> int:
    """Parse the sequence that a page names; -1, before the first, for anything else."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else -1


@routes.get("/runs/<run_id>/description")
def description(run_id: str) -> dict[str, Any]:
    """Describe a plane in words; `plane` names it."""
    shown, renderer = requested(own_fit(run_id), requested_plane(run_id)), services().renderer
    viewer, view = renderer.planes.viewer(shown.record), renderer.view(shown)
    n_components, in_space = viewer.n_components, None
    if n_components > 2:
        front, side = (
            renderer.view(shown.under(replace(shown.options, view_angle=angle)))
            for angle in (FROM_THE_FRONT, _FROM_THE_SIDE)
        )
        in_space = front, side
    overlap = renderer.overlap(shown)
    return {"words": picture_in_words(view, viewer.class_names, overlap, n_components, in_space)}

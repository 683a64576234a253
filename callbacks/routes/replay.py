"""The replay of a run, as a file that opens without the studio."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import flask
import numpy as np
from dash import Dash
from rjsmin import jsmin

from callbacks.routes.export import attachment
from callbacks.routes.requested_view import shown_verdict
from callbacks.services import services
from callbacks.session import own_run, workspace
from melm_core.base import FloatArray
from melm_studio.abandonment import go_on
from melm_studio.analyses.resamples import RESAMPLES, resample_label, resamples_note
from melm_studio.analyses.tree import (
    TREE,
    Height,
    named_branches,
    tree_arrays,
    tree_notes,
)
from melm_studio.layout.scripts import ASSETS, bundle
from melm_studio.planes.captions import axis_names, axis_titles, objective_in_words, title
from melm_studio.planes.drawn_rows import every_point_by_class
from melm_studio.planes.encoding import stepped, whole
from melm_studio.planes.figure import limits
from melm_studio.planes.theme import Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import DEFAULT_VIEW, MorphTarget, ViewOptions
from melm_studio.publication.replay import (
    ReplayFrame,
    ReplayText,
    evenly,
    n_shown,
    replay_page,
)
from melm_studio.publication.replay_sections import (
    SECTION_STYLE,
    ResamplesSection,
    TreeSection,
    most_planes,
    resamples_html,
    tree_html,
)
from melm_studio.runs.records.run import PlaneEvent, RunRecord, recommended_gamma
from melm_studio.scores import plane_caption
from melm_studio.tables import number
from melm_studio.workspace.view_spec import MORE_LAYERS

MAX_FRAMES = 60
# Eight bytes a row in base 64.
MOST_ROWS = 1_000_000
_ENTRY = "studio/present/replay/page.mjs"
# As on the page; fewer where planes are large or have many rows.
_MOST_PER_RESAMPLE = 12
_MOST_ROWS = 20_000_000


def register(app: Dash) -> None:
    """Connect the download."""
    app.server.get("/runs/<run_id>/replay.html", is_heavy=True)(replay)


def replay(run_id: str) -> flask.Response:
    """Return the replay of a run, at evenly spaced planes, with its tree and resamples.

    `layers` names what else it shows, see `MoreLayer`.
    """
    record = own_run(run_id)
    asked = flask.request.args.get("scheme")
    scheme = Scheme(asked) if asked in list(Scheme) else None
    events = services().store.events(run_id)
    if not events:
        flask.abort(404)
    frames = [
        _frame(record, events[i], is_last=i == len(events) - 1)
        for i in evenly(len(events), MAX_FRAMES)
    ]
    viewer = services().renderer.viewer(record)
    last, n_drawn = frames[-1], n_shown(frames[-1].view)
    has_all = n_drawn < viewer.n_rows <= MOST_ROWS
    note = ""
    if n_drawn < viewer.n_rows:
        is_alone = len(frames) == 1
        note = _sample_in_words(viewer.n_rows, n_drawn, has_all=has_all, is_alone=is_alone)
    verdict = shown_verdict(record, events[-1], DEFAULT_VIEW)
    sections = replay_sections(record, events[-1])
    text = ReplayText(
        title=f"{title(record)}, {record.data_name}",
        lead=verdict.lead,
        follow=verdict.sentence.removeprefix(verdict.lead),
        note=note,
        axes=axis_names(record),
        objective=objective_in_words(record),
    )
    page = replay_page(
        frames,
        viewer.class_names,
        text,
        script=_script(),
        curve=_curve(record, events),
        n_components=viewer.n_components,
        layers={name for name in _requested_layers() if name in MORE_LAYERS},
        scheme=scheme,
        rows=every_row(record, events[-1], last.view) if has_all else None,
        sections=sections,
        section_style=SECTION_STYLE if sections else "",
    )
    return attachment(page, record, "replay.html", "text/html")


def _curve(record: RunRecord, events: Sequence[PlaneEvent]) -> dict[str, list[Any]]:
    """Return every event of the run, of which the frames show some."""
    return {
        "sequences": [event.sequence for event in events],
        "objective": [event.objective for event in events],
        "best": [event.best_objective for event in events],
        "starts": [event.start for event in events],
        "n_sampled": [event.n_sampled for event in events],
        "held_out": services().renderer.held_out_curve(record, events),
    }


def _sample_in_words(n_rows: int, n_drawn: int, *, has_all: bool, is_alone: bool) -> str:
    sample = f"a sample of {number(n_drawn)}"
    if not has_all:
        return f"Frames show {sample} of {number(n_rows)} rows; contours and scores take all."
    others = "." if is_alone else f", the others {sample}."
    return f"The last frame shows all {number(n_rows)} rows{others}"


def _requested_layers() -> list[str]:
    return flask.request.args.get("layers", "").split(",")


def _frame(record: RunRecord, event: PlaneEvent, *, is_last: bool) -> ReplayFrame:
    go_on()
    renderer = services().renderer
    view = renderer.view(record, event)
    axes = axis_titles(renderer, record, view)
    caption = plane_caption(
        renderer.divergence(record, event),
        view.scores.divergence_held_out,
        None if is_last else shown_verdict(record, event, DEFAULT_VIEW),
    )
    words = f"plane {event.sequence + 1}, {caption}"
    unseen = renderer.unseen_features(record, event) if is_last else frozenset()
    return ReplayFrame(view, words, event.sequence, axes, unseen)


def every_row(record: RunRecord, event: PlaneEvent, view: PlaneView) -> dict[str, Any]:
    """Return what the script of a replay draws in place of the sample in its last frame.

    Parameters
    ----------
    record : RunRecord
        Of at most MOST_ROWS rows.
    event : PlaneEvent
        The last plane.
    view : PlaneView
        Of that plane.
    """
    renderer = services().renderer
    viewer = renderer.viewer(record)
    axes, parts = renderer.drawn_parts(record, event, DEFAULT_VIEW)
    by_class = every_point_by_class(axes, parts, is_line=viewer.n_components == 1)
    return _packed(by_class) | {"limits": limits(view)}


@cache
def _script() -> str:
    """Join the modules that draw a replay into one script that opens it."""
    script = jsmin(bundle(ASSETS / _ENTRY, ASSETS).script)
    return f'{script}\nmodules["{_ENTRY}"].openReplay();'


def _packed(by_class: list[tuple[FloatArray, FloatArray]]) -> dict[str, Any]:
    counts = [len(points) for of_class in by_class for points in of_class]
    stretches = np.indices((len(by_class), 2)).reshape(2, -1)
    codes, is_held_out = (np.repeat(values, counts) for values in stretches)
    points = np.concatenate([points for of_class in by_class for points in of_class])
    x, y = (stepped(along, 3) for along in points.T)
    arrays = {"x": x, "y": y, "classes": whole(codes), "held_out": whole(is_held_out)}
    return {name: array.as_json() for name, array in arrays.items()}


def replay_sections(record: RunRecord, event: PlaneEvent) -> str:
    """Return the sections of a run with their data; empty where it has neither."""
    return "\n".join(filter(None, (_tree(record, event), _resamples(record, event))))


def _tree(record: RunRecord, event: PlaneEvent) -> str:
    current = workspace().about(record, TREE.name)
    if current is None or not (report := TREE.stored(services().store, current.run_id)).planes:
        return ""
    n_classes = len(services().renderer.viewer(record).class_names)
    arrays, height = tree_arrays(report, n_classes, Height.ACCURACY)
    branches = named_branches(report, n_classes)
    named = [place for branch in branches for place in branch.planes]
    places = list(dict.fromkeys([*named, *range(len(report.planes))]))

    def view(place: int) -> PlaneView:
        plane = report.planes[place]
        morph = MorphTarget(current.run_id, 1.0, plane.plane)
        return _view(record, event, ViewOptions(gamma=report.gammas[plane.width], morph=morph))

    viewed = places[: most_planes(view(places[0]))]
    section = TreeSection(
        words=TREE.sentence(report, is_final=current.state.is_final),
        notes=tree_notes(report),
        arrays=arrays,
        height=height,
        branches=branches,
        views={place: view(place) for place in viewed},
        recommended=recommended_gamma(record, workspace().fits()),
    )
    return tree_html(section, n_classes)


def _resamples(record: RunRecord, event: PlaneEvent) -> str:
    current = workspace().about(record, "resamples")
    if current is None:
        return ""
    report = RESAMPLES.stored(services().store, current.run_id)
    if len(report.planes) < 2:
        return ""

    def view(morph: MorphTarget) -> PlaneView:
        return _view(record, event, ViewOptions(morph=morph))

    first = view(MorphTarget(current.run_id, 1.0, report.planes[0]))
    n_rows = services().renderer.viewer(record).n_rows
    n_planes = min(most_planes(first), _MOST_ROWS // n_rows)
    per_resample = min(max(1, n_planes // len(report.planes)), _MOST_PER_RESAMPLE)
    section = ResamplesSection(
        words=RESAMPLES.sentence(report, is_final=current.state.is_final),
        note=resamples_note(report),
        loop=[view(morph) for morph in _loop(current.run_id, report.planes, per_resample)],
        per_resample=per_resample,
        labels=[resample_label(i, angle) for i, angle in enumerate(report.angles)],
        mean=view(MorphTarget(current.run_id, 1.0, report.mean)) if report.mean >= 0 else None,
    )
    return resamples_html(section)


def _loop(run_id: str, planes: tuple[int, ...], per_resample: int) -> Iterator[MorphTarget]:
    """From each resample to the next, and from the last to the first."""
    for plane, after in zip(planes, (*planes[1:], planes[0]), strict=True):
        for step in range(per_resample):
            yield MorphTarget(run_id, step / per_resample, after, plane)


def _view(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> PlaneView:
    go_on()
    return services().renderer.view(record, event, options)

"""The tree of planes of a run and its resampled plane, as sections of its replay."""

from __future__ import annotations

from collections.abc import Iterator

from callbacks.services import services
from callbacks.session import workspace
from melm_studio.analyses.drawn_tree import Height, tree_arrays
from melm_studio.analyses.resamples import RESAMPLES, resample_label, resamples_note
from melm_studio.analyses.tree_run import tree_of
from melm_studio.analyses.tree_words import (
    contrast_sentence,
    named_branches,
    tree_notes,
    tree_sentence,
)
from melm_studio.planes.gamma_advice import gamma_advice
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import MorphTarget, ViewOptions
from melm_studio.publication.replay_sections import (
    Painted,
    ResamplesSection,
    TreeSection,
    most_planes,
    resamples_html,
    script_of_sections,
    tree_html,
)
from melm_studio.runs.records.run import PlaneEvent, RunRecord

# As on the page; fewer where planes are large or have many rows.
_MOST_PER_RESAMPLE = 12
_MOST_ROWS = 20_000_000


def replay_sections(record: RunRecord, event: PlaneEvent, painted: Painted) -> str:
    """The sections of a run with all that they need; empty where it has neither."""
    found = (_tree(record, event, painted), _resamples(record, event, painted))
    sections = "\n".join(filter(None, found))
    return f"{sections}\n{script_of_sections()}" if sections else ""


def _tree(record: RunRecord, event: PlaneEvent, painted: Painted) -> str:
    current = workspace().about(record, "tree")
    if current is None or not (report := tree_of(services().store, current.run_id)).planes:
        return ""
    n_classes = len(painted.class_names)
    arrays, height = tree_arrays(report, n_classes, Height.ACCURACY)
    branches = named_branches(report, n_classes)
    named = [place for branch in branches for place in branch.planes]
    places = list(dict.fromkeys([*named, *range(len(report.planes))]))

    def view(place: int) -> PlaneView:
        plane = report.planes[place]
        morph = MorphTarget(current.run_id, 1.0, plane.plane)
        return _view(record, event, ViewOptions(gamma=report.gammas[plane.width], morph=morph))

    kept = places[: most_planes(view(places[0]))]
    advice = gamma_advice(record, workspace().fits())
    section = TreeSection(
        words=tree_sentence(report, is_final=current.state.is_final),
        notes=[note for note in (contrast_sentence(report), *tree_notes(report)) if note],
        arrays=arrays,
        height=height,
        branches=branches,
        views={place: view(place) for place in kept},
        recommended=advice.chosen if advice else None,
    )
    return tree_html(section, painted)


def _resamples(record: RunRecord, event: PlaneEvent, painted: Painted) -> str:
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
    return resamples_html(section, painted)


def _loop(run_id: str, planes: tuple[int, ...], per_resample: int) -> Iterator[MorphTarget]:
    """From each resample to the next, and from the last to the first."""
    for plane, after in zip(planes, (*planes[1:], planes[0]), strict=True):
        for step in range(per_resample):
            yield MorphTarget(run_id, step / per_resample, after, plane)


def _view(record: RunRecord, event: PlaneEvent, options: ViewOptions) -> PlaneView:
    return services().renderer.view(record, event, options)

"""The replay of a visitor's run, put together: evenly spaced planes, its tree and resamples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from melm_core.base import FloatArray
from melm_studio.abandonment import go_on
from melm_studio.analyses.resamples import RESAMPLES, resample_label, resamples_note
from melm_studio.analyses.tree import TREE, Height, named_branches, tree_arrays, tree_notes
from melm_studio.planes.captions import axis_names, axis_titles, objective_in_words, title
from melm_studio.planes.drawn_rows import every_point_by_class
from melm_studio.planes.encoding import stepped, whole
from melm_studio.planes.figure import limits
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.theme import Scheme
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import MorphTarget, Shown, ViewOptions
from melm_studio.publication.replay import ReplayFrame, ReplayText, evenly, n_shown, replay_page
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
from melm_studio.workspace.known_runs import KnownRuns
from melm_studio.workspace.view_spec import MORE_LAYERS

MAX_FRAMES = 60
# Eight bytes a row in base 64.
MOST_ROWS = 1_000_000
# As on the page; fewer where planes are large or have many rows.
_MOST_PER_RESAMPLE = 12
_MOST_ROWS = 20_000_000


@dataclass(frozen=True)
class RunReplay:
    """A run that becomes a file which opens without the studio.

    Attributes
    ----------
    known : KnownRuns
    record : RunRecord
    events : sequence of PlaneEvent
        All of its planes, at least one.
    """

    known: KnownRuns
    record: RunRecord
    events: Sequence[PlaneEvent]

    def page(self, script: str, layers: Collection[str], scheme: Scheme | None) -> str:
        """Return the file.

        Parameters
        ----------
        script : str
            Draws it.
        layers : collection of str
            What else it shows, see `MoreLayer`.
        scheme : Scheme or None
            None for that of its reader.
        """
        events, viewer = self.events, self._viewer
        frames = [
            self._frame(events[i], is_last=i == len(events) - 1)
            for i in evenly(len(events), MAX_FRAMES)
        ]
        last, n_drawn = frames[-1], n_shown(frames[-1].view)
        has_all = n_drawn < viewer.n_rows <= MOST_ROWS
        note = ""
        if n_drawn < viewer.n_rows:
            is_alone = len(frames) == 1
            note = _sample_in_words(viewer.n_rows, n_drawn, has_all=has_all, is_alone=is_alone)
        verdict = self.known.verdict(self._last)
        sections = "\n".join(filter(None, (self._tree(), self._resamples())))
        text = ReplayText(
            title=f"{title(self.record)}, {self.record.data_name}",
            lead=verdict.lead,
            follow=verdict.sentence.removeprefix(verdict.lead),
            note=note,
            axes=axis_names(self.record),
            objective=objective_in_words(self.record),
        )
        return replay_page(
            frames,
            viewer.class_names,
            text,
            script=script,
            curve=self._curve(),
            n_components=viewer.n_components,
            layers={name for name in layers if name in MORE_LAYERS},
            scheme=scheme,
            rows=self._every_row(last.view) if has_all else None,
            sections=sections,
            section_style=SECTION_STYLE if sections else "",
        )

    @property
    def _last(self) -> Shown:
        return Shown.of(self.record, self.events[-1])

    @property
    def _viewer(self) -> PlaneViewer:
        return self.known.renderer.viewer(self.record)

    def _curve(self) -> dict[str, list[Any]]:
        """Return every event of the run, of which the frames show some."""
        return {
            "sequences": [event.sequence for event in self.events],
            "objective": [event.objective for event in self.events],
            "best": [event.best_objective for event in self.events],
            "starts": [event.start for event in self.events],
            "n_sampled": [event.n_sampled for event in self.events],
            "held_out": self.known.renderer.held_out_curve(self.record, self.events),
        }

    def _frame(self, event: PlaneEvent, *, is_last: bool) -> ReplayFrame:
        go_on()
        renderer, shown = self.known.renderer, Shown.of(self.record, event)
        view = renderer.view(shown)
        axes = axis_titles(renderer, shown, view)
        caption = plane_caption(
            renderer.divergence(shown),
            view.scores.divergence_held_out,
            None if is_last else self.known.verdict(shown),
        )
        words = f"plane {event.sequence + 1}, {caption}"
        unseen = renderer.unseen_features(shown) if is_last else frozenset()
        return ReplayFrame(view, words, event.sequence, axes, unseen)

    def _every_row(self, view: PlaneView) -> dict[str, Any]:
        """Return what the script draws in place of the sample in its last frame, its view."""
        axes, parts = self.known.renderer.drawn_parts(self._last)
        by_class = every_point_by_class(axes, parts, is_line=self._viewer.n_components == 1)
        return _packed(by_class) | {"limits": limits(view)}

    def _tree(self) -> str:
        """Return the section of the tree with its data; empty where the run has none."""
        current = self.known.space.about(self.record, TREE.name)
        if current is None:
            return ""
        report = TREE.stored(self.known.space.store, current.run_id)
        if not report.planes:
            return ""
        n_classes = len(self._viewer.class_names)
        arrays, height = tree_arrays(report, n_classes, Height.ACCURACY)
        branches = named_branches(report, n_classes)
        named = [place for branch in branches for place in branch.planes]
        places = list(dict.fromkeys([*named, *range(len(report.planes))]))

        def view(place: int) -> PlaneView:
            plane = report.planes[place]
            morph = MorphTarget(current.run_id, 1.0, plane.plane)
            return self._view(ViewOptions(gamma=report.gammas[plane.width], morph=morph))

        viewed = places[: most_planes(view(places[0]))]
        section = TreeSection(
            words=TREE.sentence(report, is_final=current.state.is_final),
            notes=tree_notes(report),
            arrays=arrays,
            height=height,
            branches=branches,
            views={place: view(place) for place in viewed},
            recommended=recommended_gamma(self.record, self.known.space.fits()),
        )
        return tree_html(section, n_classes)

    def _resamples(self) -> str:
        """Return the section of the resamples with their data; empty where there are too few."""
        current = self.known.space.about(self.record, RESAMPLES.name)
        if current is None:
            return ""
        report = RESAMPLES.stored(self.known.space.store, current.run_id)
        if len(report.planes) < 2:
            return ""

        def view(morph: MorphTarget) -> PlaneView:
            return self._view(ViewOptions(morph=morph))

        first = view(MorphTarget(current.run_id, 1.0, report.planes[0]))
        n_planes = min(most_planes(first), _MOST_ROWS // self._viewer.n_rows)
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

    def _view(self, options: ViewOptions) -> PlaneView:
        go_on()
        return self.known.renderer.view(self._last.under(options))


def _loop(run_id: str, planes: tuple[int, ...], per_resample: int) -> Iterator[MorphTarget]:
    """From each resample to the next, and from the last to the first."""
    for plane, after in zip(planes, (*planes[1:], planes[0]), strict=True):
        for step in range(per_resample):
            yield MorphTarget(run_id, step / per_resample, after, plane)


def _sample_in_words(n_rows: int, n_drawn: int, *, has_all: bool, is_alone: bool) -> str:
    sample = f"a sample of {number(n_drawn)}"
    if not has_all:
        return f"Frames show {sample} of {number(n_rows)} rows; contours and scores take all."
    others = "." if is_alone else f", the others {sample}."
    return f"The last frame shows all {number(n_rows)} rows{others}"


def _packed(by_class: list[tuple[FloatArray, FloatArray]]) -> dict[str, Any]:
    counts = [len(points) for of_class in by_class for points in of_class]
    stretches = np.indices((len(by_class), 2)).reshape(2, -1)
    codes, is_held_out = (np.repeat(values, counts) for values in stretches)
    points = np.concatenate([points for of_class in by_class for points in of_class])
    x, y = (stepped(along, 3) for along in points.T)
    arrays = {"x": x, "y": y, "classes": whole(codes), "held_out": whole(is_held_out)}
    return {name: array.as_json() for name, array in arrays.items()}

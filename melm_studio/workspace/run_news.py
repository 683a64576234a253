"""News of runs for the page: their state, their new planes, and the views of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from melm_core.methods import BATCH_WEIGHT, METHODS
from melm_studio.analyses.check import run_verdict
from melm_studio.configuration.messages import DATA_GONE
from melm_studio.planes.captions import (
    SHAPES,
    STOPPING,
    axis_titles,
    changes_of,
    kept_sentence,
    sample_caption,
    state_sentence,
)
from melm_studio.planes.encoding import compact
from melm_studio.planes.figure import arrow_handles, limits, plane_frame
from melm_studio.planes.plane_scores import Scores
from melm_studio.planes.run_planes import DataGoneError
from melm_studio.planes.types import PlaneView
from melm_studio.planes.view_options import Shown, ViewOptions
from melm_studio.runs.records.run import AT_WORK, PlaneEvent, RunRecord, RunState, UnreadableRun
from melm_studio.scores import blur_sentence, moves_sentence, regions_sentence
from melm_studio.workspace.known_runs import KnownRuns


@dataclass(frozen=True)
class RunNews:
    """Answers the page about the runs of a visitor.

    Attributes
    ----------
    runs : KnownRuns
    """

    runs: KnownRuns

    def news(
        self,
        record: RunRecord,
        after: int,
        options: ViewOptions,
        fits: Iterable[RunRecord],
        check: RunRecord | None,
    ) -> dict[str, Any]:
        """Return a run's state, its objectives since a plane, a newer plane, and its verdict."""
        store = self.runs.space.store
        is_readable = not isinstance(record, UnreadableRun)
        events = store.events(record.run_id, after + 1) if is_readable else []
        newest = events[-1] if events else store.last_event(record.run_id) if is_readable else None
        try:
            plane = self.view(Shown.of(record, events[-1], options)) if events else None
            words = self._words(record, newest)
            held_out = self.runs.renderer.held_out_curve(record, events)
        except DataGoneError:  # other runs still have theirs
            plane, words = None, DATA_GONE.format(days=self.runs.space.settings.days_kept)
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
            "refitted": self._refitted(record, newest) if is_readable and newest else None,
            "best_strip": self._best_strip(record, events, plane),
            "verdict": self._verdict(record, newest, fits, check),
        }

    def _refitted(self, record: RunRecord, newest: PlaneEvent) -> dict[str, Any] | None:
        """Return held-out divergence along the planes of a run whose refits are done."""
        refits = self.runs.renderer.planes.refits(record)
        if refits is None:
            return None
        curve = refits.curve
        if curve is None:
            return {"curve": None}
        x = [share * newest.sequence for share in curve.fraction]
        return {"curve": {"x": x, "mean": curve.mean, "lower": curve.lower, "upper": curve.upper}}

    def _best_strip(
        self, record: RunRecord, events: Sequence[PlaneEvent], plane: dict[str, Any] | None
    ) -> dict[str, Any] | None:
        """Return the strip of the best plane among new events; None if none of them is the best."""
        best_ones = (each for each in reversed(events) if each.objective >= each.best_objective)
        best = next(best_ones, None)
        if best is None or plane is None:
            return None
        if best is events[-1]:
            strip: dict[str, Any] = plane["strip"]
            return strip
        renderer = self.runs.renderer
        n_classes = len(renderer.planes.viewer(record).class_names)
        verdict = renderer.scores(Shown.of(record, best)).verdict(n_classes)
        answer: dict[str, Any] = msgspec.to_builtins(verdict.strip)
        return answer

    def _verdict(
        self,
        record: RunRecord,
        newest: PlaneEvent | None,
        fits: Iterable[RunRecord],
        check: RunRecord | None,
    ) -> dict[str, Any] | None:
        """Return the strip of a run that has ended with a plane."""
        renderer, store = self.runs.renderer, self.runs.space.store
        if newest is None or not record.state.is_final:
            return None
        try:
            verdict = run_verdict(renderer, store, record, newest, fits=fits, check=check)
        except DataGoneError:
            return None
        answer: dict[str, Any] = msgspec.to_builtins(verdict.strip)
        return answer

    def _words(self, record: RunRecord, newest: PlaneEvent | None) -> str:
        is_queued = record.state is RunState.QUEUED
        if record.state in AT_WORK and self.runs.space.store.request(record.run_id).is_cancelled:
            return STOPPING
        return state_sentence(record, newest, self.runs.space.n_ahead(record) if is_queued else 0)

    def view(self, shown: Shown) -> dict[str, Any]:
        """Return the arrays of a view, its scores, and what the page needs to move its arrows."""
        renderer, method = self.runs.renderer, METHODS[shown.record.method]
        view, viewer = renderer.view(shown), renderer.planes.viewer(shown.record)
        divergence = renderer.divergence(shown)
        answer = {
            "sequence": shown.event.sequence,
            "traces": plane_frame(view, compact),
            "limits": limits(view),
            "axes": axis_titles(renderer.planes, shown, view),
            "changes": changes_of(shown.options, self.runs.morph_target(shown.options)),
            "places": self._places(shown, view),
            "has_held_out": any(len(part.held_out) for part in view.classes),
            "arrows": arrow_handles(view, len(viewer.feature_names)),
            "top_features": self._kept_sentence(shown, divergence),
            "batches": _batch_news(shown.record, view.scores),
            "strip": msgspec.to_builtins(view.scores.verdict(len(view.classes)).strip),
            "numbers": {
                "divergence-training": divergence,
                "divergence-held-out": view.scores.divergence_held_out,
                "accuracy-training": view.scores.accuracy_train,
                "accuracy-held-out": view.scores.accuracy_held_out,
            },
            "sample": self._sample_caption(shown),
            "caption": f"{method.label} {SHAPES[viewer.n_components]} of {shown.record.data_name}",
        }
        return answer if shown.options.gamma is None else answer | {"gamma": shown.options.gamma}

    def _places(self, shown: Shown, view: PlaneView) -> dict[str, str] | None:
        """Say where the rows of a view at rest are, and of which rows its regions are."""
        planes = self.runs.renderer.planes
        if not shown.event.is_final or shown.changes_plane:
            return None
        names, held_out = planes.viewer(shown.record).class_names, planes.held_out_rows(shown)
        if held_out is not None:
            by_groups = held_out.groups is not None
            said = regions_sentence(view.missing, names, len(held_out.y), by_groups=by_groups)
            return {"state": "", "warning": "", "words": said}
        refits = planes.refits(shown.record)
        if refits is None:
            return None
        unseen = planes.unseen(shown)
        if unseen is None:
            return {"state": "", "warning": "", "words": refits.no_places}
        by_groups = unseen.groups is not None
        regions = regions_sentence(view.missing, names, by_groups=by_groups)
        words = (moves_sentence(view.moves), regions)
        return {
            "state": shown.options.places,
            "warning": blur_sentence(refits) if view.moves is not None else "",
            "words": "; ".join(filter(None, words)),
        }

    def _sample_caption(self, shown: Shown) -> str:
        """Say which rows of a registered table a view is of."""
        if not shown.record.is_of_sample:
            return ""
        planes = self.runs.renderer.planes
        viewer, components = planes.viewer_of(shown), planes.components(shown)
        return sample_caption(viewer.n_rows, viewer.n_rows_of_table(components))

    def _kept_sentence(self, shown: Shown, divergence: float) -> str | None:
        """Say the share of the divergence that top features keep, if only these are shown."""
        if shown.options.n_top_features is None:
            return None
        planes = self.runs.renderer.planes
        # Of the rows that the changed plane has: all of a table are known in its own plane only.
        total = planes.viewer_of(shown).of_table(None).divergence(shown.event.components)
        names = planes.kept_features(shown)
        is_weighed = planes.importance(shown.as_found) is not None
        return kept_sentence(names, divergence / total, is_chosen_held_out=is_weighed)


def _batch_news(record: RunRecord, scores: Scores) -> dict[str, Any] | None:
    """Return what the page shows about batches in a plane; None without batches."""
    if scores.batches is None:
        return None
    return {
        "words": f"Told apart: {scores.batches.shares}.",
        "weight": record.batch_weight,
        "can_act": METHODS[record.method].takes(BATCH_WEIGHT.name),
    }

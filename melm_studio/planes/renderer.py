"""Renders the planes of runs: computes their views on request, once for all, and caches them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from melm_core.base import FloatArray, UserError, one_thread_each
from melm_core.density import RegionShare
from melm_core.diagnostics import ComponentGain
from melm_core.methods import COMPONENTS, METHODS
from melm_studio.planes.kept_values import kept
from melm_studio.planes.plane_scores import Scores, held_out_verdict, measured_planes
from melm_studio.planes.run_planes import MAX_VIEWERS, RunPlanes, row_key
from melm_studio.planes.types import Places, PlaneView
from melm_studio.planes.view_options import Shown
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.runs.store.protocol import RunStore
from melm_studio.scores import Verdict
from melm_studio.tables import LabeledData

# Views in a cache; a second tab requests the same.
MAX_VIEWS = 64

# Multiplications of a fit that the page waits for, about a second.
MAX_PREVIEW_WORK = 2e9
# The method that shows what a fraction of a second can achieve, and its most multiplications.
QUICK_METHOD, MOST_QUICK_WORK = "lda", 20_000_000

_TOO_LARGE = "These data are too large for a first look. Run a method to see them."


def _as_found(renderer: PlaneRenderer, shown: Shown) -> tuple[object, ...]:
    """Return what the plane of an event is, and who judges it."""
    return shown.as_found, renderer.planes.judge(shown.as_found) is not None


def _as_drawn(renderer: PlaneRenderer, shown: Shown) -> tuple[object, ...]:
    """Return what a picture depends on: its plane, that of alignment, and who judges it."""
    planes, options = renderer.planes, shown.options
    others = planes.newest(options.toward), planes.morph_target(options)
    return shown, *others, planes.judge(shown) is not None


def _rows_and_width(_: PlaneRenderer, record: RunRecord) -> tuple[object, ...]:
    return *row_key(record), record.density_gamma


class PlaneRenderer:
    """Computes the views of the planes of the runs in a store, and what they tell; thread-safe.

    Parameters
    ----------
    store : RunStore

    Attributes
    ----------
    planes : RunPlanes
        What is rendered.
    """

    def __init__(self, store: RunStore) -> None:
        self.planes = RunPlanes(store)
        self._store = store

    def held_out_curve(
        self, record: RunRecord, events: Sequence[PlaneEvent]
    ) -> list[tuple[int, float]]:
        """Return the held-out divergence of the `measured_planes` among events, by sequence.

        None of a run whose objective is not the divergence, or where a class has no held-out row.

        Parameters
        ----------
        record : RunRecord
        events : sequence of PlaneEvent
            Planes that follow each other in the history of the run.
        """
        if not events or record.batch_weight or not METHODS[record.method].reports_divergence:
            return []
        first = events[0].sequence
        before = self._store.event(record.run_id, first - 1) if first else None
        viewer = self.planes.viewer(record)
        measured = (
            (event.sequence, viewer.held_out_divergence(event.components))
            for event in measured_planes(events, before)
        )
        return [(sequence, value) for sequence, value in measured if value is not None]

    @kept(MAX_VIEWS, _as_drawn)
    def view(self, shown: Shown) -> PlaneView:
        """Return the view of the plane of an event.

        Drawn by a `PlaneViewer` are the training and held-out rows of the run, less the mean of the
        training rows, at its kernel widths or that of the options. The plane is that of the event
        unless an option changes it, turned towards the newest plane of `options.toward`, if that is
        of the same rows. Regions are those of unseen rows where it is the last plane of a run whose
        refits are done, or which holds rows out.

        Raises
        ------
        UserError
            If the options do not apply to the plane.
        """
        options, refits = shown.options, self.planes.judge(shown)
        components = self.planes.drawn_components(shown)
        viewer = self.planes.viewer_of(shown)
        scores = None
        if not options.changes_plane and options.gamma is None:
            scores = self.scores(shown)  # which verdicts need, too
        elif refits is not None:  # judged as ever; the divergence alone is at another width
            of_folds = viewer.scores(components).of_folds(refits)
            scores = dataclasses.replace(of_folds, divergence_held_out=None)
        return viewer.view(
            components,
            self.planes.reference(shown),
            options.view_angle,
            scores=scores,
            changed_from=shown.event.components if options.changes_plane else None,
            unseen=self.planes.judging_rows(shown),
            places=Places.UNSEEN if refits is None else options.places,
        )

    @kept(MAX_VIEWERS, _rows_and_width)
    def preview(self, record: RunRecord) -> PlaneView:
        """Return the view of the plane that a run would find, of a method that takes no time.

        Parameters
        ----------
        record : RunRecord
            Of a linear method with a closed form; it need not be in the store.

        Raises
        ------
        UserError
            If the data are too large to be projected while the page waits, or too few.
        """
        train, _ = self.planes.rows(record)
        components = _closed_form(record.method, record.parameters.values, train, MAX_PREVIEW_WORK)
        return self.planes.viewer_before(record).view(components)

    def regions(self, shown: Shown) -> list[RegionShare]:
        """Return the shares of rows in the regions of the plane of an event, as they are drawn."""
        viewer = self.planes.viewer(shown.record)
        return viewer.regions(shown.event.components, self.planes.judging_rows(shown.as_found))

    def divergence(self, shown: Shown) -> float:
        """Return the divergence of the training rows, as drawn, under view options, in nats."""
        record = shown.record
        is_own = not (shown.changes_plane or shown.options.gamma is not None or record.is_of_sample)
        if is_own and not record.batch_weight and METHODS[record.method].reports_divergence:
            return shown.event.objective
        return self.planes.viewer_of(shown).divergence(self.planes.components(shown))

    def scores(self, shown: Shown) -> Scores:
        """Return how well the plane of an event separates the rows, without computing its view.

        Of the last plane of a run whose refits are done, what these say.
        """
        scores, refits = self._own_scores(shown), self.planes.judge(shown.as_found)
        return scores if refits is None else scores.of_folds(refits)

    @kept(MAX_VIEWS, lambda _, shown: shown.as_found)
    def _own_scores(self, shown: Shown) -> Scores:
        return self.planes.viewer(shown.record).scores(shown.event.components)

    @kept(MAX_VIEWS, lambda _, shown: shown.as_found)
    def held_out(self, shown: Shown) -> Verdict:
        """Return the verdict of the held-out rows on the plane of an event."""
        viewer, scores = self.planes.viewer(shown.record), self._own_scores(shown)
        predictions = viewer.held_out_predictions(shown.event.components)
        data = self.planes.data(shown.record)
        return held_out_verdict(
            scores,
            predictions,
            viewer.class_counts,
            data.open_questions,
            suspicions=data.suspicions,
            is_of_map=viewer.is_map,
        )

    def overlap(self, shown: Shown) -> FloatArray | None:
        """Return the shares of the unseen rows of each two classes that are taken for each other.

        None where a class has none.
        """
        viewer, refits = self.planes.viewer_of(shown), self.planes.judge(shown)
        if refits is not None:
            return np.array(refits.overlap) if refits.overlap else None
        predictions = viewer.held_out_predictions(self.planes.components(shown))
        return predictions.overlap(len(viewer.class_names))

    @kept(MAX_VIEWS, _as_found)
    def second_component(self, shown: Shown) -> ComponentGain | None:
        """Return what the second component of the plane of an event adds on held-out rows.

        None if that is not known, and of a nonlinear projection.
        """
        refits = self.planes.judge(shown.as_found)
        if refits is not None:
            return None if refits.second is None else refits.second.component_gain
        if not METHODS[shown.record.method].is_linear:
            return None
        with one_thread_each():  # the workers need the other cores
            return self.planes.viewer(shown.record).second_component(shown.event.components)

    @kept(
        MAX_VIEWS,
        lambda renderer, record: (record.run_id, renderer.planes.refits(record) is not None),
    )
    def final_accuracy(self, record: RunRecord) -> float | None:
        """Return the held-out accuracy of the last plane of a run that is done, or None."""
        last = self.planes.newest(record.run_id)
        return None if last is None else self.scores(last).accuracy_held_out

    @kept(MAX_VIEWERS, _rows_and_width)
    def quick_accuracy(self, record: RunRecord) -> float | None:
        """Return the held-out accuracy of an LDA fitted to the training rows of a run.

        None if that would take long, or is impossible, or the run is nonlinear.
        """
        if not METHODS[record.method].is_linear:
            return None
        parameters = {COMPONENTS.name: record.parameters.n_components}
        viewer = self.planes.viewer_before(record)
        try:
            components = _closed_form(QUICK_METHOD, parameters, viewer.parts[0], MOST_QUICK_WORK)
        except UserError:
            return None
        return viewer.scores(components).accuracy_held_out


def _closed_form(
    key: str, parameters: Mapping[str, Any], train: LabeledData, most_work: float
) -> FloatArray:
    """The components that a method without search finds in training rows."""
    if train.X.size * min(train.X.shape) > most_work:
        raise UserError(_TOO_LARGE)
    method, n_components = METHODS[key], parameters[COMPONENTS.name]
    refusal = method.refusal(train.X.shape[1], train.class_counts, n_components)
    if refusal is not None:
        raise UserError(refusal)
    with one_thread_each():  # the workers need the other cores
        return np.asarray(method.estimator(parameters).fit(train.X, train.y).components_)

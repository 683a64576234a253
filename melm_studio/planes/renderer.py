"""Renders the planes of runs: computes their views on request, once for all, and caches them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Condition
from typing import Any, TypeVar, cast

import numpy as np
from cachetools import LRUCache, cached
from msgspec.structs import replace
from threadpoolctl import threadpool_limits

from melm_core.base import DEFAULT_DENSITY_GAMMA, FloatArray, UserError
from melm_core.density import RegionShare
from melm_core.diagnostics import ComponentGain, Importance, feature_order
from melm_core.linalg import orthonormalize
from melm_core.melm import DivergenceTerms
from melm_core.methods import COMPONENTS, GAMMA, METHODS
from melm_studio.operator_tables.plane_densities import PlaneDensities, kept_densities
from melm_studio.planes.drawn_rows import centered_parts, mean_row
from melm_studio.planes.plane_edits import (
    NO_TARGET,
    OTHER_DATA,
    on_the_way,
    plane_blind_to_batches,
    plane_of_features,
    with_edits,
)
from melm_studio.planes.plane_scores import Scores, held_out_verdict, measured_planes
from melm_studio.planes.plane_view import PlaneViewer, screen_axes
from melm_studio.planes.projected_classes import TableDensities
from melm_studio.planes.types import Places, PlaneView
from melm_studio.planes.unseen import UnseenRows
from melm_studio.planes.view_options import DEFAULT_VIEW, MorphTarget, Shown, ViewOptions
from melm_studio.runs.execution.rows import RunData, kept_embedding, prepared_for, rows_of
from melm_studio.runs.records.refits_report import RefitsReport, refits_id
from melm_studio.runs.records.run import FIT, PlaneEvent, RunRecord
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.protocol import RunStore, stored_report
from melm_studio.scores import Verdict
from melm_studio.tables import LabeledData, Question

Function = TypeVar("Function", bound=Callable[..., Any])

# Prepared data sets in a cache, in bytes and in number.
MAX_VIEWER_BYTES = 2**30
MAX_VIEWERS = 16
# Runs whose densities are kept in memory, of which each takes up to 64 MB.
MOST_KEPT = 4
# Views in a cache; a second tab requests the same.
MAX_VIEWS = 64

# Multiplications of a fit that the page waits for, about a second.
MAX_PREVIEW_WORK = 2e9
# The method that shows what a fraction of a second can achieve, and its most multiplications.
QUICK_METHOD, MOST_QUICK_WORK = "lda", 20_000_000

_TOO_LARGE = "These data are too large for a first look. Run a method to see them."


def shared(function: Function, most: int, size: Callable[[Any], int] | None = None) -> Function:
    """Cache the last values of a function; a request for one that is being computed waits.

    Parameters
    ----------
    function : callable
        With hashable arguments. Where it raises an error, nothing is kept.
    most : int
        The number of values that are kept, or the sum of their sizes.
    size : callable, optional
        The size of a value, at most `most`.
    """
    cache: LRUCache[Any, Any] = LRUCache(most, getsizeof=size)
    return cast(Function, cached(cache, condition=Condition())(function))


@dataclass(frozen=True)
class ViewerKey:
    """A run, equal to every other run that can share its viewer."""

    key: tuple[object, ...]
    record: RunRecord = field(compare=False)

    @classmethod
    def of(cls, record: RunRecord) -> ViewerKey:
        """Return the key of a run; the kernel width does not matter."""
        parameters = record.parameters
        key: tuple[object, ...] = (
            record.owner,
            record.data_id,
            parameters.held_out,
            parameters.random_state,
            parameters.n_components,
            record.is_curved,
        )
        if not METHODS[record.method].is_linear:
            key = (*key, record.method, *sorted(parameters.values.items()))
        return cls(key, record)


def size_of(viewer: PlaneViewer) -> int:
    """The bytes of a viewer, which holds a wide table twice, as far as the cache counts them."""
    n_bytes = 2 * 8 * viewer.n_rows * len(viewer.feature_names)
    return min(MAX_VIEWER_BYTES, max(n_bytes, MAX_VIEWER_BYTES // MAX_VIEWERS))


class KeptDensities:
    """Densities of all rows that runs on registered tables kept; the last ones are cached.

    Parameters
    ----------
    store : RunStore
    origin : callable
        What views subtract from the rows of the sample, shape (n_features,).
    """

    def __init__(self, store: RunStore, origin: Callable[[ViewerKey], FloatArray]) -> None:
        self._store, self._origin = store, origin
        self._found = shared(self._read, MOST_KEPT)

    def of(self, record: RunRecord) -> TableDensities | None:
        """Return the densities in the final plane of a run; None until it has them."""
        if not record.is_of_sample or not METHODS[record.method].is_linear:
            return None
        try:
            densities = self._found(record.run_id, record.attempt)
        except (LookupError, ValueError):  # a later request may find them; damaged ones are none
            return None
        return TableDensities(densities, self._origin(ViewerKey.of(record)))

    def _read(self, run_id: str, attempt: int) -> PlaneDensities:
        densities = kept_densities(self._store, run_id)
        if densities is None:
            raise LookupError(run_id)
        return densities


class _NotRefittedError(LookupError):
    """The refits of a run are not done."""


class DataGoneError(LookupError):
    """The data of a run are no longer stored."""


def widths(record: RunRecord, options: ViewOptions) -> tuple[float, float]:
    """The kernel widths of the divergence and of the densities of a view.

    A view with a width of its own has both of it.
    """
    if options.gamma is not None:
        return options.gamma, options.gamma
    return record.gamma, record.density_gamma


class PlaneRenderer:
    """Computes the views of the planes of the runs in a store; thread-safe.

    Parameters
    ----------
    store : RunStore
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._viewer = shared(self._prepare_viewer, MAX_VIEWER_BYTES, size_of)
        self._origin = shared(self._measure_origin, MAX_VIEWERS)
        self._densities = KeptDensities(store, self._origin)
        self._questions = shared(self._read_questions, MAX_VIEWERS)
        self._refits = shared(self._read_refits, MAX_VIEWS)
        self._unseen = shared(self._place_unseen, MAX_VIEWS)
        self._view = shared(self._draw, MAX_VIEWS)
        self._edited = shared(self._edit, MAX_VIEWS)
        self._coordinates = shared(self._project, MAX_VIEWERS)
        self._scores = shared(self._score, MAX_VIEWS)
        self._held_out = shared(self._test_held_out, MAX_VIEWS)
        self._regions = shared(self._fill_regions, MAX_VIEWS)
        self._importance = shared(self._weigh_features, MAX_VIEWS)
        self._second = shared(self._weigh_second, MAX_VIEWS)
        self._final_accuracy = shared(self._score_last, MAX_VIEWS)
        self._quick = shared(self._fit_quickly, MAX_VIEWERS)
        self._preview = shared(self._fit_preview, MAX_VIEWERS)

    def data(self, record: RunRecord) -> RunData:
        """Return the data of a run, as its training rows prepare them.

        Raises
        ------
        DataGoneError
        UserError
            If they cannot be prepared so.
        """
        raw = self._store.get_file(record.owner, FileKind.DATA, record.data_id)
        if raw is None:
            raise DataGoneError(record.data_id)
        return prepared_for(LabeledData.from_bytes(raw), record)

    def questions(self, record: RunRecord) -> tuple[Question, ...]:
        """Return the questions of the table of a run; the data are read once for them."""
        return self._questions(ViewerKey.of(record))

    def _read_questions(self, key: ViewerKey) -> tuple[Question, ...]:
        return self.data(key.record).questions

    def embedding(self, record: RunRecord) -> FloatArray | None:
        """Return the coordinates that a run kept; None if it kept none."""
        return kept_embedding(self._store, record)

    def rows(self, record: RunRecord) -> tuple[LabeledData, LabeledData]:
        """Return the training and held-out rows of a run, as its planes project them."""
        return rows_of(self.data(record), record, self.embedding(record))

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
        viewer = self.viewer(record)
        measured = (
            (event.sequence, viewer.held_out_divergence(event.components))
            for event in measured_planes(events, before)
        )
        return [(sequence, value) for sequence, value in measured if value is not None]

    def viewer(self, record: RunRecord) -> PlaneViewer:
        """Return the viewer of the planes of a run."""
        return self._viewer_at(record, DEFAULT_VIEW)

    def view(self, shown: Shown) -> PlaneView:
        """Return the view of the plane of an event.

        Raises
        ------
        UserError
            If the options do not apply to the plane.
        """
        others = (self._newest(shown.options.toward), self._morph_target(shown.options))
        is_refitted = self._is_at_rest(shown)
        return self._view(shown, *others, is_refitted)

    def refits(self, record: RunRecord) -> RefitsReport | None:
        """Return what all refits of a run have found; None until then, and where it has none."""
        if record.kind != FIT or record.parameters.held_out > 0.0:
            return None
        try:
            return self._refits(record.run_id)
        except _NotRefittedError:
            return None

    def unseen(self, shown: Shown) -> UnseenRows | None:
        """Return where planes that never saw the rows of a run put them, along its last plane.

        None until its refits are done, where they place no rows, and of every other plane.
        """
        refits = self.refits(shown.record)
        if refits is None or not refits.places or not shown.event.is_final:
            return None
        return self._unseen(shown.as_found)

    def held_out_rows(self, shown: Shown) -> UnseenRows | None:
        """Return the rows that the last plane of a run holds out, of which its regions are made.

        None of every other plane, of a run without such rows, and where the densities of all rows
        of a registered table are known, of which its regions are.
        """
        record, event = shown.record, shown.event
        if record.parameters.held_out == 0.0 or not event.is_final or self._densities.of(record):
            return None
        return UnseenRows.of_held_out(self.viewer(record).parts[1], event.components)

    def drawn_parts(self, shown: Shown) -> tuple[FloatArray, tuple[LabeledData, LabeledData]]:
        """Return the two axes of a view, and the rows of the run, centered, that lie along them.

        Those of a view of unseen places have the places as their features.
        """
        axes, (train, held_out) = self.axes(shown), self.viewer(shown.record).parts
        unseen = self.unseen(shown)
        if unseen is None or shown.changes_plane or shown.options.places is Places.FITTED:
            return axes, (train, held_out)
        others, along = train.unlabeled, unseen.components.T
        if others is not None:
            others = dataclasses.replace(others, X=others.X @ along)
        places = unseen.of_rows(unseen.places, train.row_numbers)
        return axes @ along, (
            dataclasses.replace(train, X=places, unlabeled=others),
            dataclasses.replace(held_out, X=held_out.X @ along, unlabeled=others),
        )

    def _read_refits(self, run_id: str) -> RefitsReport:
        report = stored_report(self._store, refits_id(run_id), RefitsReport.from_bytes)
        if report is None or not report.is_complete:
            raise _NotRefittedError(run_id)
        return report

    def _place_unseen(self, shown: Shown) -> UnseenRows:
        places = self._refits(shown.run_id).unseen
        if places is None:
            raise _NotRefittedError(shown.run_id)
        return UnseenRows.of(self.data(shown.record), places, shown.event.components)

    def positions(self, shown: Shown, X: FloatArray) -> FloatArray:
        """Return where a view draws rows that the plane projects, shape (n_rows, 2)."""
        centered = X - self._origin(ViewerKey.of(shown.record))
        return np.asarray(centered @ self.axes(shown).T)

    def axes(self, shown: Shown) -> FloatArray:
        """Return the two axes of a view; the second is zero for one component."""
        oriented = self._oriented(shown)
        if len(oriented) == 1:
            return np.vstack([oriented, np.zeros_like(oriented)])
        return np.asarray(screen_axes(shown.options.view_angle)[:, : len(oriented)] @ oriented)

    def _oriented(self, shown: Shown) -> FloatArray:
        """The components of a view before it is turned."""
        components = self._plane(shown, self._morph_target(shown.options))
        reference = self._reference(shown.record, self._newest(shown.options.toward))
        before = shown.event.components if shown.changes_plane else None
        return self.viewer(shown.record).oriented(components, reference, before)

    def components(self, shown: Shown) -> FloatArray:
        """Return orthonormal components of the plane of an event under view options.

        Raises
        ------
        UserError
            If the options do not apply to the plane.
        """
        if not shown.changes_plane:
            return shown.event.components
        plane = self._plane(shown, self._morph_target(shown.options))
        # Features that were left out stay at exactly zero.
        return np.where(plane.any(axis=0), orthonormalize(plane), 0.0)

    def _plane(self, shown: Shown, target: Shown | None) -> FloatArray:
        """The components in the orientation in which they are drawn."""
        if not shown.changes_plane:
            return shown.event.components
        return self._edited(shown.of_plane, target)

    def kept_features(self, shown: Shown) -> list[str]:
        """Return the names of the features in the plane, in the `feature_order` of the plane."""
        components = self.components(shown)
        viewer = self.viewer(shown.record)
        steps = viewer.steps
        lengths = steps.lengths(viewer.standardized(components))
        order = feature_order(lengths, self.importance(shown))
        is_used = steps.is_used(components)
        return [viewer.feature_names[feature] for feature in order if is_used[feature]]

    def _edit(self, shown: Shown, target: Shown | None) -> FloatArray:
        record, options = shown.record, shown.options
        components, viewer = shown.event.components, self.viewer(record)
        if options.morph is not None:
            components = self._morphed(record, components, target, options.morph)
        weight = record.batch_weight if options.batch_weight is None else options.batch_weight
        if options.batch_weight is not None:
            blind = plane_blind_to_batches(viewer.parts[0], components, viewer.gamma, weight)
            components = viewer.aligned(blind, components)
        if options.n_top_features is not None:
            every = replace(options, n_top_features=None, edits=())
            importance = self._importance(shown.under(every), target)
            steps = viewer.steps
            order = feature_order(steps.lengths(viewer.standardized(components)), importance)
            columns = steps.columns(order[: options.n_top_features])
            train, _ = self.rows(record)
            plane = plane_of_features(train, components, columns, viewer.gamma, weight)
            components = viewer.aligned(plane, components)
        return with_edits(components, options.edits, viewer.standardized, viewer.steps.arrows)

    def _morphed(
        self, record: RunRecord, components: FloatArray, target: Shown | None, morph: MorphTarget
    ) -> FloatArray:
        if target is None:
            raise UserError(NO_TARGET)
        other = target.record
        if other.data_id != record.data_id:
            raise UserError(OTHER_DATA)
        start = None
        if morph.origin is not None:
            origin = self._store.event(other.run_id, morph.origin)
            if origin is None:
                raise DataGoneError(other.run_id)
            start = self._in_features_of(record, other, origin.components)
        end = self._in_features_of(record, other, target.event.components)
        if end.shape != components.shape:
            raise UserError(OTHER_DATA)
        return on_the_way(components, end, morph.share, start)

    def _in_features_of(
        self, record: RunRecord, other: RunRecord, components: FloatArray
    ) -> FloatArray:
        """The components of another run in the features of a run.

        They may be scaled otherwise there, and bend, which the arrows of a straight plane do not.
        """
        splits = [(run.parameters.held_out, run.parameters.random_state) for run in (record, other)]
        is_scaled_alike = splits[0] == splits[1] or not METHODS[other.method].is_linear
        if is_scaled_alike and not (record.is_curved and not other.is_curved):
            return components
        scale, own_scale = self.data(record).scale, self.data(other).scale
        if not is_scaled_alike:
            components = orthonormalize(components * scale[: len(own_scale)] / own_scale)
        return np.pad(components, ((0, 0), (0, max(0, len(scale) - len(own_scale)))))

    def _morph_target(self, options: ViewOptions) -> Shown | None:
        morph = options.morph
        if morph is None or morph.plane is None:
            return self._newest(morph.run_id if morph else None)
        return self._other(morph.run_id, self._store.event(morph.run_id, morph.plane))

    def _newest(self, run_id: str | None) -> Shown | None:
        """The newest plane of a run, if there is one."""
        return None if run_id is None else self._other(run_id, self._store.last_event(run_id))

    def _other(self, run_id: str, event: PlaneEvent | None) -> Shown | None:
        record = None if event is None else self._store.get(run_id)
        return None if record is None or event is None else Shown.of(record, event)

    def _project(self, shown: Shown) -> FloatArray:
        return self.viewer(shown.record).coordinates(shown.event.components)

    def divergence(self, shown: Shown) -> float:
        """Return the divergence of the training rows, as drawn, under view options, in nats."""
        record = shown.record
        is_own = not (shown.changes_plane or shown.options.gamma is not None or record.is_of_sample)
        if is_own and not record.batch_weight and METHODS[record.method].reports_divergence:
            return shown.event.objective
        return self._viewer_at(record, shown.options).divergence(self.components(shown))

    def divergence_terms(self, shown: Shown) -> tuple[tuple[str, str], DivergenceTerms]:
        """Return the names of the two classes told apart least, and the terms of their divergence.

        Raises
        ------
        UserError
            As `PlaneViewer.divergence_terms`.
        """
        viewer = self._viewer_at(shown.record, shown.options)
        (a, b), terms = viewer.divergence_terms(self.components(shown))
        return (viewer.class_names[a], viewer.class_names[b]), terms

    def _viewer_at(self, record: RunRecord, options: ViewOptions) -> PlaneViewer:
        viewer = self._viewer(ViewerKey.of(record)).at(*widths(record, options))
        return viewer.of_table(self._densities.of(record))

    def scores(self, shown: Shown) -> Scores:
        """Return how well the plane of an event separates the rows, without computing its view.

        Of the last plane of a run whose refits are done, what these say.
        """
        return self._scores(shown.as_found, self._is_refitted(shown))

    def _is_refitted(self, shown: Shown) -> bool:
        return shown.event.is_final and self.refits(shown.record) is not None

    def _is_at_rest(self, shown: Shown) -> bool:
        """Return whether it is the plane that refits judge, as it was found."""
        return self._is_refitted(shown) and not shown.changes_plane

    def _score(self, shown: Shown, is_refitted: bool) -> Scores:
        scores = self.viewer(shown.record).scores(shown.event.components)
        return scores.of_folds(self._refits(shown.run_id)) if is_refitted else scores

    def regions(self, shown: Shown) -> list[RegionShare]:
        """Return the shares of rows in the regions of the plane of an event, as they are drawn."""
        return self._regions(shown.as_found, self._is_refitted(shown))

    def _fill_regions(self, shown: Shown, is_refitted: bool) -> list[RegionShare]:
        viewer = self._viewer_at(shown.record, DEFAULT_VIEW)
        return viewer.regions(shown.event.components, self._judging(shown, is_refitted))

    def importance(self, shown: Shown) -> Importance | None:
        """Return what features are worth on the held-out rows in the plane of an event.

        None if a class has fewer than two, and of a nonlinear projection.
        """
        if self._is_at_rest(shown):
            worth = self._refits(shown.record.run_id).worth
            return None if worth is None else worth.importance
        return self._importance(shown.of_plane, self._morph_target(shown.options))

    def _weigh_features(self, shown: Shown, target: Shown | None) -> Importance | None:
        if not METHODS[shown.record.method].is_linear:
            return None
        components = self._plane(shown, target)
        with threadpool_limits(1):  # the workers need the other cores
            return self._viewer_at(shown.record, DEFAULT_VIEW).importance(components)

    def unseen_features(self, shown: Shown) -> frozenset[int]:
        """Return the features whose effect on held-out rows is not seen, as far as that is known.

        Their arrows are faint wherever the plane is drawn.
        """
        worth = self.importance(shown)
        return frozenset() if worth is None else frozenset(np.flatnonzero(~worth.is_seen).tolist())

    def second_component(self, shown: Shown) -> ComponentGain | None:
        """Return what the second component of the plane of an event adds on held-out rows.

        None if that is not known, and of a nonlinear projection.
        """
        if self._is_refitted(shown):
            second = self._refits(shown.record.run_id).second
            return None if second is None else second.component_gain
        return self._second(shown.as_found)

    def _weigh_second(self, shown: Shown) -> ComponentGain | None:
        if not METHODS[shown.record.method].is_linear:
            return None
        with threadpool_limits(1):  # the workers need the other cores
            return self.viewer(shown.record).second_component(shown.event.components)

    def overlap(self, shown: Shown) -> FloatArray | None:
        """Return the shares of the unseen rows of each two classes that are taken for each other.

        None where a class has none.
        """
        if self._is_at_rest(shown):
            shares = self._refits(shown.record.run_id).overlap
            return np.array(shares) if shares else None
        viewer = self._viewer_at(shown.record, shown.options)
        predictions = viewer.held_out_predictions(self.components(shown))
        return predictions.overlap(len(viewer.class_names))

    def held_out(self, shown: Shown) -> Verdict:
        """Return the verdict of the held-out rows on the plane of an event."""
        return self._held_out(shown.as_found)

    def _test_held_out(self, shown: Shown) -> Verdict:
        viewer, scores = self.viewer(shown.record), self._scores(shown, False)
        predictions = viewer.held_out_predictions(shown.event.components)
        data = self.data(shown.record)
        return held_out_verdict(
            scores,
            predictions,
            viewer.class_counts,
            data.open_questions,
            suspicions=data.suspicions,
            is_of_map=viewer.is_map,
        )

    def final_accuracy(self, record: RunRecord) -> float | None:
        """Return the held-out accuracy of the last plane of a run that is done, or None."""
        # It changes no more, so it is read once.
        return self._final_accuracy(record.run_id, self.refits(record) is not None)

    def _score_last(self, run_id: str, is_refitted: bool) -> float | None:
        last = self._newest(run_id)
        return None if last is None else self._scores(last, is_refitted).accuracy_held_out

    def quick_accuracy(self, record: RunRecord) -> float | None:
        """Return the held-out accuracy of an LDA fitted to the training rows of a run.

        None if that would take long, or is impossible, or the run is nonlinear.
        """
        return self._quick(ViewerKey.of(record), record.density_gamma)

    def _fit_quickly(self, key: ViewerKey, gamma: float) -> float | None:
        record = key.record
        if not METHODS[record.method].is_linear:
            return None
        parameters = {COMPONENTS.name: record.parameters.n_components}
        viewer = self._viewer(key).at(gamma)
        try:
            components = _closed_form(QUICK_METHOD, parameters, viewer.parts[0], MOST_QUICK_WORK)
        except UserError:
            return None
        return viewer.scores(components).accuracy_held_out

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
        return self._preview(ViewerKey.of(record), record.density_gamma)

    def _fit_preview(self, key: ViewerKey, gamma: float) -> PlaneView:
        record = key.record
        train, _ = self.rows(record)
        components = _closed_form(record.method, record.parameters.values, train, MAX_PREVIEW_WORK)
        return self._viewer(key).at(gamma).view(components)

    def _prepare_viewer(self, key: ViewerKey) -> PlaneViewer:
        record = key.record
        # For every kernel width, which runs on the same rows then share.
        parts = centered_parts(self.rows(record))
        viewer = PlaneViewer(*parts, GAMMA.default, record.parameters.n_components)
        return viewer.at(GAMMA.default, DEFAULT_DENSITY_GAMMA)

    def _measure_origin(self, key: ViewerKey) -> FloatArray:
        return mean_row(self.rows(key.record))

    def _draw(
        self, shown: Shown, toward: Shown | None, target: Shown | None, is_refitted: bool
    ) -> PlaneView:
        record, event, options = shown.record, shown.event, shown.options
        components = self._plane(shown, target)
        reference = self._reference(record, toward)
        viewer = self._viewer_at(record, options)
        scores = None
        if not options.changes_plane and options.gamma is None:
            scores = self.scores(shown)  # which verdicts need, too
        elif is_refitted:  # judged as ever; the divergence alone is at another width
            of_folds = viewer.scores(components).of_folds(self._refits(shown.run_id))
            scores = dataclasses.replace(of_folds, divergence_held_out=None)
        return viewer.view(
            components,
            reference,
            options.view_angle,
            scores=scores,
            changed_from=event.components if options.changes_plane else None,
            unseen=self._judging(shown, is_refitted),
            places=options.places if is_refitted else Places.UNSEEN,
        )

    def _judging(self, shown: Shown, is_refitted: bool) -> UnseenRows | None:
        """The rows of which the regions of a plane at rest are made: it has seen none of them."""
        if is_refitted:
            return self.unseen(shown)
        is_changed = shown.changes_plane
        return None if is_changed else self.held_out_rows(shown)

    def _reference(self, record: RunRecord, toward: Shown | None) -> FloatArray | None:
        """The rows in the plane to align to, if that is another plane of the same rows."""
        if toward is None or toward.run_id == record.run_id:
            return None
        other = toward.record
        is_alike = len(toward.event.components) == self.viewer(record).n_components
        tables = [(run.table, run.source.left_out) for run in (other, record)]
        has_same_rows = tables[0] == tables[1]
        return self._coordinates(toward) if is_alike and has_same_rows else None


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
    with threadpool_limits(1):  # the workers need the other cores
        return np.asarray(method.estimator(parameters).fit(train.X, train.y).components_)

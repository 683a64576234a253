"""The planes of runs: their rows, who judges them, and what edits and alignment make of them."""

from __future__ import annotations

import dataclasses

import numpy as np
from msgspec.structs import replace

from melm_core.base import DEFAULT_DENSITY_GAMMA, FloatArray, UserError, one_thread_each
from melm_core.diagnostics import Importance, feature_order
from melm_core.linalg import orthonormalize
from melm_core.methods import GAMMA, METHODS
from melm_studio.operator_tables.plane_densities import PlaneDensities, kept_densities
from melm_studio.planes.drawn_rows import centered_parts, mean_row
from melm_studio.planes.kept_values import kept
from melm_studio.planes.plane_edits import (
    NO_TARGET,
    OTHER_DATA,
    on_the_way,
    plane_blind_to_batches,
    plane_of_features,
    with_edits,
)
from melm_studio.planes.plane_view import PlaneViewer, screen_axes
from melm_studio.planes.projected_classes import TableDensities
from melm_studio.planes.types import Places
from melm_studio.planes.unseen import UnseenRows
from melm_studio.planes.view_options import Shown, ViewOptions
from melm_studio.runs.execution.rows import RunData, kept_embedding, prepared_for, rows_of
from melm_studio.runs.records.refits_report import RefitsReport, refits_id
from melm_studio.runs.records.run import FIT, PlaneEvent, RunRecord
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.protocol import RunStore, stored_report
from melm_studio.tables import LabeledData, Question

# Prepared data sets in a cache, in bytes and in number.
MAX_VIEWER_BYTES = 2**30
MAX_VIEWERS = 16
# Runs whose densities are kept in memory, of which each takes up to 64 MB.
MOST_KEPT = 4
# Planes in a cache; a second tab requests the same.
MAX_PLANES = 64


def row_key(record: RunRecord) -> tuple[object, ...]:
    """Return what the viewer of a run depends on: not the kernel width, so that others share it."""
    parameters = record.parameters
    key: tuple[object, ...] = (
        record.owner,
        record.data_id,
        parameters.held_out,
        parameters.random_state,
        parameters.n_components,
        record.is_curved,
    )
    if METHODS[record.method].is_linear:
        return key
    return (*key, record.method, *sorted(parameters.values.items()))


def _as_edited(planes: RunPlanes, shown: Shown) -> tuple[object, ...]:
    """Return what the plane on screen is."""
    return shown.of_plane, planes.morph_target(shown.options)


def _size_of(kept_viewer: tuple[PlaneViewer, FloatArray]) -> int:
    """The bytes of a viewer, which holds a wide table twice, as far as the cache counts them."""
    viewer, _ = kept_viewer
    n_bytes = 2 * 8 * viewer.n_rows * len(viewer.feature_names)
    return min(MAX_VIEWER_BYTES, max(n_bytes, MAX_VIEWER_BYTES // MAX_VIEWERS))


class DataGoneError(LookupError):
    """The data of a run are no longer stored."""


class RunPlanes:
    """The planes of the runs in a store, with the rows that they project; thread-safe.

    Parameters
    ----------
    store : RunStore
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store

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

    @kept(MAX_VIEWERS, lambda _, record: row_key(record))
    def questions(self, record: RunRecord) -> tuple[Question, ...]:
        """Return the questions of the table of a run; the data are read once for them."""
        return self.data(record).questions

    def embedding(self, record: RunRecord) -> FloatArray | None:
        """Return the coordinates that a run kept; None if it kept none."""
        return kept_embedding(self._store, record)

    def rows(self, record: RunRecord) -> tuple[LabeledData, LabeledData]:
        """Return the training and held-out rows of a run, as its planes project them."""
        return rows_of(self.data(record), record, self.embedding(record))

    def viewer(self, record: RunRecord) -> PlaneViewer:
        """Return the viewer of the planes of a run, at its kernel widths."""
        viewer, origin = self._viewer(record)
        densities = self._of_table(record)
        viewer = viewer.at(record.gamma, record.density_gamma)
        return viewer.of_table(TableDensities(densities, origin) if densities else None)

    def viewer_of(self, shown: Shown) -> PlaneViewer:
        """Return the viewer of a plane: at the width of its options, if they have one."""
        viewer, gamma = self.viewer(shown.record), shown.options.gamma
        return viewer if gamma is None else viewer.at(gamma)

    def viewer_before(self, record: RunRecord) -> PlaneViewer:
        """Return the viewer of planes that a run has not found, at the width of its densities."""
        viewer, _ = self._viewer(record)
        return viewer.at(record.density_gamma)

    @kept(MAX_VIEWER_BYTES, lambda _, record: row_key(record), _size_of)
    def _viewer(self, record: RunRecord) -> tuple[PlaneViewer, FloatArray]:
        """The viewer for every kernel width, which runs on the same rows share, and its origin."""
        rows = self.rows(record)
        viewer = PlaneViewer(*centered_parts(rows), GAMMA.default, record.parameters.n_components)
        return viewer.at(GAMMA.default, DEFAULT_DENSITY_GAMMA), mean_row(rows)

    @kept(MOST_KEPT, lambda _, record: (record.run_id, record.attempt))
    def _of_table(self, record: RunRecord) -> PlaneDensities | None:
        """The densities of all rows in the final plane of a run on a registered table, if kept."""
        if not record.is_of_sample or not METHODS[record.method].is_linear:
            return None
        try:
            return kept_densities(self._store, record.run_id)
        except ValueError:  # damaged ones are none
            return None

    def newest(self, run_id: str | None) -> Shown | None:
        """Return the newest plane of a run, if there is one."""
        return None if run_id is None else self._other(run_id, self._store.last_event(run_id))

    def morph_target(self, options: ViewOptions) -> Shown | None:
        """Return the plane that view options morph to, if there is one."""
        morph = options.morph
        if morph is None or morph.plane is None:
            return self.newest(morph.run_id if morph else None)
        return self._other(morph.run_id, self._store.event(morph.run_id, morph.plane))

    def _other(self, run_id: str, event: PlaneEvent | None) -> Shown | None:
        record = None if event is None else self._store.get(run_id)
        return None if record is None or event is None else Shown.of(record, event)

    @kept(MAX_PLANES, lambda _, record: record.run_id)
    def refits(self, record: RunRecord) -> RefitsReport | None:
        """Return what all refits of a run have found; None until then, and where it has none."""
        if record.kind != FIT or record.parameters.held_out > 0.0:
            return None
        report = stored_report(self._store, refits_id(record.run_id), RefitsReport.from_bytes)
        return None if report is None or not report.is_complete else report

    def judge(self, shown: Shown) -> RefitsReport | None:
        """Return the refits that judge what is shown: the last plane of their run, as found."""
        is_judged = shown.event.is_final and not shown.changes_plane
        return self.refits(shown.record) if is_judged else None

    def judging_rows(self, shown: Shown) -> UnseenRows | None:
        """Return the rows that a plane at rest has not seen, of which its regions are made."""
        if shown.changes_plane:
            return None
        return self.held_out_rows(shown) if self.judge(shown) is None else self.unseen(shown)

    @kept(MAX_PLANES, lambda _, shown: shown.as_found)
    def unseen(self, shown: Shown) -> UnseenRows | None:
        """Return where planes that never saw the rows of a run put them, along its last plane.

        None until its refits are done, where they place no rows, and of every other plane.
        """
        refits = self.judge(shown.as_found)
        places = None if refits is None else refits.unseen
        if places is None:
            return None
        return UnseenRows.of(self.data(shown.record), places, shown.event.components)

    def held_out_rows(self, shown: Shown) -> UnseenRows | None:
        """Return the rows that the last plane of a run holds out, of which its regions are made.

        None of every other plane, of a run without such rows, and where the densities of all rows
        of a registered table are known, of which its regions are.
        """
        record, event = shown.record, shown.event
        if record.parameters.held_out == 0.0 or not event.is_final or self._of_table(record):
            return None
        return UnseenRows.of_held_out(self.viewer(record).parts[1], event.components)

    def components(self, shown: Shown) -> FloatArray:
        """Return orthonormal components of the plane of an event under view options.

        Raises
        ------
        UserError
            If the options do not apply to the plane.
        """
        if not shown.changes_plane:
            return shown.event.components
        plane = self._edited(shown)
        # Features that were left out stay at exactly zero.
        return np.where(plane.any(axis=0), orthonormalize(plane), 0.0)

    def drawn_components(self, shown: Shown) -> FloatArray:
        """Return the components in the orientation in which they are drawn."""
        return self._edited(shown) if shown.changes_plane else shown.event.components

    @kept(MAX_PLANES, _as_edited)
    def _edited(self, shown: Shown) -> FloatArray:
        record, options = shown.record, shown.options
        components, viewer = shown.event.components, self.viewer(record)
        if options.morph is not None:
            components = self._morphed(record, components, options)
        weight = record.batch_weight if options.batch_weight is None else options.batch_weight
        if options.batch_weight is not None:
            blind = plane_blind_to_batches(viewer.parts[0], components, viewer.gamma, weight)
            components = viewer.aligned(blind, components)
        if options.n_top_features is not None:
            every = replace(options, n_top_features=None, edits=())
            importance = self._importance(shown.under(every))
            steps = viewer.steps
            order = feature_order(steps.lengths(viewer.standardized(components)), importance)
            columns = steps.columns(order[: options.n_top_features])
            train, _ = self.rows(record)
            plane = plane_of_features(train, components, columns, viewer.gamma, weight)
            components = viewer.aligned(plane, components)
        return with_edits(components, options.edits, viewer.standardized, viewer.steps.arrows)

    def _morphed(
        self, record: RunRecord, components: FloatArray, options: ViewOptions
    ) -> FloatArray:
        morph, target = options.morph, self.morph_target(options)
        if morph is None or target is None:
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

    def kept_features(self, shown: Shown) -> list[str]:
        """Return the names of the features in the plane, in the `feature_order` of the plane."""
        components = self.components(shown)
        viewer = self.viewer(shown.record)
        steps = viewer.steps
        lengths = steps.lengths(viewer.standardized(components))
        order = feature_order(lengths, self.importance(shown))
        is_used = steps.is_used(components)
        return [viewer.feature_names[feature] for feature in order if is_used[feature]]

    def importance(self, shown: Shown) -> Importance | None:
        """Return what features are worth on the held-out rows in the plane of an event.

        None if a class has fewer than two, and of a nonlinear projection.
        """
        refits = self.judge(shown)
        if refits is None:
            return self._importance(shown)
        return None if refits.worth is None else refits.worth.importance

    @kept(MAX_PLANES, _as_edited)
    def _importance(self, shown: Shown) -> Importance | None:
        if not METHODS[shown.record.method].is_linear:
            return None
        components = self.drawn_components(shown)
        with one_thread_each():  # the workers need the other cores
            return self.viewer(shown.record).importance(components)

    def unseen_features(self, shown: Shown) -> frozenset[int]:
        """Return the features whose effect on held-out rows is not seen, as far as that is known.

        Their arrows are faint wherever the plane is drawn.
        """
        worth = self.importance(shown)
        return frozenset() if worth is None else frozenset(np.flatnonzero(~worth.is_seen).tolist())

    def axes(self, shown: Shown) -> FloatArray:
        """Return the two axes of a view; the second is zero for one component."""
        oriented = self._oriented(shown)
        if len(oriented) == 1:
            return np.vstack([oriented, np.zeros_like(oriented)])
        return np.asarray(screen_axes(shown.options.view_angle)[:, : len(oriented)] @ oriented)

    def positions(self, shown: Shown, X: FloatArray) -> FloatArray:
        """Return where a view draws rows that the plane projects, shape (n_rows, 2)."""
        _, origin = self._viewer(shown.record)
        return np.asarray((X - origin) @ self.axes(shown).T)

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

    def _oriented(self, shown: Shown) -> FloatArray:
        """The components of a view before it is turned."""
        before = shown.event.components if shown.changes_plane else None
        plane, reference = self.drawn_components(shown), self.reference(shown)
        return self.viewer(shown.record).oriented(plane, reference, before)

    def reference(self, shown: Shown) -> FloatArray | None:
        """Return the rows in the plane to align to, if that is another plane of the same rows."""
        record, toward = shown.record, self.newest(shown.options.toward)
        if toward is None or toward.run_id == record.run_id:
            return None
        other = toward.record
        is_alike = len(toward.event.components) == self.viewer(record).n_components
        tables = [(run.table, run.source.left_out) for run in (other, record)]
        has_same_rows = tables[0] == tables[1]
        return self._coordinates(toward) if is_alike and has_same_rows else None

    @kept(MAX_VIEWERS, lambda _, shown: shown)
    def _coordinates(self, shown: Shown) -> FloatArray:
        return self.viewer(shown.record).coordinates(shown.event.components)

"""Planes of runs as they are drawn, computed when somebody looks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from threadpoolctl import threadpool_limits

from melm_core.base import FloatArray, UserError
from melm_core.kernel_machines import MarginalMethod
from melm_core.linalg import geodesic, orthonormalize
from melm_core.methods import GAMMA, METHODS
from melm_studio.tables import LabelledData
from melm_studio.views.decision_surface import DecisionSurface, decision_surface
from melm_studio.views.edit import moved, plane_of_features, pointing, strongest_features
from melm_studio.views.plane_view import PlaneViewer
from melm_studio.views.types import GammaProfile, PlaneView, ProjectedRows, Scores
from melm_studio.views.view_options import AS_FOUND, Look
from melm_studio.worker.execution.rows import rows_of
from melm_studio.worker.records.run import PlaneEvent, RunRecord
from melm_studio.worker.store.protocol import RunStore

# Data sets kept ready to draw, and drawn planes kept for a second tab.
KEPT_VIEWERS = 16
KEPT_VIEWS = 64
KEPT_SURFACES = 16

# Kernel widths at which a plane's divergence is measured.
PROFILE_GAMMAS = tuple(np.geomspace(GAMMA.minimum, GAMMA.maximum, 21).round(4).tolist())

# A kernel machine of more rows would keep the page waiting, and looks no different.
MOST_SURFACE_ROWS = 3_000


_NO_PLANE = ("", -1)
_NO_SUCH_PLANE = "The run to turn to has no plane yet. Wait for its first one, or choose another."
_OTHER_DATA = (
    "The two planes are not of the same table and of as many components, so there is no way from "
    "one to the other. Choose another run."
)


class DataGoneError(LookupError):
    """The data of a run are no longer stored."""


class NoSuchLookError(UserError):
    """There is no such plane to look at; a sentence that says why."""


class Gallery:
    """Draws the planes of the runs in a store; safe for many threads.

    Parameters
    ----------
    store : RunStore
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._viewer = lru_cache(maxsize=KEPT_VIEWERS)(self._prepare_viewer)
        self._view = lru_cache(maxsize=KEPT_VIEWS)(self._draw)
        self._steered = lru_cache(maxsize=KEPT_VIEWS)(self._steer)
        self._coordinates = lru_cache(maxsize=KEPT_VIEWERS)(self._project)
        self._scores = lru_cache(maxsize=KEPT_VIEWS)(self._score)
        self._profile = lru_cache(maxsize=KEPT_VIEWS)(self._measure_profile)
        self._surface = lru_cache(maxsize=KEPT_SURFACES)(self._fit_surface)

    def data(self, record: RunRecord) -> LabelledData:
        """Return the data set of a run.

        Raises
        ------
        DataGoneError
        """
        raw = self._store.get_data(record.owner, record.data_id)
        if raw is None:
            raise DataGoneError(record.data_id)
        return LabelledData.from_bytes(raw)

    def viewer(self, record: RunRecord) -> PlaneViewer:
        """Return what draws the planes of this run."""
        return self._viewer(_Picture.of(record))

    def view(self, record: RunRecord, event: PlaneEvent, look: Look = AS_FOUND) -> PlaneView:
        """Return the plane of an event as it is drawn under that look.

        Raises
        ------
        NoSuchLookError
        """
        newest = (self._newest(look.toward), self._morph_target(look))
        return self._view(record.run_id, event.sequence, look, *newest)

    def components(self, record: RunRecord, event: PlaneEvent, look: Look = AS_FOUND) -> FloatArray:
        """Return orthonormal components of the plane of an event under that look.

        Raises
        ------
        NoSuchLookError
        """
        if not look.is_of_another_plane:
            return event.components
        plane = self._plane(record, event, look, self._morph_target(look))
        # What is left out stays out, to the last digit.
        return np.where(plane.any(axis=0), orthonormalize(plane), 0.0)

    def _plane(
        self, record: RunRecord, event: PlaneEvent, look: Look, target: tuple[str, int]
    ) -> FloatArray:
        """The plane under that look in the frame in which it is drawn."""
        if not look.is_of_another_plane:
            return event.components
        try:
            return self._steered(record.run_id, event.sequence, look.plane, target)
        except ValueError as error:
            raise NoSuchLookError(str(error)) from error

    def kept_features(self, record: RunRecord, event: PlaneEvent, look: Look) -> list[str]:
        """Return the names of the features in the plane under that look, strongest first."""
        components = self.components(record, event, look)
        features = strongest_features(components, int(components.any(axis=0).sum()))
        return [self.viewer(record).feature_names[feature] for feature in features]

    def _steer(self, run_id: str, sequence: int, look: Look, target: tuple[str, int]) -> FloatArray:
        record, event = self._known(run_id, sequence)
        components, viewer = event.components, self.viewer(record)
        if look.morph is not None:
            components = self._morphed(record, components, target, look.morph[1])
        if look.n_kept is not None:
            features = strongest_features(viewer.standardized(components), look.n_kept)
            components = plane_of_features(
                rows_of(self.data(record), record)[0], components, features, viewer.gamma
            )
        for move in look.moves:
            components = viewer.standardized(moved(viewer.standardized(components), move))
            components = pointing(components, move)
        return components

    def _morphed(
        self, record: RunRecord, components: FloatArray, target: tuple[str, int], share: float
    ) -> FloatArray:
        if target == _NO_PLANE:
            raise ValueError(_NO_SUCH_PLANE)
        other, event = self._known(*target)
        if other.data_id != record.data_id or event.components.shape != components.shape:
            raise ValueError(_OTHER_DATA)
        return geodesic(components, event.components, share)

    def _morph_target(self, look: Look) -> tuple[str, int]:
        return self._newest(None if look.morph is None else look.morph[0])

    def _newest(self, run_id: str | None) -> tuple[str, int]:
        """The run and the number of its newest plane."""
        event = None if run_id is None else self._store.last_event(run_id)
        return _NO_PLANE if run_id is None or event is None else (run_id, event.sequence)

    def _project(self, run_id: str, sequence: int) -> FloatArray:
        record, event = self._known(run_id, sequence)
        return self.viewer(record).coordinates(event.components)

    def divergence(self, record: RunRecord, event: PlaneEvent, look: Look = AS_FOUND) -> float:
        """Return that of the seen rows in the plane on screen, with the kernels on screen."""
        is_objective = METHODS[record.method].reports_divergence and not look.is_of_another_plane
        if is_objective and look.gamma is None:
            return event.objective
        viewer = self.viewer(record)
        drawn_by = viewer if look.gamma is None else viewer.at(look.gamma)
        return drawn_by.divergence(self.components(record, event, look))

    def scores(self, record: RunRecord, event: PlaneEvent) -> Scores:
        """Return how well the plane of an event separates the rows, without drawing it."""
        return self._scores(record.run_id, event.sequence)

    def _score(self, run_id: str, sequence: int) -> Scores:
        record, event = self._known(run_id, sequence)
        return self.viewer(record).scores(event.components)

    def profile(self, record: RunRecord, event: PlaneEvent, look: Look = AS_FOUND) -> GammaProfile:
        """Return the divergence in the plane of an event over the range of kernel widths."""
        return self._profile(record.run_id, event.sequence, look.plane)

    def _measure_profile(self, run_id: str, sequence: int, look: Look) -> GammaProfile:
        record, event = self._known(run_id, sequence)
        return self.viewer(record).profile(self.components(record, event, look), PROFILE_GAMMAS)

    def surface(
        self, record: RunRecord, event: PlaneEvent, kind: str, code: int, method: MarginalMethod
    ) -> tuple[ProjectedRows, DecisionSurface]:
        """Return a kernel machine fitted in the plane of an event, a class against the rest.

        Raises
        ------
        ValueError
            If there is no such kind of machine, or a side has too few rows.
        """
        return self._surface(record.run_id, event.sequence, kind, code, method)

    def _fit_surface(
        self, run_id: str, sequence: int, kind: str, code: int, method: MarginalMethod
    ) -> tuple[ProjectedRows, DecisionSurface]:
        record, event = self._known(run_id, sequence)
        rows = self.viewer(record).rows(event.components, MOST_SURFACE_ROWS)
        with threadpool_limits(1):  # the workers need the other cores
            surface = decision_surface(
                rows.seen,
                rows.seen_y == code,
                rows.unseen,
                rows.unseen_y == code,
                kind=kind,
                method=method,
            )
        return rows, surface

    def _prepare_viewer(self, picture: _Picture) -> PlaneViewer:
        record = picture.record
        parameters = record.parameters
        rows = _about_their_mean(*rows_of(self.data(record), record))
        return PlaneViewer(*rows, parameters["gamma"], parameters["n_components"])

    def _draw(
        self,
        run_id: str,
        sequence: int,
        look: Look,
        toward: tuple[str, int],
        target: tuple[str, int],
    ) -> PlaneView:
        record, event = self._known(run_id, sequence)
        viewer = self.viewer(record)
        drawn_by = viewer if look.gamma is None else viewer.at(look.gamma)
        components = self._plane(record, event, look, target)
        return drawn_by.view(components, self._reference(record, toward), look.direction)

    def _reference(self, record: RunRecord, toward: tuple[str, int]) -> FloatArray | None:
        """Where the rows lie in the plane to turn towards: another one, of the same rows."""
        if toward == _NO_PLANE or toward[0] == record.run_id:
            return None
        other, event = self._known(*toward)
        is_alike = len(event.components) == self.viewer(record).n_components
        has_same_rows = other.table == record.table
        return self._coordinates(*toward) if is_alike and has_same_rows else None

    def _known(self, run_id: str, sequence: int) -> tuple[RunRecord, PlaneEvent]:
        record, event = self._store.get(run_id), self._store.event(run_id, sequence)
        if record is None or event is None:
            raise DataGoneError(run_id)
        return record, event


def _about_their_mean(
    seen: LabelledData, unseen: LabelledData
) -> tuple[LabelledData, LabelledData]:
    """The rows with the mean of all of them in the middle, whatever scale they are on.

    So pictures of features that were standardised and of such that were not lie over each other.
    """
    total = seen.X.sum(axis=0) + unseen.X.sum(axis=0)
    mean = total / (len(seen.X) + len(unseen.X))
    return replace(seen, X=seen.X - mean), replace(unseen, X=unseen.X - mean)


@dataclass(frozen=True)
class _Picture:
    """A run, equal to any other one whose picture differs by the plane alone."""

    key: tuple[object, ...]
    record: RunRecord = field(compare=False)

    @classmethod
    def of(cls, record: RunRecord) -> _Picture:
        parameters = record.parameters
        shared = ("held_out", "random_state", "gamma", "n_components")
        key: tuple[object, ...] = (
            record.owner,
            record.data_id,
            *(parameters[name] for name in shared),
        )
        if not METHODS[record.method].is_linear:
            key = (*key, record.method, *sorted(parameters.items()))
        return cls(key, record)

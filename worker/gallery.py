"""Planes of runs as they are drawn, computed when somebody looks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from threadpoolctl import threadpool_limits

from melm_core._typing import FloatArray
from melm_core.datasets import LabelledData
from melm_core.decision_surface import DecisionSurface, decision_surface
from melm_core.maximum_entropy import Method
from melm_core.methods import METHODS
from melm_core.parameters import GAMMA
from melm_core.views import GammaProfile, PlaneView, PlaneViewer, ProjectedRows
from worker.records import PlaneEvent, RunRecord
from worker.rows import rows_of
from worker.store import RunStore

# Data sets kept ready to draw, and drawn planes kept for a second tab.
KEPT_VIEWERS = 16
KEPT_VIEWS = 64
KEPT_SURFACES = 16

# Kernel widths at which a plane's divergence is measured.
PROFILE_GAMMAS = tuple(np.geomspace(GAMMA.minimum, GAMMA.maximum, 21).round(4).tolist())

# A kernel machine of more rows would keep the page waiting, and looks no different.
MOST_SURFACE_ROWS = 3_000


class DataGoneError(LookupError):
    """The data of a run are no longer stored."""


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
        self._coordinates = lru_cache(maxsize=KEPT_VIEWERS)(self._project)
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

    def view(
        self, record: RunRecord, event: PlaneEvent, toward: RunRecord | None = None
    ) -> PlaneView:
        """Return the plane of an event as it is drawn, turned towards that of another run."""
        return self._view(record.run_id, event.sequence, *self._newest(toward))

    def view_at(
        self,
        record: RunRecord,
        event: PlaneEvent,
        gamma: float,
        toward: RunRecord | None = None,
    ) -> PlaneView:
        """Return the same with kernels of another width."""
        reference = self._coordinates(*self._newest(toward))
        return self.viewer(record).at(gamma).view(event.components, reference)

    def _newest(self, toward: RunRecord | None) -> tuple[str, int]:
        """The run to turn towards and the number of its newest plane, -1 where there is none."""
        event = None if toward is None else self._store.last_event(toward.run_id)
        if toward is None or event is None:
            return "", -1
        return toward.run_id, event.sequence

    def _project(self, run_id: str, sequence: int) -> FloatArray | None:
        if sequence < 0:
            return None
        record, event = self._known(run_id, sequence)
        return self.viewer(record).coordinates(event.components)

    def profile(self, record: RunRecord, event: PlaneEvent) -> GammaProfile:
        """Return the divergence in the plane of an event over the range of kernel widths."""
        return self._profile(record.run_id, event.sequence)

    def _measure_profile(self, run_id: str, sequence: int) -> GammaProfile:
        record, event = self._known(run_id, sequence)
        return self.viewer(record).profile(event.components, PROFILE_GAMMAS)

    def surface(
        self, record: RunRecord, event: PlaneEvent, kind: str, code: int, method: Method
    ) -> tuple[ProjectedRows, DecisionSurface]:
        """Return a kernel machine fitted in the plane of an event, a class against the rest.

        Raises
        ------
        ValueError
            If there is no such kind of machine, or a side has too few rows.
        """
        return self._surface(record.run_id, event.sequence, kind, code, method)

    def _fit_surface(
        self, run_id: str, sequence: int, kind: str, code: int, method: Method
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
        return PlaneViewer(*rows_of(self.data(record), record), record.parameters["gamma"])

    def _draw(self, run_id: str, sequence: int, toward: str, toward_sequence: int) -> PlaneView:
        record, event = self._known(run_id, sequence)
        reference = self._coordinates(toward, toward_sequence)
        return self.viewer(record).view(event.components, reference)

    def _known(self, run_id: str, sequence: int) -> tuple[RunRecord, PlaneEvent]:
        record, event = self._store.get(run_id), self._store.event(run_id, sequence)
        if record is None or event is None:
            raise DataGoneError(run_id)
        return record, event


@dataclass(frozen=True)
class _Picture:
    """A run, equal to any other one whose picture differs by the plane alone."""

    key: tuple[object, ...]
    record: RunRecord = field(compare=False)

    @classmethod
    def of(cls, record: RunRecord) -> _Picture:
        parameters = record.parameters
        shared = (parameters["held_out"], parameters["random_state"], parameters["gamma"])
        key: tuple[object, ...] = (record.owner, record.data_id, shared)
        if not METHODS[record.method].is_linear:
            key = (*key, record.method, *sorted(parameters.items()))
        return cls(key, record)

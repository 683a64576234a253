"""Planes of runs as they are drawn, computed when somebody looks."""

from __future__ import annotations

from functools import lru_cache

from melm_core.datasets import LabelledData
from melm_core.views import PlaneView, PlaneViewer
from worker.records import PlaneEvent, RunRecord
from worker.store import RunStore

# Data sets kept ready to draw, and drawn planes kept for a second tab.
KEPT_VIEWERS = 16
KEPT_VIEWS = 64


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
        """Return what draws planes of this run's data at this run's gamma."""
        parameters = record.parameters
        return self._viewer(
            record.owner,
            record.data_id,
            parameters["held_out"],
            parameters["random_state"],
            parameters["gamma"],
        )

    def view(self, record: RunRecord, event: PlaneEvent) -> PlaneView:
        """Return the plane of an event as it is drawn."""
        return self._view(record.run_id, event.sequence)

    def _draw(self, run_id: str, sequence: int) -> PlaneView:
        record, event = self._store.get(run_id), self._store.event(run_id, sequence)
        if record is None or event is None:
            raise DataGoneError(run_id)
        return self.viewer(record).view(event.components)

    def _prepare_viewer(
        self, owner: str, data_id: str, held_out: float, random_state: int, gamma: float
    ) -> PlaneViewer:
        raw = self._store.get_data(owner, data_id)
        if raw is None:
            raise DataGoneError(data_id)
        seen, unseen = LabelledData.from_bytes(raw).split(held_out, random_state)
        return PlaneViewer(seen, unseen, gamma)

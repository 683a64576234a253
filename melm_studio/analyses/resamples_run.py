"""Runs that refit the plane of another run to bootstrap resamples of its training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from melm_core.base import FloatArray, UserError
from melm_core.evaluation import Stability, stability
from melm_core.linalg import principal_angles
from melm_core.methods import GAMMA, SEED
from melm_studio.configuration.clock import Clock
from melm_studio.runs.execution.derived_planes import keep_plane
from melm_studio.runs.execution.giving_way import POLL_S, StoppedError, stop_if_requested
from melm_studio.runs.execution.rows import nuisance_of, rows_of
from melm_studio.runs.execution.stored_report import stored_report
from melm_studio.runs.records.check_report import FeatureStability
from melm_studio.runs.records.resamples_report import ResamplesReport
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData

N_RESAMPLES = 20

_NO_PLANE = "The run has no plane to refit. Run it again, then resample its plane."


def resamples_of(store: RunStore, run_id: str) -> ResamplesReport:
    """Return the resamples so far."""
    return stored_report(store, run_id, ResamplesReport.from_bytes) or ResamplesReport()


def resample(store: RunStore, record: RunRecord, data: LabeledData, clock: Clock) -> bool:
    """Refit the plane, keep the planes as the history of the run; return false if stopped."""
    try:
        _Resampling(store, record, clock).run(data)
    except StoppedError:
        return False
    return True


class _Resampling:
    """Resamples at work."""

    def __init__(self, store: RunStore, record: RunRecord, clock: Clock) -> None:
        self._store, self._record, self._clock = store, record, clock
        self._began_s = clock.monotonic()
        last, self._gamma = self._awaited()
        self._start = last.components
        self._report = ResamplesReport(n_resamples=N_RESAMPLES)

    def _awaited(self) -> tuple[PlaneEvent, float]:
        """The last plane of the run, and its kernel width, once it has ended."""
        run_id = self._record.of_run
        while (fit := self._store.get(run_id)) is not None and not fit.state.is_final:
            stop_if_requested(self._store, self._record, self._clock)
            self._clock.sleep(POLL_S)
        last = self._store.last_event(run_id)
        if fit is None or last is None:
            raise UserError(_NO_PLANE)
        return last, fit.gamma

    def run(self, data: LabeledData) -> None:
        train, _ = rows_of(data, self._record)
        self._update(by_groups=train.groups is not None)
        found = stability(
            self._record.method,
            train.X,
            train.y,
            groups=train.groups,
            **nuisance_of(train, self._record),
            n_resamples=N_RESAMPLES,
            parameters=self._parameters(),
            standardize=False,
            random_state=self._record.parameters[SEED.name],
            start=self._start,
            plane_callback=self._after_plane,
        )
        mean = self._append(found.mean_plane)
        self._update(mean=mean, features=feature_stability(found))

    def _parameters(self) -> dict[str, Any]:
        """Those of the run, with the kernel width that it chose."""
        return self._record.parameters_without_start | {GAMMA.name: self._gamma}

    def _after_plane(self, plane: FloatArray) -> None:
        number = self._append(plane)
        angle = float(np.degrees(principal_angles(plane, self._start)[-1]))
        self._update(planes=(*self._report.planes, number), angles=(*self._report.angles, angle))
        stop_if_requested(self._store, self._record, self._clock)

    def _update(self, **changes: Any) -> None:
        self._report = replace(self._report, **changes)
        self._store.put_report(self._record.run_id, self._report.to_bytes())

    def _append(self, plane: FloatArray) -> int:
        n_done = len(self._report.planes)
        return keep_plane(
            self._store,
            self._record.run_id,
            n_done,
            plane,
            stage=f"resample {n_done + 1}",
            fraction=n_done / N_RESAMPLES,
            elapsed_s=self._clock.monotonic() - self._began_s,
        )


def feature_stability(found: Stability) -> FeatureStability:
    """What resamples say of the features."""
    lower, upper = found.length_interval
    n_top = found.n_features_used
    return FeatureStability(
        angle=float(np.degrees(found.largest_angle)),
        n_resamples=len(found.planes),
        n_top=n_top,
        frequencies=tuple(found.selection_frequencies(n_top).tolist()),
        lower=tuple(lower.tolist()),
        upper=tuple(upper.tolist()),
    )

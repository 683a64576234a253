"""Runs that compute the class probabilities of every row by planes fitted without it."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np

from melm_core.base import FloatArray
from melm_core.diagnostics import out_of_fold_probabilities
from melm_studio.configuration.clock import Clock
from melm_studio.runs.execution.giving_way import is_stopped
from melm_studio.runs.execution.rows import judged_rows
from melm_studio.runs.execution.stored_report import stored_report
from melm_studio.runs.records.run import RunKind, RunRecord, RunState
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData

# The densities of more rows at all of them would take minutes.
MAX_SCORED_ROWS = 20_000


def standing_probabilities(runs: Iterable[RunRecord]) -> dict[str, RunRecord]:
    """Return the newest such run of each fit by the id of the fit, unless it was interrupted.

    One that failed would fail again.
    """
    known = (run for run in runs if run.kind is RunKind.PROBABILITIES)
    interrupted = (RunState.CANCELLED, RunState.LOST)
    return {run.of_run: run for run in known if run.state not in interrupted}


def probabilities_of(store: RunStore, run_id: str) -> FloatArray | None:
    """Return the probabilities of shape (n_samples, n_classes), or None while unknown."""
    return stored_report(store, run_id, _probabilities)


def _probabilities(raw: bytes) -> FloatArray:
    found: FloatArray = np.load(io.BytesIO(raw), allow_pickle=False).astype(np.float64)
    return found


def compute_probabilities(
    store: RunStore, record: RunRecord, data: LabeledData, clock: Clock
) -> bool:
    """Compute and store the probabilities of the rows of a run; return false if stopped."""

    def stops(*_: object) -> bool:
        return is_stopped(store, record, clock)

    found = out_of_fold_probabilities(
        record.method,
        **judged_rows(data, record=record),
        gamma=record.gamma,
        parameters=record.parameters_without_start,
        random_state=record.parameters["random_state"],
        callback=stops,
    )
    if np.isnan(found).any():
        return False
    file = io.BytesIO()
    np.save(file, found.astype(np.float32), allow_pickle=False)
    store.put_report(record.run_id, file.getvalue())
    return True

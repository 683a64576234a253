"""Class probabilities of every row, by planes fitted without it; suspect labels have low ones."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from melm_core.base import FloatArray
from melm_core.diagnostics import out_of_fold_probabilities
from melm_studio.analyses.analysis import Analysis, DataShape, Work, demand
from melm_studio.runs.execution.giving_way import StoppedError, is_stopped
from melm_studio.runs.execution.rows import judged_rows
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.runs.records.sent_array import array_header, finite_array
from melm_studio.tables import LabeledData, number

# The densities of more rows at all of them would take minutes.
MAX_SCORED_ROWS = 20_000

_TOO_MANY_ROWS = (
    "Suspect labels are found among {most:,} rows at most. Leave out rows, or look at the outliers "
    "instead."
)

# Of shape (n_rows, n_classes); None while they are unknown.
Found: TypeAlias = FloatArray | None


class Probabilities(Analysis[Found]):
    """Out-of-fold probabilities; rows are marked by them, so that they open no dialog."""

    name = "probabilities"

    def refusal(self, record: RunRecord, data: Callable[[], LabeledData]) -> str:
        too_many = len(data().y) > MAX_SCORED_ROWS
        return _TOO_MANY_ROWS.format(most=MAX_SCORED_ROWS) if too_many else ""

    def stands(self, run: RunRecord) -> bool:
        """One that failed would fail again."""
        return run.state not in (RunState.CANCELLED, RunState.LOST)

    def compute(self, work: Work) -> None:
        def stops(*_: object) -> bool:
            return is_stopped(work.store, work.record, work.clock)

        record = work.record
        found = out_of_fold_probabilities(
            record.method,
            **judged_rows(work.data, record=record),
            gamma=record.gamma,
            parameters=record.parameters_without_start,
            random_state=record.parameters.random_state,
            callback=stops,
        )
        if np.isnan(found).any():
            raise StoppedError
        file = io.BytesIO()
        np.save(file, found.astype(np.float32), allow_pickle=False)
        work.store.put_report(record.run_id, file.getvalue())

    def read(self, raw: bytes) -> Found:
        found: FloatArray = np.load(io.BytesIO(raw), allow_pickle=False).astype(np.float64)
        return found

    def blank(self) -> Found:
        return None

    def progress(self, report: Found) -> tuple[float, str]:
        return float(report is not None), ""

    def sentence(self, report: Found, *, is_final: bool) -> str:
        if report is None:
            return "No probabilities." if is_final else "Refitting the plane without each fold."
        return f"Probabilities of {number(len(report))} rows, by planes fitted without them."

    def checked(self, raw: bytes, shape: DataShape) -> bytes:
        found, dtype = array_header(raw)
        demand(found == (shape.n_rows, shape.n_classes) and dtype == np.float32)
        return finite_array(raw)

    def as_json(self, report: Found) -> Any:
        return None if report is None else report.tolist()


PROBABILITIES = Probabilities()

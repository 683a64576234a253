"""Calibrated class probabilities of every row, by planes fitted without it, and suspect labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from melm_core.evaluation import Refits
from melm_studio.analyses.analysis import Analysis, DataShape, Work
from melm_studio.rows.held_out_probabilities import HeldOutProbabilities
from melm_studio.runs.execution.giving_way import StoppedError, is_stopped
from melm_studio.runs.execution.rows import study_of
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.tables import LabeledData, number

# The densities of more rows at all of them would take minutes.
MAX_SCORED_ROWS = 20_000

_TOO_MANY_ROWS = (
    "Suspect labels are found among {most:,} rows at most. Leave out rows, or look at the outliers "
    "instead."
)

# None while they are unknown.
Found: TypeAlias = HeldOutProbabilities | None


class Probabilities(Analysis[Found]):
    """They mark rows and calibrate new ones, so that no line opens them."""

    report = HeldOutProbabilities
    name = "probabilities"

    def refusal(self, record: RunRecord, data: Callable[[], LabeledData]) -> str:
        too_many = len(data().y) > MAX_SCORED_ROWS
        return _TOO_MANY_ROWS.format(most=MAX_SCORED_ROWS) if too_many else ""

    def stands(self, run: RunRecord) -> bool:
        """Return whether it need not be begun again: one that failed would fail again."""
        return run.state not in (RunState.CANCELLED, RunState.LOST)

    def compute(self, work: Work) -> None:
        def stops(_: Refits) -> bool:
            return is_stopped(work.store, work.record, work.clock)

        record, study = work.record, study_of(work.data, work.record)
        # One split of a large table would leave most rows without probabilities.
        refits = Refits.of(
            study, study.folds_of_all_rows, gamma=record.density_gamma, callback=stops
        )
        if not refits.is_complete:
            raise StoppedError
        report = HeldOutProbabilities.of(refits)
        work.store.put_report(record.run_id, report.to_bytes())

    def blank(self) -> Found:
        return None

    def progress(self, report: Found) -> tuple[float, str]:
        return float(report is not None), ""

    def sentence(self, report: Found, *, is_final: bool) -> str:
        if report is None:
            return "No probabilities." if is_final else "Refitting the plane without each fold."
        rows = f"{number(len(report.probabilities))} rows"
        return f"Calibrated probabilities of {rows}, by planes fitted without them."

    def checked(self, raw: bytes, shape: DataShape) -> bytes:
        return HeldOutProbabilities.checked(raw, (shape.n_rows, shape.n_classes)).to_bytes()

    def as_json(self, report: Found) -> Any:
        return None if report is None else report.probabilities.tolist()


PROBABILITIES = Probabilities()

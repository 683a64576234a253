"""The verdict on a run: its numbers, for every place that shows them."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from melm_core.methods import METHODS
from melm_studio.analyses.validation_run import report_of
from melm_studio.configuration.messages import WAITS
from melm_studio.planes.captions import title
from melm_studio.planes.renderer import QUICK_METHOD, PlaneRenderer
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.run import PlaneEvent, RunRecord, RunState
from melm_studio.runs.store.protocol import RunStore
from melm_studio.scores import CheckProgress, Verdict, better_note, check_verdict


def run_verdict(
    renderer: PlaneRenderer,
    store: RunStore,
    record: RunRecord,
    event: PlaneEvent,
    *,
    fits: Iterable[RunRecord],
    check: RunRecord | None,
) -> Verdict:
    """The answer of the check of a run or, without one, of its held-out rows.

    Parameters
    ----------
    renderer : PlaneRenderer
    store : RunStore
    record : RunRecord
        Of a run that has ended.
    event : PlaneEvent
        Its newest plane.
    fits : iterable of RunRecord
        The runs of the visitor.
    check : RunRecord or None
        Of the run.
    """
    report = CheckReport() if check is None else report_of(store, check.run_id)
    progress = None if check is None else _progress(check, report)
    batches = renderer.scores(record, event).batches
    first = ("" if batches is None else batches.sentence, report.problem)
    verdict = check_verdict(report)
    if verdict is not None:
        return replace(verdict, check=progress, remarks=first)  # the others are in the details
    verdict = renderer.held_out(record, event)
    better = _better_note(verdict, renderer, record, fits)
    return replace(verdict, check=progress, remarks=(*first, better))


def _progress(check: RunRecord, report: CheckReport) -> CheckProgress:
    stage = WAITS if check.state is RunState.QUEUED else check.message or report.stage
    return CheckProgress(stage, report.fraction, check.state.is_final)


def _better_note(
    verdict: Verdict, renderer: PlaneRenderer, record: RunRecord, fits: Iterable[RunRecord]
) -> str:
    if verdict.standard_error is None:  # no row is held out
        return ""
    others = {
        title(other): score
        for other in fits
        if _has_same_rows(other, record)
        if (score := renderer.final_accuracy(other)) is not None
    }
    if not others and record.method != QUICK_METHOD:
        quick = renderer.quick_accuracy(record)
        others = {} if quick is None else {f"A quick {METHODS[QUICK_METHOD].label}": quick}
    return better_note(verdict.share, verdict.standard_error, others)


def _has_same_rows(other: RunRecord, record: RunRecord) -> bool:
    """Whether another finished run was fitted to the same rows, so that shares can be compared."""
    return (
        other.run_id != record.run_id
        and other.state is RunState.DONE
        and other.data_id == record.data_id
        and other.parameters.held_out == record.parameters.held_out
        and other.parameters.random_state == record.parameters.random_state
    )

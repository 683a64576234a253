"""What the strip above the picture of a run says."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from melm_core.base import percent
from melm_core.evaluation import Answer
from melm_core.methods import METHODS
from melm_studio.analyses.strip import (
    CheckProgress,
    Verdict,
    better_note,
    checked_verdict,
    held_out_verdict,
    rare_class_note,
)
from melm_studio.analyses.validation_run import report_of
from melm_studio.configuration.messages import WAITS
from melm_studio.planes.batches import batch_sentence
from melm_studio.planes.captions import title
from melm_studio.planes.renderer import QUICK_METHOD, PlaneRenderer
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.run import PlaneEvent, RunRecord, RunState
from melm_studio.runs.store.protocol import RunStore

_SPLIT = ("held_out", "random_state")  # parameters that decide which rows are held out


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
    report = None if check is None else report_of(store, check.run_id)
    progress = None if check is None or report is None else _progress(check, report)
    batches = batch_sentence(renderer.scores(record, event).batches)
    if report is not None and progress is not None and report.words:
        verdict = checked_verdict(report, progress)
    else:
        verdict = replace(_of_held_out(renderer, record, event, fits), check=progress)
    return replace(verdict, notes=(*filter(None, [batches]), *verdict.notes))


def _progress(check: RunRecord, report: CheckReport) -> CheckProgress:
    stage = WAITS if check.state is RunState.QUEUED else check.message or report.stage
    return CheckProgress(stage, report.fraction, check.state.is_final)


def _of_held_out(
    renderer: PlaneRenderer,
    record: RunRecord,
    event: PlaneEvent,
    fits: Iterable[RunRecord],
) -> Verdict:
    result = renderer.held_out(record, event)
    if result is None:
        train = percent(renderer.scores(record, event).accuracy_train)
        lead = f"{train[:1].upper()}{train[1:]} of training rows are told apart"
        follow = "a class has no held-out row, so nothing is known about new rows"
        return Verdict(Answer.UNKNOWN, lead, follow, ())
    others = {
        title(other): score
        for other in fits
        if _has_same_rows(other, record)
        if (score := renderer.final_accuracy(other)) is not None
    }
    if not others and record.method != QUICK_METHOD:
        quick = renderer.quick_accuracy(record)
        others = {} if quick is None else {f"A quick {METHODS[QUICK_METHOD].label}": quick}
    verdict = held_out_verdict(result)
    notes = (
        better_note(result.accuracy, result.standard_error, others),
        *verdict.notes,
        rare_class_note(result.class_counts),
    )
    return replace(verdict, notes=tuple(filter(None, notes)))


def _has_same_rows(other: RunRecord, record: RunRecord) -> bool:
    """Whether another finished run was fitted to the same rows, so that shares can be compared."""
    return (
        other.run_id != record.run_id
        and other.state is RunState.DONE
        and other.data_id == record.data_id
        and all(other.parameters[name] == record.parameters[name] for name in _SPLIT)
    )

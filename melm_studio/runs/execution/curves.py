"""Choice whether the features of a run bend, from its training rows."""

from __future__ import annotations

from msgspec import structs

from melm_core.evaluation import AutoCurves
from melm_core.methods import AUTO
from melm_studio.runs.execution.rows import is_to_choose_curves, prepared_for, split_of
from melm_studio.runs.records.outcome import CurvesFound
from melm_studio.runs.records.run import AT_WORK, RunRecord
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData

_STRAIGHT = CurvesFound(is_curved=False, gain=0.0, standard_error=0.0)


def with_chosen_curves(store: RunStore, record: RunRecord, data: LabeledData) -> RunRecord:
    """Return the run with the choice, which is stored before its first plane.

    One that was queued again keeps its choice.

    Parameters
    ----------
    store : RunStore
    record : RunRecord
    data : LabeledData
        As the store has them.
    """
    parameters = record.parameters
    if parameters.curves != AUTO or record.outcome.curves is not None:
        return record
    curves_found = _STRAIGHT
    if is_to_choose_curves(record):
        train, _ = split_of(prepared_for(data, record), record)
        curves = AutoCurves(train.preparation, parameters.random_state)
        choice = curves.choice(train.unprepared, train.y, train.groups)
        curves_found = CurvesFound(
            is_curved=choice.is_curved,
            gain=choice.gain.balanced_accuracy,
            standard_error=choice.gain.standard_error,
        )
    outcome = structs.replace(record.outcome, curves=curves_found)
    store.transition(record.run_id, AT_WORK, outcome=outcome)
    return structs.replace(record, outcome=outcome)

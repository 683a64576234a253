"""The features of a run, the rows that it is fitted to, and those that judge its method."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NewType

from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import AutoCurves
from melm_core.methods import AUTO, METHODS
from melm_core.recipe import Scaling
from melm_studio.runs.execution.embedding import embedded
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData

ALL = slice(None)

# The data of a run, whose preparation is fitted to its training rows: whatever takes features of a
# run takes these. Those in the store are prepared by all rows, and are what several runs share.
RunData = NewType("RunData", LabeledData)


def prepared_for(data: LabeledData, record: RunRecord) -> RunData:
    """Return stored data as a run has them: what prepares them is fitted to its training rows.

    Its features bend where the run says so, as the training rows have them.

    Parameters
    ----------
    data : LabeledData
        As the store has them.
    record : RunRecord

    Raises
    ------
    UserError
        If a step of the preparation cannot be computed.
    """
    parameters = record.parameters
    is_held_out = data.held_out_rows(parameters.held_out, parameters.random_state)
    prepared = data.prepared_by(~is_held_out)
    if not record.is_curved:
        return RunData(prepared)
    train, _ = prepared.split(parameters.held_out, parameters.random_state)
    return RunData(prepared.with_curves(train))


def rows_of(
    data: RunData, record: RunRecord, embedding: FloatArray | None = None
) -> tuple[LabeledData, LabeledData]:
    """Return the training and held-out rows in the coordinates that the run's planes project.

    Parameters
    ----------
    data : RunData
    record : RunRecord
    embedding : ndarray of shape (n_embedded, n_components), optional
        What the run kept, see `kept_embedding`.
    """
    return embedded(
        METHODS[record.method], record.parameters.values, *split_of(data, record), embedding
    )


def split_of(data: RunData, record: RunRecord) -> tuple[LabeledData, LabeledData]:
    """Return the training and held-out rows in the features."""
    return data.split(record.parameters.held_out, record.parameters.random_state)


def nuisance_of(data: LabeledData, record: RunRecord) -> dict[str, Any]:
    """The batches as the keyword of a fit that is to be blind to them; empty for any other."""
    batches = data.batches if record.batch_weight > 0 else None
    return {} if batches is None else {"nuisance": batches}


def judged_rows(
    data: LabeledData, chosen: IntArray | slice = ALL, record: RunRecord | None = None
) -> dict[str, Any]:
    """The rows for functions of `melm_core.evaluation`, with what they refit in each fold.

    That is the preparation of the table or, where it only standardizes, standardization.

    Parameters
    ----------
    data : LabeledData
    chosen : ndarray of int or slice, optional
        Indices of the rows to use; by default all.
    record : RunRecord, optional
        The run whose method is refitted, which may be blind to batches, and which may choose in
        each fold whether features bend.
    """
    groups = data.groups
    rows = {"y": data.y[chosen], "groups": None if groups is None else groups[chosen]}
    if record is not None:
        rows |= {name: values[chosen] for name, values in nuisance_of(data, record).items()}
    if record is not None and is_to_choose_curves(record):
        straight = replace(data.preparation, curves=False)
        chosen_later = AutoCurves(straight, record.parameters.random_state)
        return rows | {"X": data.unprepared[chosen], "preparation": chosen_later}
    if not is_prepared_in_folds(data):
        is_standardized = data.recipe.scaling is Scaling.UNIT
        return rows | {"X": data.X[chosen], "standardize": is_standardized}
    return rows | {"X": data.unprepared[chosen], "preparation": data.preparation}


def is_prepared_in_folds(data: LabeledData) -> bool:
    """Whether refits prepare the encoded rows anew, rather than standardize prepared ones."""
    return not data.recipe.is_plain or data.is_missing is not None or data.has_curves


def resampled_rows(data: LabeledData, record: RunRecord | None = None) -> dict[str, Any]:
    """As `judged_rows`, but all fits have the features of the table, so that planes compare.

    A resample without the missing values of a column keeps the feature that marks them.
    """
    rows = judged_rows(data, record=record)
    if "preparation" not in rows:
        return rows
    indicators = None if data.rules is None else data.rules.indicators
    return rows | {"preparation": replace(data.preparation, indicators=indicators)}


def rows_of_one_basis(data: LabeledData, record: RunRecord) -> dict[str, Any]:
    """As `resampled_rows`, but all fits have the curves of the run, so that columns compare.

    For what no held-out score is read from: a curve has its knots from all rows.
    """
    rows = resampled_rows(data, record)
    if not data.has_curves:
        return rows
    columns = {"X": data.X, "standardize": False}
    return {key: value for key, value in rows.items() if key != "preparation"} | columns


def is_to_choose_curves(record: RunRecord) -> bool:
    """Whether inner folds decide if features bend; labels do not shape what ignores them."""
    return record.parameters.curves == AUTO and METHODS[record.method].uses_labels

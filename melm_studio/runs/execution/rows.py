"""The features of a run, bent or straight, the rows that it is fitted to, and its judges.

A nonlinear method has rows in coordinates of its own, to which its components apply.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NewType, TypeAlias

import numpy as np
from msgspec import structs

from melm_core.base import FloatArray, IntArray, unpacked_array
from melm_core.evaluation import AutoCurves, Study, Unchanged
from melm_core.methods import AUTO, COMPONENTS, METHODS, Method
from melm_core.recipe import Scaling
from melm_studio.runs.records.outcome import CurvesFound, FitOutcome
from melm_studio.runs.records.run import AT_WORK, RunRecord
from melm_studio.runs.store.protocol import RunStore, stored_report
from melm_studio.tables import LabeledData

ALL = slice(None)

_NOTHING: Mapping[str, Any] = MappingProxyType({})

# Keywords of `Study`, of data, indices of rows and a run.
Rows: TypeAlias = Callable[..., dict[str, Any]]

# The data of a run, whose preparation is fitted to its training rows: whatever takes features of a
# run takes these. Those in the store are prepared by all rows, and are what several runs share.
RunData = NewType("RunData", LabeledData)
_STRAIGHT = CurvesFound(is_curved=False, gain=0.0, standard_error=0.0)


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
    """Return batches as the keyword of a fit that is to be blind to them; else empty."""
    batches = data.batches if record.batch_weight > 0 else None
    return {} if batches is None else {"nuisance": batches}


def judged_rows(
    data: LabeledData, indices: IntArray | slice = ALL, record: RunRecord | None = None
) -> dict[str, Any]:
    """Return the rows as keywords of `Study`, with what refits prepare anew.

    That is the preparation of the table or, where it only standardizes, standardization. Rows are
    independent unless the table says which depend on each other.

    Parameters
    ----------
    data : LabeledData
    indices : ndarray of int or slice, optional
        Indices of the rows to use; by default all.
    record : RunRecord, optional
        The run whose method is refitted, which may be blind to batches, and which may choose in
        each fold whether features bend.
    """
    groups = np.arange(len(data.y)) if data.groups is None else data.groups
    rows: dict[str, Any] = {"y": data.y[indices], "groups": groups[indices]}
    if record is not None:
        rows |= {name: values[indices] for name, values in nuisance_of(data, record).items()}
    if not is_prepared_in_folds(data, record):
        is_standardized = data.recipe.scaling is Scaling.UNIT
        preparation = None if is_standardized else Unchanged()
        return rows | {"X": data.X[indices], "preparation": preparation}
    rows |= {"X": data.unprepared[indices], "preparation": data.preparation}
    if record is not None and is_to_choose_curves(record):
        straight = replace(data.preparation, curves=False)
        rows |= {"preparation": AutoCurves(straight, record.parameters.random_state)}
    return rows


def is_prepared_in_folds(data: LabeledData, record: RunRecord | None) -> bool:
    """Return whether refits prepare the encoded rows anew, not standardize prepared ones."""
    if record is not None and is_to_choose_curves(record):
        return True
    return not data.recipe.is_plain or data.is_missing is not None or data.has_curves


def resampled_rows(
    data: LabeledData, indices: IntArray | slice = ALL, record: RunRecord | None = None
) -> dict[str, Any]:
    """Return `judged_rows` with the features of the table in all fits, so that planes compare.

    A resample without the missing values of a column keeps the feature that marks them.
    """
    rows = judged_rows(data, indices, record)
    if not is_prepared_in_folds(data, record):
        return rows
    indicators = None if data.rules is None else data.rules.indicators
    return rows | {"preparation": replace(data.preparation, indicators=indicators)}


def rows_of_one_basis(
    data: LabeledData, indices: IntArray | slice = ALL, record: RunRecord | None = None
) -> dict[str, Any]:
    """Return `resampled_rows` with the curves of the run in all fits, so that columns compare.

    For what no held-out score is read from: a curve has its knots from all rows.
    """
    rows = prepared_rows if data.has_curves else resampled_rows
    return rows(data, indices, record)


def prepared_rows(
    data: LabeledData, indices: IntArray | slice = ALL, record: RunRecord | None = None
) -> dict[str, Any]:
    """Return `judged_rows` as the data are prepared: fits differ in their rows alone."""
    prepared = {"X": data.X[indices], "preparation": Unchanged()}
    return judged_rows(data, indices, record) | prepared


def study_of(
    data: LabeledData,
    record: RunRecord,
    indices: IntArray | slice = ALL,
    *,
    rows: Rows = judged_rows,
    fixed: Mapping[str, Any] = _NOTHING,
) -> Study:
    """Return the study of a run's method, from fresh starts, on rows of its data.

    Parameters
    ----------
    data : LabeledData
    record : RunRecord
    indices : ndarray of int or slice, optional
        Indices of the rows; by default all.
    rows : callable, default=judged_rows
        Or `resampled_rows`, `rows_of_one_basis`, `prepared_rows`.
    fixed : mapping, optional
        Parameters of the method in place of those of the run.
    """
    judged = rows(data, indices, record)
    parameters = record.parameters_without_start | dict(fixed)
    # Without columns there may be fewer features than the run has components.
    parameters[COMPONENTS.name] = min(parameters[COMPONENTS.name], judged["X"].shape[1])
    study = Study(
        record.method,
        **judged,
        parameters=parameters,
        random_state=record.parameters.random_state,
    )
    return study.named(np.array(data.class_names, dtype=object)[study.rows.classes])


def is_to_choose_curves(record: RunRecord) -> bool:
    """Return whether inner folds decide if features bend; only if the method uses labels."""
    return record.parameters.curves == AUTO and METHODS[record.method].uses_labels


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


def embedded(
    method: Method,
    parameters: Mapping[str, Any],
    train: LabeledData,
    held_out: LabeledData,
    embedding: FloatArray | None = None,
) -> tuple[LabeledData, LabeledData]:
    """Return the rows in the coordinates that the method's plane projects.

    A linear method projects the features themselves, so the data are unchanged. For a nonlinear
    one, the data are the embedded coordinates, the plane is all of them, and there are no feature
    arrows.

    Parameters
    ----------
    method : Method
    parameters : mapping
        Of the run. The method is fitted again with them, which gives the same coordinates each
        time.
    train, held_out : LabeledData
        The rows to which the method is fitted, and the others.
    embedding : ndarray of shape (n_embedded, n_components), optional
        The coordinates that the run kept; the method is not fitted again then.
    """
    if method.is_linear:
        return train, held_out
    estimator = method.estimator(parameters)
    if embedding is None:
        estimator.fit(train.X, train.y)
    else:
        estimator.restore(train.X, embedding)
    return _in_coordinates(estimator, train), _in_coordinates(estimator, held_out)


def keep_embedding(store: RunStore, record: RunRecord, train: LabeledData) -> FloatArray | None:
    """Fit a method that takes longer than a request; keep its coordinates as a report.

    Parameters
    ----------
    store : RunStore
    record : RunRecord
    train : LabeledData
        In the features.

    Returns
    -------
    ndarray of shape (n_embedded, n_components), or None
        None for a method that can be fitted again.
    """
    method = METHODS[record.method]
    if not method.keeps_embedding:
        return None
    embedding: FloatArray = (
        method.estimator(record.parameters.values).fit(train.X, train.y).embedding_
    )
    file = io.BytesIO()
    np.save(file, embedding, allow_pickle=False)
    store.put_report(record.run_id, file.getvalue())
    return embedding


def kept_embedding(store: RunStore, record: RunRecord) -> FloatArray | None:
    """Return the coordinates that a run kept; None if it kept none."""
    if not METHODS[record.method].keeps_embedding:
        return None
    return stored_report(store, record.run_id, unpacked_array)


def with_embedding(
    outcome: FitOutcome, embedding: FloatArray | None, train: LabeledData
) -> FitOutcome:
    """Return an outcome that says how many rows have coordinates, where these are not all."""
    if embedding is None or len(embedding) == len(train.y):
        return outcome
    return structs.replace(outcome, n_embedded=len(embedding), n_training=len(train.y))


def _in_coordinates(estimator: Any, data: LabeledData) -> LabeledData:
    coordinates = _coordinates(estimator, data.X)
    rows = data.unlabeled
    return replace(
        data,
        X=coordinates,
        unlabeled=rows and replace(rows, X=_coordinates(estimator, rows.X)),
        feature_names=(),
        center=np.zeros(coordinates.shape[1]),
        scale=np.ones(coordinates.shape[1]),
    )


def _coordinates(estimator: Any, X: FloatArray) -> FloatArray:
    embedded: FloatArray = (
        estimator.transform(X) if len(X) else np.empty((0, estimator.n_components))
    )
    return embedded

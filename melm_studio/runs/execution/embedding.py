"""Data in the coordinates to which a run's components apply."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import structs

from melm_core.base import FloatArray
from melm_core.methods import METHODS, Method
from melm_studio.runs.execution.stored_report import stored_report
from melm_studio.runs.records.outcome import FitOutcome
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData


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
    return stored_report(store, record.run_id, _embedding)


def _embedding(raw: bytes) -> FloatArray:
    embedding: FloatArray = np.load(io.BytesIO(raw), allow_pickle=False)
    return embedding


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

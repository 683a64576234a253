"""Data in the coordinates to which a run's components apply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from melm_core.base import FloatArray
from melm_core.methods import Method
from melm_studio.tables import LabeledData


def embedded(
    method: Method, parameters: Mapping[str, Any], train: LabeledData, held_out: LabeledData
) -> tuple[LabeledData, LabeledData]:
    """Return the rows in the coordinates that the method's plane projects.

    A linear method projects the features themselves, so the data are unchanged. For a nonlinear
    one, the data are the embedded coordinates, the plane is all of them, and there are no feature
    arrows.

    Parameters
    ----------
    method : Method
    parameters : mapping
        Of the run. The embedding is fitted again with them, which gives the same coordinates
        each time.
    train, held_out : LabeledData
        The rows to which the embedding is fitted, and the others.
    """
    if method.is_linear:
        return train, held_out
    estimator = method.estimator(parameters).fit(train.X, train.y)
    return _in_coordinates(estimator, train), _in_coordinates(estimator, held_out)


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

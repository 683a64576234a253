"""Data in the coordinates in which a run's components are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from melm_core.methods import Method
from melm_studio.tables import LabelledData


def embedded(
    method: Method, parameters: Mapping[str, Any], seen: LabelledData, unseen: LabelledData
) -> tuple[LabelledData, LabelledData]:
    """The same rows as the method's plane takes them.

    A linear method projects the features themselves, so the data stay as they
    are. Of any other one the coordinates are the data, the plane is all of
    them, and there are no features to point along.

    Parameters
    ----------
    method : Method
    parameters : mapping
        Of the run; the embedding is fitted with them anew, which gives the
        same coordinates each time.
    seen, unseen : LabelledData
        The rows the embedding is fitted to, and others.
    """
    if method.is_linear:
        return seen, unseen
    estimator = method.estimator(parameters).fit(seen.X, seen.y)
    return _in_coordinates(estimator, seen), _in_coordinates(estimator, unseen)


def _in_coordinates(estimator: Any, data: LabelledData) -> LabelledData:
    shape = (0, estimator.n_components)
    coordinates = estimator.transform(data.X) if len(data.X) else np.empty(shape)
    return replace(
        data,
        X=coordinates,
        feature_names=(),
        center=np.zeros(coordinates.shape[1]),
        scale=np.ones(coordinates.shape[1]),
    )

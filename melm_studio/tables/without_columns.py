"""The same rows without some columns of the table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from melm_core.base import UserError
from melm_core.recipe import Preparation
from melm_studio.tables.labeled_data import LabeledData
from melm_studio.tables.preparation import feature_names


def without_columns(data: LabeledData, names: Collection[str]) -> LabeledData:
    """Return the rows with the features of the other columns, prepared as those were.

    Rows without a class are left out.

    Parameters
    ----------
    data : LabeledData
    names : collection of str
        Columns of the table.

    Raises
    ------
    UserError
        If no feature is left.

    Examples
    --------
    >>> from melm_studio.tables import load_sample, prepare, without_columns
    >>> data = prepare(load_sample("iris"))
    >>> without_columns(data, data.feature_names[:1]).feature_names == data.feature_names[1:]
    True
    """
    encodings = tuple(encoding for encoding in data.encodings if encoding.name not in names)
    if not encodings:
        raise UserError("No feature is left without these columns. Keep one of them.")
    owners = [encoding.name for encoding in data.encodings for _ in encoding.feature_names]
    is_kept = np.array([owner not in names for owner in owners])
    encoded = data.unprepared[:, is_kept]
    preparation = Preparation.of(data.recipe, encodings)
    fitted = preparation.fit(encoded, data.row_numbers)
    is_missing = data.is_missing
    straight = replace(
        data,
        X=fitted.apply(encoded),
        feature_names=feature_names(fitted, preparation),
        center=fitted.center,
        scale=fitted.scale,
        encodings=encodings,
        columns=tuple(column for column in data.columns if column.name not in names),
        unlabeled=None,
        rules=None if data.rules is None else fitted.rules,
        raw=None if data.raw is None else encoded,
        is_missing=None if is_missing is None else is_missing[:, is_kept],
    )
    return straight.with_curves(straight) if data.has_curves else straight

"""The view of a run on some of its features, which are those of some columns."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from melm_core.base import UserError
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData, Use
from melm_studio.workspace.view_spec import ViewSpec

_ONE_COLUMN = "All of these features come from one column, and a plane needs two. Keep more."


def view_of_features(record: RunRecord, data: LabeledData, features: Iterable[int]) -> ViewSpec:
    """Return the view of the same run on the columns of some features.

    A column is kept with all of its features.

    Parameters
    ----------
    record : RunRecord
    data : LabeledData
        Of the run.
    features : iterable of int
        Indices of the features of the data.

    Raises
    ------
    UserError
        If the features come from fewer than two columns.
    """
    columns = columns_of(data, features)
    if len(columns) < 2:
        raise UserError(_ONE_COLUMN)
    left_out = {each.name: Use.IGNORED for each in data.encodings if each.name not in columns}
    source = record.source
    return ViewSpec(
        source=replace(source, roles={**source.roles, **left_out}),
        method=record.method,
        parameters=record.parameters_without_start,
    )


def columns_of(data: LabeledData, features: Iterable[int]) -> set[str]:
    """Return the columns that some features were made of."""
    names = {data.feature_names[feature] for feature in features}
    return {
        encoding.name
        for encoding in data.encodings
        if any(part in names or f"{part} missing" in names for part in encoding.feature_names)
    }

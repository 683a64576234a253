"""The run that leaves features out step by step, and a run of those that are kept."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from melm_core.base import UserError
from melm_core.methods import COMPONENTS, METHODS
from melm_studio.runs.records.run import RunRecord, new_sparse
from melm_studio.tables import LabeledData, Use
from melm_studio.workspace.data_source import source_of_run
from melm_studio.workspace.view_spec import ViewSpec
from melm_studio.workspace.workspace import Workspace

_NONLINEAR = "{method} is nonlinear, so it has no loadings to order features by. Run a linear one."
_BLIND = (
    "This run is blind to the batch, and leaving features out is not. Run the method with a batch "
    "weight of 0."
)
_ALL_USED = "There are only {n} features, which a plane of {components} components needs."
_ONE_COLUMN = "All of these features come from one column, and a plane needs two. Keep more."


def started_sparse(own: Workspace, record: RunRecord) -> RunRecord:
    """Return the path of features of a run; queue it if there is none, or it was cut short.

    Raises
    ------
    UserError
        If the run is nonlinear or blind to batches, has no feature to leave out, or a limit is
        reached.
    """
    method, n_components = METHODS[record.method], record.parameters[COMPONENTS.name]
    if not method.is_linear:
        raise UserError(_NONLINEAR.format(method=method.label))
    if record.batch_weight > 0:
        raise UserError(_BLIND)
    if 0 < record.n_features <= n_components:
        raise UserError(_ALL_USED.format(n=record.n_features, components=n_components))
    return own.start_about(new_sparse(record), record)


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
    kept = columns_of(data, features)
    if len(kept) < 2:
        raise UserError(_ONE_COLUMN)
    left_out = {one.name: Use.IGNORED for one in data.encodings if one.name not in kept}
    source = source_of_run(record.source)
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
        if any(own in names or f"{own} missing" in names for own in encoding.feature_names)
    }

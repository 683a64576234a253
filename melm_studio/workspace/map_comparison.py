"""A map that came with a table, as runs beside a plane: drawn as it is, and made again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from melm_core.base import UserError
from melm_core.methods import METHODS
from melm_core.recipe import Recipe
from melm_studio.runs.execution.refusals import applicable, check_data, parameters_for
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import FEATURES, LabeledData, Role, Use, map_columns
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.workspace import Workspace

_PLANE = "melm"
# Two columns span one plane, whichever linear method finds it.
_OF_TWO_COLUMNS = "pca"
# What may have made a map, by the name of its columns.
_MAKERS: Mapping[str, tuple[str, ...]] = {
    "umap": ("umap", "supervised_umap"),
    "supervisedumap": ("supervised_umap",),
    "tsne": ("tsne",),
}


def map_fits(workspace: Workspace, shown: ShownData) -> list[RunRecord]:
    """Return a map of the shown table as a run, and those to compare it with, not yet queued.

    The map first, of its columns alone and as they are; then a plane of the other columns and,
    where the method that the columns are named by is one of the studio, that method anew, without
    and with labels.

    Parameters
    ----------
    workspace : Workspace
    shown : ShownData

    Returns
    -------
    list of RunRecord
        None of a table without a map beside its features.

    Raises
    ------
    UserError
        If the table is no longer stored.
    """
    data = workspace.data(shown)
    texts = [column.name for column in data.columns if column.role is Role.INFO]
    found_map = map_columns(texts)
    if found_map is None:
        return []
    axes = [texts[place] for place in found_map.columns]
    source = _of_columns(shown.run_source, data, axes)
    alone = workspace.prepare(workspace.table(source), source)
    of_map = ShownData(alone.content_hash, alone.name, shown.label, source, shown.version)
    makers = (_PLANE, *_MAKERS.get(found_map.method, ()))
    return [
        *(
            replace(fit, name=" and ".join(axes))
            for fit in _fits(workspace, of_map, alone, _OF_TWO_COLUMNS)
        ),
        *(fit for method in makers for fit in _fits(workspace, shown, data, method)),
    ]


def _of_columns(source: DataSource, data: LabeledData, columns: list[str]) -> DataSource:
    """Return the source of the same rows with only these columns as features."""
    others = {column.name: Use.IGNORED for column in data.columns if column.role in FEATURES}
    roles = {**source.roles, **others, **dict.fromkeys(columns, Use.FEATURE)}
    return replace(source, roles=roles, standardize=False, recipe=Recipe())


def _fits(
    workspace: Workspace, shown: ShownData, data: LabeledData, method: str
) -> Iterator[RunRecord]:
    """Yield the run of a method, if it can be fitted."""
    if not METHODS[method].is_installed:
        return
    parameters = applicable(parameters_for(data, method, {}), data)
    try:
        check_data(method, data, parameters)
    except UserError:
        return
    yield workspace.new_fit(shown, method, parameters, data)

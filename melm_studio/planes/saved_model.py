"""The plane on screen as a file for `melm_core.SavedPlane`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from melm_core.base import FloatArray, stratified_sample
from melm_core.density import DensityRule, SetLimits
from melm_core.methods import RowLimits, SavedPlane
from melm_studio.runs.execution.rows import RunData, rows_of
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData, conversions_of

# A kernel at each of these rows: the file stays below a megabyte. Kernels of a sample have the
# widths of all rows.
MAX_KERNELS = 10_000


def model_text(record: RunRecord, plane: SavedPlane) -> str:
    """Return a plane of a run as JSON for `SavedPlane`, with how it was found."""
    return plane.to_json(
        method=record.method,
        parameters=record.parameters.values,
        data={"name": record.data_name, "sha256": record.data_id},
    )


def saved_plane(
    data: RunData,
    record: RunRecord,
    components: FloatArray,
    gamma: float | None = None,
    *,
    rule: DensityRule | None = None,
    limits: RowLimits | None = None,
    set_limits: SetLimits | None = None,
) -> SavedPlane:
    """Return a plane of a run with all that applies it to new rows.

    Parameters
    ----------
    data : LabeledData
    record : RunRecord
    components : ndarray of shape (n_components, n_features)
    gamma : float, optional
        Kernel width of the class densities; by default that of the densities of the run.
    rule : DensityRule, optional
        The class densities of refits, calibrated; by default those of the rows as fitted, without
        probabilities.
    limits : RowLimits, optional
        Beyond which a row has no class.
    set_limits : SetLimits, optional
        How strange a class may be that is in the set of a row.
    """
    train, _ = rows_of(data, record)
    width = record.density_gamma if gamma is None else gamma
    return SavedPlane(
        components,
        center=data.center,
        scale=data.scale,
        feature_names=data.feature_names,
        encodings=data.encodings,
        class_names=data.class_names,
        rule=class_rule(train, components, width) if rule is None else _sampled(rule),
        is_calibrated=rule is not None,
        limits=limits,
        set_limits=set_limits,
        rules=data.rules if data.within is None else data.fitted_preparation.rules,
        within=data.within,
        units=conversions_of(one.name for one in data.encodings if not one.levels),
    )


def class_rule(train: LabeledData, components: FloatArray, gamma: float) -> DensityRule:
    """Return the class densities in a plane as fitted, with kernels at a sample of many rows.

    Parameters
    ----------
    train : LabeledData
    components : ndarray of shape (n_components, n_features)
    gamma : float
        Kernel width relative to Silverman's rule.
    """
    return _sampled(DensityRule.of(train.X @ components.T, train.y, gamma=gamma))


def _sampled(rule: DensityRule) -> DensityRule:
    """The same kernels at MAX_KERNELS rows at most."""
    classes = rule.classes
    share = MAX_KERNELS / float(classes.counts.sum())
    rows = tuple(
        block[stratified_sample(np.zeros(len(block), int), share, 1)] for block in classes.rows
    )
    return replace(rule, classes=replace(classes, rows=rows))

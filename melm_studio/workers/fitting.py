"""The fit of a run, to its rows or to all rows of the table of which they are a sample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from msgspec import structs
from sklearn.utils.validation import has_fit_parameter

from melm_core.base import BlockSource, FloatArray
from melm_core.density import DEFAULT_SHRINKAGE
from melm_core.melm import cauchy_schwarz_divergence
from melm_core.methods import METHODS
from melm_studio.operator_tables.all_rows import is_fitted_to_all_rows
from melm_studio.operator_tables.plane_densities import PlaneDensities, keep_densities
from melm_studio.runs.execution.rows import nuisance_of
from melm_studio.runs.records.outcome import NO_OUTCOME, FitOutcome
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData
from melm_studio.workers.recorder import Recorder


@dataclass(frozen=True)
class Fit:
    """The result of a fit.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
    objective : float
        Of the plane; the divergence if the method reported none.
    outcome : FitOutcome
    """

    components: FloatArray
    objective: float
    outcome: FitOutcome = NO_OUTCOME


def fitted(train: LabeledData, record: RunRecord, recorder: Recorder) -> Fit:
    """Fit the method of a run to rows in memory.

    Parameters
    ----------
    train : LabeledData
        In the coordinates that the plane of the run projects.
    record : RunRecord
    recorder : Recorder
        Told of every step.
    """
    method = METHODS[record.method]
    if not method.is_linear:
        components = np.eye(train.X.shape[1])
        return Fit(components, _objective(train, record, recorder, components))
    estimator = method.estimator(record.parameters.values, recorder)
    groups = {"groups": train.groups} if has_fit_parameter(estimator, "groups") else {}
    estimator.fit(train.X, train.y, **groups, **nuisance_of(train, record))
    components = estimator.components_
    objective = _reached(estimator, train, record, recorder)
    return Fit(components, objective, _outcome(estimator))


def fitted_to_table(
    store: RunStore,
    record: RunRecord,
    recorder: Recorder,
    sample: tuple[LabeledData, LabeledData],
    table: BlockSource,
) -> Fit:
    """Fit the method of a run to a registered table, and keep the densities of all its rows.

    A method that needs single rows is fitted to the sample.

    Parameters
    ----------
    store : RunStore
    record : RunRecord
    recorder : Recorder
        Told of every step. If it was stopped, there are no densities.
    sample : tuple of LabeledData
        Training rows and held-out rows.
    table : BlockSource
        All rows but those held out.
    """
    train, held_out = sample
    if is_fitted_to_all_rows(record):
        fit = _fitted_to_all_rows(record, recorder, train, table)
    else:
        fit = fitted(train, record, recorder)
    if recorder.stopped:
        return fit
    points = np.concatenate([train.X, held_out.X])
    densities = PlaneDensities.of(table, fit.components, record.gamma, points)
    keep_densities(store, record, densities)
    if densities is None or recorder.best is not None:
        return fit
    return replace(fit, objective=densities.divergence)


def _fitted_to_all_rows(
    record: RunRecord, recorder: Recorder, train: LabeledData, table: BlockSource
) -> Fit:
    estimator = (
        METHODS[record.method].estimator(record.parameters.values, recorder).fit(table, None)
    )
    components = estimator.components_
    objective = _reached(estimator, train, record, recorder)
    n_rows = int(table.counts.sum())
    return Fit(components, objective, structs.replace(_outcome(estimator), n_rows=n_rows))


def _outcome(estimator: Any) -> FitOutcome:
    if not hasattr(estimator, "n_agreeing_starts_"):
        return NO_OUTCOME
    return FitOutcome(
        n_starts=len(estimator.start_results_), n_agreeing=int(estimator.n_agreeing_starts_)
    )


def _reached(estimator: Any, train: LabeledData, record: RunRecord, recorder: Recorder) -> float:
    """Return the objective of the plane of an estimator."""
    if METHODS[record.method].maximizes != "divergence":
        return _objective(train, record, recorder, estimator.components_)
    # Over all rows and in double precision, which the best of the steps may not be.
    value = float(estimator.divergence_)
    blind_to = getattr(estimator, "nuisance_divergence_", None)
    return value if blind_to is None else value - estimator.nuisance_weight * float(blind_to)


def _objective(
    train: LabeledData, record: RunRecord, recorder: Recorder, components: FloatArray
) -> float:
    """Return the best objective that was reported; the divergence if none was."""
    if recorder.best is not None:
        return recorder.best.objective
    if len(train.class_names) == 1:
        return 0.0  # of no pair of classes
    return cauchy_schwarz_divergence(
        train.X, train.y, components, gamma=record.gamma, shrinkage=DEFAULT_SHRINKAGE
    )

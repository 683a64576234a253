"""Shares that components of PLS-DA and OPLS-DA explain, and of held-out rows predict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from melm_core.base import FloatArray, percent
from melm_core.evaluation import Refits
from melm_core.folds import sampled_rows
from melm_core.methods import METHODS
from melm_studio.runs.execution.rows import RunData, rows_of, study_of
from melm_studio.runs.records.run import RunRecord

# A request fits the method up to twelve times; of more rows, this many stand for all.
MOST_JUDGED_ROWS = 5_000

_EXPLAINED = "Of the training rows, R²X = {r2x} and R²Y = {r2y}. In cross-validation, Q² = {q2}"
_MEANING = " (share of the classes that is predicted; 0 % is guessing)."
_NOTHING = ": worse than guessing by the class shares, so the picture shows noise."


@dataclass(frozen=True, eq=False)
class LatentStructure:
    """The components of a run of PLS-DA or OPLS-DA.

    Attributes
    ----------
    feature_names : tuple of str, (n_features,)
    r2x, r2x_orthogonal : float
        Share of the variance of the features that the components explain, and those that are
        orthogonal to the classes; of the training rows.
    r2y : float
        Share of the variance of the class indicators.
    q2 : float
        The same of held-out rows, see `Refits.predicted_share`.
    importances : ndarray of shape (n_features,)
        VIP, of PLS-DA; empty of OPLS-DA.
    s_plot : ndarray of shape (2, n_features), or None
        Covariances and correlations with the first predictive score, of OPLS-DA.
    """

    feature_names: tuple[str, ...]
    r2x: float
    r2x_orthogonal: float
    r2y: float
    q2: float
    importances: FloatArray = field(default_factory=lambda: np.empty(0))
    s_plot: FloatArray | None = None

    @property
    def line(self) -> str:
        """The share of the classes that is explained, and beside it predicted."""
        return f"R²Y {percent(self.r2y)}, Q² {percent(self.q2)}"

    @property
    def words(self) -> str:
        """The shares in two sentences."""
        r2x = percent(self.r2x)
        if self.r2x_orthogonal:
            r2x += f" (orthogonal to the classes {percent(self.r2x_orthogonal)})"
        end = _MEANING if self.q2 > 0 else _NOTHING
        return _EXPLAINED.format(r2x=r2x, r2y=percent(self.r2y), q2=percent(self.q2)) + end


def latent_structure(data: RunData, record: RunRecord) -> LatentStructure:
    """Fit the method of a run again, and cross-validate it.

    Parameters
    ----------
    data : LabeledData
    record : RunRecord
        Of a method that predicts indicators.
    """
    train, _ = rows_of(data, record)
    fitted = METHODS[record.method].estimator(record.parameters.values).fit(train.X, train.y)
    sample = sampled_rows(data.y, MOST_JUDGED_ROWS, data.groups)
    refits = Refits.of(study_of(data, record, sample))
    return _of_fitted(fitted, train.feature_names, refits.predicted_share)


def _of_fitted(fitted: Any, names: tuple[str, ...], q2: float) -> LatentStructure:
    r2y = float(np.sum(fitted.r2y_))
    if hasattr(fitted, "s_plot_"):
        predictive, orthogonal = fitted.r2x_predictive_.sum(), fitted.r2x_orthogonal_.sum()
        return LatentStructure(
            names, float(predictive), float(orthogonal), r2y, q2, s_plot=fitted.s_plot_
        )
    return LatentStructure(names, float(fitted.r2x_.sum()), 0.0, r2y, q2, importances=fitted.vip_)

"""Q2 of PLS-DA and OPLS-DA: how much of the classes of held-out rows they predict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.baselines import indicators
from melm_core.evaluation.folds import refit_folds
from melm_core.evaluation.plane_separability import DEFAULT_FOLDS, DEFAULT_MAX_ROWS
from melm_core.evaluation.refitting import (
    MethodLike,
    Preparation,
    chosen_preparation,
    fit_projection,
)


def predicted_share(
    method: MethodLike,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    parameters: Mapping[str, Any] | None = None,
    standardize: bool = True,
    preparation: Preparation | None = None,
    n_folds: int = DEFAULT_FOLDS,
    max_rows: int = DEFAULT_MAX_ROWS,
    random_state: int = 0,
) -> float:
    """Q2, the share of the variance of held-out class indicators that a method predicts.

    One minus the squared errors of the predicted indicators of held-out rows, relative to those
    of the training means: 1 for exact predictions, 0 for those of the class shares alone, and
    negative for worse ones. Its training counterpart is R2Y.

    Parameters
    ----------
    method : str or estimator
        "plsda", "oplsda", or an unfitted estimator with `predict_indicators`.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    groups, parameters, standardize, preparation, n_folds, max_rows, random_state
        As in `density_scores`, whose folds these are.

    Raises
    ------
    ValueError
        If a parameter or the data are invalid.

    References
    ----------
    M. Stone: Cross-validatory choice and assessment of statistical predictions, Journal of the
    Royal Statistical Society B 36, 1974.
    J. A. Westerhuis and others: Assessment of PLSDA cross validation, Metabolomics 4, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.evaluation import predicted_share
    >>> round(predicted_share("plsda", *load_iris(return_X_y=True)), 1)
    0.6
    """
    plan = refit_folds(
        method,
        X,
        y,
        groups,
        parameters=parameters,
        n_folds=n_folds,
        random_state=random_state,
        max_rows=max_rows,
        may_miss=preparation is not None,
    )
    chosen = chosen_preparation(preparation, standardize=standardize)
    errors = spread = 0.0
    for fold in plan.folds:
        train, test = plan.training_rows(fold), plan.scored.take(fold.test)
        fitted = fit_projection(
            plan.estimator, train.X, train.y, preparation=chosen, groups=train.groups
        )
        estimator: Any = fitted.estimator
        predicted = estimator.predict_indicators(fitted.preparation.apply(test.X))
        wanted = indicators(test.y, len(plan.rows.classes))
        errors += _squares(wanted - predicted)
        spread += _squares(wanted - estimator.target_means_)
    return 1 - errors / spread


def _squares(values: FloatArray) -> float:
    return float(np.square(values).sum())

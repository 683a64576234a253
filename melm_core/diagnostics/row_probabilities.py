"""Class probabilities of rows that the plane and the densities were not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.density.classifier import density_shares
from melm_core.evaluation.density_accuracy import DEFAULT_FOLDS, fold_log_densities
from melm_core.evaluation.folds import refit_folds
from melm_core.evaluation.refitting import (
    MethodLike,
    Preparation,
    chosen_preparation,
    fit_projection,
)

# (number of the fold from 1, number of folds) -> whether to stop
FoldDone = Callable[[int, int], bool]


def out_of_fold_probabilities(
    method: MethodLike,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    nuisance: Any = None,
    gamma: float = 1.0,
    parameters: Mapping[str, Any] | None = None,
    standardize: bool = True,
    preparation: Preparation | None = None,
    n_folds: int = DEFAULT_FOLDS,
    random_state: int = 0,
    callback: FoldDone | None = None,
) -> FloatArray:
    """Probabilities of the classes of every row, by planes that were fitted without it.

    In each fold, standardization, plane and class densities are fitted to the other folds, as in
    `melm_core.evaluation.density_scores`; the densities have equal priors. A row whose own class is
    improbable may be mislabeled.

    Parameters
    ----------
    method : str or estimator
        A key of `METHODS`, or an estimator.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    groups : array-like of shape (n_samples,), optional
        Rows of a group stay in the same fold.
    nuisance : array-like of shape (n_samples,) or None, default=None
        What the plane is to be blind to, for methods whose fit takes a nuisance.
    gamma : float, default=1.0
        Kernel width of the densities, relative to Silverman's rule.
    parameters : mapping, optional
        Of the method.
    standardize : bool, default=True
    preparation : Preparation or None, default=None
        Takes the place of `standardize`: `fit(X)` learns from the rows that a plane is fitted
        to and returns an object whose `apply(X)` prepares any rows. X may then have NaN.
    n_folds : int, default=5
        Reduced to the number of rows, or groups, of the smallest class.
    random_state : int, default=0
    callback : callable, optional
        Called after each fold with its number and the number of folds; returns whether to stop.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Classes in sorted order; nan for rows of folds that were not reached.

    Raises
    ------
    ValueError
        If a parameter or the data are invalid, or a class has too few rows.

    References
    ----------
    C. G. Northcutt, L. Jiang, I. L. Chuang: Confident learning: estimating uncertainty in dataset
    labels, Journal of Artificial Intelligence Research 70, 2021, section 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.diagnostics import out_of_fold_probabilities
    >>> X, y = load_iris(return_X_y=True)
    >>> y[0] = 1  # a setosa labeled as versicolor
    >>> out_of_fold_probabilities("lda", X, y)[0].argmax()
    np.int64(0)
    """
    plan = refit_folds(
        method,
        X,
        y,
        groups,
        nuisance=nuisance,
        parameters=parameters,
        n_folds=n_folds,
        random_state=random_state,
        may_miss=preparation is not None,
    )
    chosen = chosen_preparation(preparation, standardize=standardize)
    rows = plan.rows
    shares = np.full((len(rows.y), len(rows.classes)), np.nan)
    for number, fold in enumerate(plan.folds, start=1):
        train = plan.training_rows(fold)
        projection = fit_projection(
            plan.estimator,
            train.X,
            train.y,
            preparation=chosen,
            groups=train.groups,
            nuisance=train.nuisance,
        )
        shares[fold.test] = density_shares(
            fold_log_densities(projection, train, rows.X[fold.test], gamma)
        )
        if callback is not None and callback(number, len(plan.folds)):
            break
    return shares

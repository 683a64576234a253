"""Class probabilities of rows that the plane and the densities were not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.classifier import density_shares
from melm_core.diagnostics.mislabeled_rows import (
    DEFAULT_FALSE_SHARE,
    SuspectLabels,
    suspect_labels,
)
from melm_core.evaluation.calibration import (
    Calibration,
    Reliability,
    cross_calibrated,
    fitted_calibration,
)
from melm_core.evaluation.density_accuracy import DEFAULT_FOLDS, fold_log_densities
from melm_core.evaluation.folds import RefitFolds, refit_folds
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
    work = _HeldOut.of(
        method,
        X,
        y,
        groups,
        nuisance=nuisance,
        gamma=gamma,
        parameters=parameters,
        standardize=standardize,
        preparation=preparation,
        n_folds=n_folds,
        random_state=random_state,
    )
    logs, _, _ = work.log_densities(callback)
    return density_shares(logs)


@dataclass(frozen=True, eq=False)
class RowProbabilities:
    """Calibrated probabilities of the classes of held-out rows, and what calibrates new rows.

    Attributes
    ----------
    probabilities : ndarray of shape (n_samples, n_classes)
        Of each row, by a plane and densities fitted without its fold, calibrated by the rows of
        the other folds.
    log_densities : ndarray of shape (n_samples, n_classes)
        What they are made of, before calibration.
    y : ndarray of shape (n_samples,)
        Class codes.
    classes : ndarray of shape (n_classes,)
        Labels, sorted; code c stands for `classes[c]`.
    calibration : Calibration
        By all held-out rows, for rows that are in none of the folds: its `probabilities` takes
        the logarithms of the class densities in the plane of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.diagnostics import calibrated_probabilities
    >>> found = calibrated_probabilities("lda", *load_iris(return_X_y=True))
    >>> found.reliability.accuracy > 0.9
    True
    >>> found.calibration.probabilities(np.log([[0.8, 0.1, 0.1]])).argmax()
    np.int64(0)
    """

    probabilities: FloatArray
    log_densities: FloatArray
    y: IntArray
    classes: npt.NDArray[Any]
    calibration: Calibration

    @property
    def reliability(self) -> Reliability:
        """Whether the probabilities hold."""
        return Reliability.of(self.probabilities, self.y)

    @property
    def uncalibrated_reliability(self) -> Reliability:
        """Whether those of the densities as they are would."""
        return Reliability.of(density_shares(self.log_densities), self.y)

    def suspect_labels(self, *, false_share: float = DEFAULT_FALSE_SHARE) -> SuspectLabels:
        """Rows that are probably mislabeled, see `melm_core.diagnostics.suspect_labels`."""
        return suspect_labels(self.log_densities, self.y, false_share=false_share)


def calibrated_probabilities(
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
) -> RowProbabilities | None:
    """Calibrated probabilities of the classes of every row, by planes fitted without it.

    Parameters
    ----------
    method, X, y, groups, nuisance, gamma, parameters, standardize, preparation, n_folds
        See `out_of_fold_probabilities`.
    random_state : int, default=0
    callback : callable, optional
        Called after each fold with its number and the number of folds; returns whether to stop.

    Returns
    -------
    RowProbabilities or None
        None if stopped.

    Raises
    ------
    ValueError
        If a parameter or the data are invalid, or a class has too few rows.

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger: On calibration of modern neural networks, ICML
    2017.

    Examples
    --------
    >>> from melm_core.diagnostics import calibrated_probabilities
    >>> from melm_core.datasets import pure_noise
    >>> found = calibrated_probabilities("lda", *pure_noise(200, 20, 2))
    >>> found.uncalibrated_reliability.confidence > 0.6 > found.reliability.confidence
    True
    """
    work = _HeldOut.of(
        method,
        X,
        y,
        groups,
        nuisance=nuisance,
        gamma=gamma,
        parameters=parameters,
        standardize=standardize,
        preparation=preparation,
        n_folds=n_folds,
        random_state=random_state,
    )
    logs, fold, is_stopped = work.log_densities(callback)
    if is_stopped:
        return None
    rows = work.plan.rows
    return RowProbabilities(
        probabilities=cross_calibrated(logs, rows.y, fold),
        log_densities=logs,
        y=rows.y,
        classes=rows.classes,
        calibration=fitted_calibration(logs, rows.y),
    )


@dataclass(frozen=True, eq=False)
class _HeldOut:
    """Refits in folds, and the densities of the rows that each leaves out."""

    plan: RefitFolds
    preparation: Preparation
    gamma: float

    @classmethod
    def of(
        cls,
        method: MethodLike,
        X: Any,
        y: Any,
        groups: Any,
        *,
        gamma: float,
        standardize: bool,
        preparation: Preparation | None,
        **folds: Any,
    ) -> _HeldOut:
        plan = refit_folds(method, X, y, groups, may_miss=preparation is not None, **folds)
        return cls(plan, chosen_preparation(preparation, standardize=standardize), gamma)

    def log_densities(self, callback: FoldDone | None) -> tuple[FloatArray, IntArray, bool]:
        """Logarithms of the class densities at each row, its fold, and whether it was stopped."""
        rows, folds = self.plan.rows, self.plan.folds
        logs = np.full((len(rows.y), len(rows.classes)), np.nan)
        fold_of = np.zeros(len(rows.y), dtype=np.int64)
        for number, fold in enumerate(folds, start=1):
            train = self.plan.training_rows(fold)
            projection = fit_projection(
                self.plan.estimator,
                train.X,
                train.y,
                preparation=self.preparation,
                groups=train.groups,
                nuisance=train.nuisance,
            )
            logs[fold.test] = fold_log_densities(projection, train, rows.X[fold.test], self.gamma)
            fold_of[fold.test] = number
            if callback is not None and callback(number, len(folds)):
                return logs, fold_of, number < len(folds)
        return logs, fold_of, False

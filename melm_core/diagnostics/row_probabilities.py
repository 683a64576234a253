"""Class probabilities of rows that the plane and the densities were not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.calibration import Calibration
from melm_core.density.classifier import density_shares
from melm_core.diagnostics.mislabeled_rows import (
    DEFAULT_FALSE_SHARE,
    SuspectLabels,
    suspect_labels,
)
from melm_core.evaluation.calibration import (
    Reliability,
    cross_calibrated,
    fitted_calibration,
)
from melm_core.evaluation.conformal import ConformalScores, FoldFit, scores_of_folds
from melm_core.evaluation.density_accuracy import DEFAULT_FOLDS, fold_log_densities
from melm_core.evaluation.folds import RefitFolds, refit_folds
from melm_core.evaluation.refitting import (
    FittedProjection,
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
    planes = HeldOutPlanes.of(
        method,
        X,
        y,
        groups=groups,
        nuisance=nuisance,
        parameters=parameters,
        standardize=standardize,
        preparation=preparation,
        n_folds=n_folds,
        random_state=random_state,
        callback=callback,
    )
    return density_shares(planes.log_densities(gamma))


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


@dataclass(frozen=True, eq=False)
class HeldOutPlanes:
    """Refits of a method without each fold: they judge every row by a plane fitted without it.

    Attributes
    ----------
    plan : RefitFolds
    projections : tuple of FittedProjection
        Of the folds, in order; fewer if it was stopped.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.diagnostics import HeldOutPlanes
    >>> X, y = load_iris(return_X_y=True)
    >>> planes = HeldOutPlanes.of("lda", X[::2], y[::2])
    >>> found = planes.probabilities(gamma=1.0)
    >>> others = found.calibration.probabilities(planes.fits(gamma=1.0)[0].evidence(X[1::2]).logs)
    >>> bool((others.argmax(axis=1) == y[1::2]).mean() > 0.9)
    True
    """

    plan: RefitFolds
    projections: tuple[FittedProjection, ...]

    @classmethod
    def of(
        cls,
        method: MethodLike,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        nuisance: Any = None,
        parameters: Mapping[str, Any] | None = None,
        standardize: bool = True,
        preparation: Preparation | None = None,
        n_folds: int = DEFAULT_FOLDS,
        random_state: int = 0,
        callback: FoldDone | None = None,
    ) -> HeldOutPlanes:
        """Refit a method without each fold.

        Parameters
        ----------
        method, X, y, groups, nuisance, parameters, standardize, preparation, n_folds
            See `out_of_fold_probabilities`.
        random_state : int, default=0
        callback : callable, optional
            Called after each fold with its number and the number of folds; returns whether to
            stop.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid, or a class has too few rows.
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
        projections: list[FittedProjection] = []
        for number, fold in enumerate(plan.folds, start=1):
            train = plan.training_rows(fold)
            projections.append(
                fit_projection(
                    plan.estimator,
                    train.X,
                    train.y,
                    preparation=chosen,
                    groups=train.groups,
                    nuisance=train.nuisance,
                )
            )
            if callback is not None and callback(number, len(plan.folds)):
                break
        return cls(plan, tuple(projections))

    @property
    def is_complete(self) -> bool:
        """Whether no fold is missing."""
        return len(self.projections) == len(self.plan.folds)

    def log_densities(self, gamma: float) -> FloatArray:
        """Logarithms of the class densities at each row, by the plane fitted without its fold.

        Parameters
        ----------
        gamma : float
            Kernel width of the densities, relative to Silverman's rule.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            nan for rows of folds that were not reached.
        """
        rows = self.plan.rows
        logs = np.full((len(rows.y), len(rows.classes)), np.nan)
        for fold, projection in zip(self.plan.folds, self.projections, strict=False):
            train = self.plan.training_rows(fold)
            logs[fold.test] = fold_log_densities(projection, train, rows.X[fold.test], gamma)
        return logs

    @property
    def fold(self) -> IntArray:
        """The number of the fold of each row from 0, shape (n_samples,)."""
        numbers = np.empty(len(self.plan.rows.y), dtype=np.int64)
        for number, fold in enumerate(self.plan.folds):
            numbers[fold.test] = number
        return numbers

    def fits(self, gamma: float) -> tuple[FoldFit, ...]:
        """The fits without each fold, with the class densities at a kernel width."""
        trains = (self.plan.training_rows(fold) for fold in self.plan.folds)
        rows = zip(self.projections, trains, strict=False)
        return tuple(FoldFit(projection, train, gamma) for projection, train in rows)

    def conformal_scores(self, fits: Sequence[FoldFit]) -> ConformalScores:
        """How strange each row is to its class, by the fit without its fold.

        Parameters
        ----------
        fits : sequence of FoldFit
            Of `fits`.

        Raises
        ------
        ValueError
            If a fold is missing.
        """
        if not self.is_complete:
            raise ValueError("The refits were stopped before each fold had its own.")
        rows = self.plan.rows
        folds = zip(fits, self.plan.folds, strict=True)
        parts = [fit.evidence(rows.X[fold.test]) for fit, fold in folds]
        return scores_of_folds(parts, self.plan.folds, rows)[0]

    def probabilities(self, gamma: float) -> RowProbabilities:
        """Calibrated probabilities of the classes of every row at a kernel width."""
        rows, logs = self.plan.rows, self.log_densities(gamma)
        return RowProbabilities(
            probabilities=cross_calibrated(logs, rows.y, self.fold),
            log_densities=logs,
            y=rows.y,
            classes=rows.classes,
            calibration=fitted_calibration(logs, rows.y),
        )


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
    planes = HeldOutPlanes.of(
        method,
        X,
        y,
        groups=groups,
        nuisance=nuisance,
        parameters=parameters,
        standardize=standardize,
        preparation=preparation,
        n_folds=n_folds,
        random_state=random_state,
        callback=callback,
    )
    return planes.probabilities(gamma) if planes.is_complete else None

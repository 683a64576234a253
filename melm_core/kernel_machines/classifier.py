"""A kernel classifier that predicts by the approximation of its machine."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import validate_labelled
from melm_core.kernel_machines.approximation import KernelMachineApproximation
from melm_core.kernel_machines.machine import KernelMachine
from melm_core.kernel_machines.maximum_entropy import MarginalMethod


class ApproximateKernelClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Fits a kernel machine on two classes and predicts by its maximum entropy approximation.

    Parameters
    ----------
    estimator : estimator
        One that `KernelMachine.from_estimator` reads. A regressor is fitted
        on -1 and 1.
    method : "exact" or "paper", default="exact"
    order : int, default=4
    refit : bool, default=True
    merge_tolerance : float, default=0.1
    max_starts : int, default=500
        See `KernelMachineApproximation`.

    Attributes
    ----------
    estimator_ : estimator
        The fitted clone.
    machine_ : KernelMachine
        Its machine.
    approximation_ : KernelMachineApproximation
        What predicts.
    classes_ : ndarray of shape (2,)
    n_features_in_ : int

    Warns
    -----
    ApproximationWarning
        In `fit`, if the approximation is not faithful or the machine is faster.
    """

    classes_: npt.NDArray[Any]

    def __init__(
        self,
        estimator: Any,
        *,
        method: MarginalMethod = "exact",
        order: int = 4,
        refit: bool = True,
        merge_tolerance: float = 0.1,
        max_starts: int = 500,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.order = order
        self.refit = refit
        self.merge_tolerance = merge_tolerance
        self.max_starts = max_starts

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the machine, then its approximation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two classes, each with at least two rows.

        Raises
        ------
        ValueError
            If there are not two classes, or the estimator has no Gaussian
            kernel; the message says what to do.
        """
        X, codes = validate_labelled(self, X, y)
        if len(self.classes_) > 2:
            raise UserError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(codes)}; choose two classes, or wrap the classifier in "
                "OneVsRestClassifier."
            )
        estimator = clone(self.estimator)
        self.estimator_ = estimator.fit(X, 2.0 * codes - 1.0 if is_regressor(estimator) else codes)
        self.machine_: KernelMachine = KernelMachine.from_estimator(self.estimator_)
        self.approximation_ = KernelMachineApproximation(
            self.method,
            self.order,
            refit=self.refit,
            merge_tolerance=self.merge_tolerance,
            max_starts=self.max_starts,
        ).fit(self.machine_, X)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Approximate decision values, positive on the side of `classes_[1]`, (n_samples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.approximation_.decision_function(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Class on whose side of the decision surface each row lies, shape (n_samples,)."""
        codes = (self.decision_function(X) > 0).astype(np.int64)
        labels: npt.NDArray[Any] = self.classes_[codes]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

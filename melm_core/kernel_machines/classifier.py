"""A kernel classifier that predicts by the maximum entropy approximation of its machine."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils.multiclass import type_of_target

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import rows_as_fitted, validate_labeled
from melm_core.kernel_machines.approximation import KernelMachineApproximation
from melm_core.kernel_machines.independent_axes import AxesMethod
from melm_core.kernel_machines.machine import KernelMachine
from melm_core.kernel_machines.maximum_entropy import MarginalMethod


class ApproximateKernelClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Fits a kernel machine to two classes and predicts by its maximum entropy approximation.

    Parameters
    ----------
    estimator : estimator
        Supported by `KernelMachine.from_estimator`. A regressor is fitted to
        the targets -1 and 1.
    method : "exact" or "paper", default="exact"
    axes : "cumulants" or "divergence", default="cumulants"
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
        Its kernel machine.
    approximation_ : KernelMachineApproximation
        The approximation used for predictions.
    classes_ : ndarray of shape (2,)
    n_features_in_ : int

    Warns
    -----
    ApproximationWarning
        In `fit`, if the approximation is inaccurate or the machine is faster.

    References
    ----------
    U. Ozertem, D. Erdogmus: Maximum Entropy Approximation for Kernel Machines.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from melm_core import ApproximateKernelClassifier
    >>> from melm_core.datasets import crescents
    >>> X, y = crescents(0)
    >>> classifier = ApproximateKernelClassifier(SVC(C=0.1, gamma=1.0)).fit(X, y)
    >>> classifier.score(X, y) > 0.8
    True
    """

    classes_: npt.NDArray[Any]

    def __init__(
        self,
        estimator: Any,
        *,
        method: MarginalMethod = "exact",
        axes: AxesMethod = "cumulants",
        order: int = 4,
        refit: bool = True,
        merge_tolerance: float = 0.1,
        max_starts: int = 500,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.axes = axes
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
            If there are not two classes, or the kernel of the estimator is not
            Gaussian.
        """
        X, codes = validate_labeled(self, X, y)
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
            self.machine_,
            X,
            method=self.method,
            axes=self.axes,
            order=self.order,
            refit=self.refit,
            merge_tolerance=self.merge_tolerance,
            max_starts=self.max_starts,
        )
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Compute approximate decision values, positive for `classes_[1]`, shape (n_samples,)."""
        X = rows_as_fitted(self, X)
        return self.approximation_.decision_function(X)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict classes, shape (n_samples,)."""
        codes = (self.decision_function(X) > 0).astype(np.int64)
        labels: npt.NDArray[Any] = self.classes_[codes]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

"""Maximum entropy approximation of kernel machines (Ozertem and Erdogmus).

A prediction of a kernel machine evaluates one kernel per center. The
approximation clusters the centers by the modes of the decision function, and
replaces the kernels of each cluster by one product of maximum entropy
densities along independent axes.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_regressor
from sklearn.cluster import KMeans
from sklearn.utils.multiclass import type_of_target

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    check_choice,
    check_integer,
    check_positive,
    rows_as_fitted,
    validate_labeled,
)
from melm_core.density import gaussian_sums
from melm_core.kernel_machines.machine import KernelMachine, checked_rows
from melm_core.kernel_machines.maximum_entropy import MARGINAL_METHODS, MarginalMethod, check_order
from melm_core.kernel_machines.modes import (
    ModeClusters,
    SignedClusters,
    describe_modes,
    find_modes,
    split_by_sign,
)
from melm_core.kernel_machines.separable_sum import (
    AXES_METHODS,
    AxesMethod,
    SeparableSum,
    separable_sum,
)

# Maximum number of rows used to fit amplitudes and measure the fidelity.
MOST_ROWS = 5_000

# Relative cutoff for small singular values in the fit of the amplitudes.
NULL_AMPLITUDE = 1e-8

LOW_FIDELITY = 0.9


class ApproximationWarning(UserWarning):
    """The approximation is inaccurate, or not faster than the kernel machine."""


@dataclass(frozen=True)
class Fidelity:
    """Accuracy of the approximation on the rows of `fit`.

    Attributes
    ----------
    r2 : float
        Coefficient of determination of the machine's values.
    sign_agreement : float
        Share of rows on the same side of the decision surface.
    """

    r2: float
    sign_agreement: float


class KernelMachineApproximation:
    """A kernel machine approximated by a few separable components.

    A mode whose members have weights of both signs has one component for each
    sign, so that every component is a multiple of a density. Moments are
    computed in closed form; the paper estimates them from samples.

    In few dimensions, a `reduced_set` of the same cost is often more accurate;
    the approximation also describes the modes.

    Parameters
    ----------
    machine : KernelMachine
    X : array-like of shape (n_samples, n_features) or None, default=None
        Rows to which the amplitudes are fitted and on which the fidelity is measured, usually the
        training rows of the machine; its centers by default.
    method : "exact" or "paper", default="exact"
        "exact" matches the moments of every marginal; "paper" is the closed
        form of the paper, which matches them only for densities of the
        exponential family.
    axes : "cumulants" or "divergence", default="cumulants"
        The independent axes of a component: generalized eigenvectors of its
        covariance and fourth cumulants, as in the paper, or from there the
        axes of the smallest Kullback-Leibler divergence between the kernels
        and the product of their marginals (section 3.1), which takes longer.
    order : int, default=4
        Highest power in the exponents of the marginals, even.
    refit : bool, default=True
        Whether to fit the amplitudes of the components to the machine by least
        squares. Otherwise the integral of the machine is preserved.
    merge_tolerance : float, default=0.1
        End points of the mean shift closer than this many bandwidths are merged.
    max_starts : int, default=500
        Number of centers used as starting points of the mean shift; the
        others are assigned to the mode of the nearest one.

    Attributes
    ----------
    modes : tuple of Mode
        The modes with their components and marginals, by descending |value|.
    n_components : int
        Total number of components.
    fidelity : Fidelity
        Below 0.9 in either number, there is a warning.
    evaluation_cost_ratio : float
        Estimated cost of an evaluation relative to the machine,
        n_components (n_features + order) / n_centers. If it is at least 1, there is a warning.

    Raises
    ------
    ValueError
        If a parameter or the rows are invalid.
    TypeError
        If `machine` is not a KernelMachine.

    Warns
    -----
    ApproximationWarning
        If the fidelity is low, or the machine itself is faster.

    References
    ----------
    U. Ozertem, D. Erdogmus: Maximum Entropy Approximation for Kernel Machines.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from melm_core import KernelMachine, KernelMachineApproximation
    >>> from melm_core.datasets import crescents
    >>> X, y = crescents(0)
    >>> machine = KernelMachine.from_estimator(SVC(C=0.1, gamma=1.0).fit(X, y))
    >>> approximation = KernelMachineApproximation(machine, X)
    >>> approximation.n_components < len(machine.centers)
    True
    >>> approximation.fidelity.sign_agreement > 0.9
    True
    """

    def __init__(
        self,
        machine: KernelMachine,
        X: Any = None,
        *,
        method: MarginalMethod = "exact",
        axes: AxesMethod = "cumulants",
        order: int = 4,
        refit: bool = True,
        merge_tolerance: float = 0.1,
        max_starts: int = 500,
    ) -> None:
        check_choice("method", method, MARGINAL_METHODS)
        check_choice("axes", axes, AXES_METHODS)
        check_order(order)
        check_positive("merge_tolerance", merge_tolerance)
        check_integer("max_starts", max_starts, minimum=1)
        if not isinstance(machine, KernelMachine):
            raise TypeError(
                f"An approximation needs a KernelMachine, not a {type(machine).__name__}; convert "
                "a fitted estimator with KernelMachine.from_estimator(estimator)."
            )
        self.method, self.axes, self.order = method, axes, order
        self._merge_tolerance, self._max_starts = merge_tolerance, max_starts
        self._n_features = machine.centers.shape[1]
        nonzero = np.flatnonzero(machine.weights)
        machine = replace(
            machine,
            centers=machine.centers[nonzero],
            weights=machine.weights[nonzero],
            bandwidth=machine.bandwidth
            if np.ndim(machine.bandwidth) == 0
            else np.asarray(machine.bandwidth)[nonzero],
        )
        rows = spread_rows(machine.centers if X is None else checked_rows(X, self._n_features))
        targets = machine.decision_function(rows)
        clusters, groups = self._approximate(machine)
        if refit:
            values = self._components.component_values(rows)
            self._amplitudes = fitted_amplitudes(values, targets - machine.intercept)
        self.modes = describe_modes(
            clusters,
            groups,
            self._components,
            weights=machine.weights,
            amplitudes=self._amplitudes,
            numbers=nonzero,
        )
        self.fidelity = fidelity(targets, self.decision_function(rows))
        self._warn()

    def decision_function(self, X: Any) -> FloatArray:
        """Compute approximate values of the machine, shape (n_samples,).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        """
        rows = checked_rows(X, self._n_features)
        values: FloatArray = self._components.values(rows, self._amplitudes) + self._intercept
        return values

    def predict(self, X: Any) -> IntArray:
        """Sign of the decision function, 1 or -1, shape (n_samples,)."""
        return np.where(self.decision_function(X) > 0, 1, -1)

    def describe_cost(self) -> str:
        """Describe the cost of the approximation in a sentence, by counting operations."""
        counts = f"{self.n_components} components instead of {self._n_centers:,} centers"
        ratio = self.evaluation_cost_ratio
        if ratio >= 1:
            slower = format_ratio(ratio)
            return (
                f"With {counts} the approximation would take about {slower} times as long "
                "as the kernel machine: use the machine itself."
            )
        faster = format_ratio(1 / ratio)
        return f"With {counts} the approximation should be about {faster} times as fast."

    def _approximate(self, machine: KernelMachine) -> tuple[ModeClusters, SignedClusters]:
        """Compute the components; return the clusters, with locations in units of the data."""
        origin = machine.centers.mean(axis=0)
        linear = machine.linear_map()
        scaled = (machine.centers - origin) @ linear
        widths = machine.relative_bandwidths
        clusters = find_modes(
            scaled,
            machine.weights,
            widths,
            max_starts=self._max_starts,
            merge_tolerance=self._merge_tolerance,
        )
        groups = split_by_sign(clusters.labels, machine.weights)
        self._components: SeparableSum = separable_sum(
            scaled,
            machine.weights,
            widths,
            groups.members,
            order=self.order,
            method=self.method,
            axes=self.axes,
        ).mapped(linear, origin)
        self._amplitudes, self._intercept = groups.signs, machine.intercept
        self._n_centers, self.n_components = len(scaled), len(self._components)
        per_component = self._n_features + self.order
        self.evaluation_cost_ratio = self.n_components * per_component / self._n_centers
        locations = origin + clusters.locations @ np.linalg.pinv(linear)
        return replace(clusters, locations=locations), groups

    def _warn(self) -> None:
        if self.evaluation_cost_ratio >= 1:
            warnings.warn(self.describe_cost(), ApproximationWarning, stacklevel=3)
        reached = self.fidelity
        if min(reached.r2, reached.sign_agreement) < LOW_FIDELITY:
            warnings.warn(
                f"The approximation is inaccurate: R² is {reached.r2:.2f}, and "
                f"{reached.sign_agreement:.0%} of the rows are on the same side of the decision "
                "surface. Use the machine itself, a reduced set, or more regularization.",
                ApproximationWarning,
                stacklevel=3,
            )


def fitted_amplitudes(values: FloatArray, targets: FloatArray) -> FloatArray:
    """Amplitudes of the components by least squares.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_components)
        Values of each component; a component without any has amplitude 0.
    targets : ndarray of shape (n_samples,)
        Values of the machine without its intercept.

    Returns
    -------
    ndarray of shape (n_components,)
    """
    peaks = values.max(axis=0)
    scales = np.where(peaks > 0, peaks, 1.0)
    fitted = np.linalg.lstsq(values / scales, targets, rcond=NULL_AMPLITUDE)[0]
    amplitudes: FloatArray = fitted / scales
    return amplitudes


def fidelity(targets: FloatArray, approximated: FloatArray) -> Fidelity:
    """Compare values of the machine and its approximation at the same rows, (n_samples,)."""
    residual = np.square(targets - approximated).sum()
    total = np.square(targets - targets.mean()).sum()
    share = residual / total if total > 0 else float(residual > 0)
    agreement = np.mean((targets > 0) == (approximated > 0))
    return Fidelity(r2=float(1.0 - share), sign_agreement=float(agreement))


def measured_speed_up(
    machine: KernelMachine, approximation: KernelMachineApproximation, X: Any, *, repeats: int = 5
) -> float:
    """Evaluation time of the machine divided by that of its approximation.

    Parameters
    ----------
    machine : KernelMachine
    approximation : KernelMachineApproximation
        Fitted.
    X : array-like of shape (n_samples, n_features)
    repeats : int, default=5
        Number of alternating runs of both, whose medians are compared.
    """
    took = [(_seconds(machine, X), _seconds(approximation, X)) for _ in range(repeats)]
    exact, approximate = zip(*took, strict=True)
    return float(median(exact) / median(approximate))


def format_ratio(ratio: float) -> str:
    """Format a ratio of times to its significant digits, such as "1.4" or "363"."""
    return f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def spread_rows(rows: FloatArray) -> FloatArray:
    """Return the rows, or MOST_ROWS evenly spaced ones.

    Raises
    ------
    ValueError
        If there are none.
    """
    if not len(rows):
        raise UserError("X has no rows; pass at least one row, or None to use the centers.")
    if len(rows) <= MOST_ROWS:
        return rows
    return rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.int64)]


def _seconds(model: KernelMachine | KernelMachineApproximation, X: Any) -> float:
    began = time.perf_counter()
    model.decision_function(X)
    return time.perf_counter() - began


def reduced_set(
    machine: KernelMachine, n_centers: int, X: Any = None, *, random_state: int = 0
) -> KernelMachine:
    """Approximate a kernel machine by one with fewer centers.

    The centers are the means of k-means clusters, and the weights are fitted
    by least squares. Kernels of widths of their own are replaced by one of
    their mean squared width.

    Parameters
    ----------
    machine : KernelMachine
    n_centers : int
        Capped at the number of distinct centers of the machine.
    X : array-like of shape (n_samples, n_features) or None, default=None
        Rows to which the weights are fitted; the machine's centers by default.
    random_state : int, default=0
        Seed of k-means.

    Returns
    -------
    KernelMachine
        With the same kernel, or kernels, and intercept.

    Raises
    ------
    ValueError
        If n_centers or X is invalid.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from melm_core.kernel_machines import KernelMachine, reduced_set
    >>> from melm_core.datasets import crescents
    >>> X, y = crescents(0)
    >>> machine = KernelMachine.from_estimator(SVC(gamma=1.0).fit(X, y))
    >>> reduced_set(machine, 10, X).centers.shape
    (10, 2)
    """
    check_integer("n_centers", n_centers, minimum=1)
    origin = machine.centers.mean(axis=0)
    linear = machine.linear_map()
    scaled = (machine.centers - origin) @ linear
    n_clusters = min(n_centers, len(np.unique(scaled, axis=0)))
    labels = KMeans(n_clusters, n_init=1, random_state=random_state).fit_predict(scaled)
    centers = _means(machine.centers, labels)
    widths = np.sqrt(_means(np.square(machine.relative_bandwidths), labels))
    rows = spread_rows(machine.centers if X is None else checked_rows(X, len(origin)))
    kernels = gaussian_sums(
        (rows - origin) @ linear, (centers - origin) @ linear, widths, np.eye(len(centers))
    )
    targets = machine.decision_function(rows) - machine.intercept
    bandwidth = machine.bandwidth
    return replace(
        machine,
        centers=centers,
        weights=fitted_amplitudes(kernels, targets),
        bandwidth=bandwidth if np.ndim(bandwidth) == 0 else widths * np.median(bandwidth),
    )


def _means(values: FloatArray, labels: np.typing.NDArray[np.int32]) -> FloatArray:
    """Compute the mean of the values of each label, shape (n_labels, ...)."""
    return np.stack([values[labels == label].mean(axis=0) for label in np.unique(labels)])


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

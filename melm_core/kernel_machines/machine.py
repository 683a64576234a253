"""Kernel machines: weighted sums of Gaussian kernels around centers, also of fitted estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from scipy.sparse import issparse
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Product, Sum, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC, SVR
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_positive
from melm_core.density import gaussian_sums
from melm_core.density.class_densities import ClassDensities
from melm_core.density.covariances import whitening

# Relative tolerance within which kernel covariances are equal or proportional.
SAME_KERNEL = 1e-9


@dataclass(frozen=True, eq=False)
class KernelMachine:
    """A weighted sum of unnormalized Gaussian kernels.

    f(x) = sum_i w_i exp(-|x - c_i|^2 / (2 bandwidth_i^2)) + intercept  (equation 1)

    Attributes
    ----------
    centers : ndarray of shape (n_centers, n_features)
        c_i.
    weights : ndarray of shape (n_centers,)
        w_i, of either sign, not all zero.
    bandwidth : float or ndarray of shape (n_centers,)
        Of all kernels, or of each, in units of the data or of the whitened data.
    intercept : float, default=0.0
    whitener : ndarray of shape (n_features, rank) or None, default=None
        W of an anisotropic kernel, whose distances are |(x - c_i) W|.

    Raises
    ------
    ValueError
        If a field is invalid.

    Examples
    --------
    >>> from melm_core import KernelMachine
    >>> machine = KernelMachine(centers=[[-1.0], [1.0]], weights=[-1.0, 1.0], bandwidth=1.0)
    >>> machine.decision_function([[-1.0], [0.0], [1.0]]).round(3)
    array([-0.865,  0.   ,  0.865])
    """

    centers: FloatArray
    weights: FloatArray
    bandwidth: float | FloatArray
    intercept: float = 0.0
    whitener: FloatArray | None = None

    def __post_init__(self) -> None:
        """Convert lists to arrays and validate the fields."""
        _store(self, "centers", _finite("centers", self.centers, 2))
        _store(self, "weights", _finite("weights", self.weights, 1))
        _check_shapes(self.centers, self.weights)
        if np.ndim(self.bandwidth) == 0:
            check_positive("bandwidth", self.bandwidth)
        else:
            widths = _finite("bandwidth", self.bandwidth, 1)
            _check_bandwidths(widths, len(self.centers))
            _store(self, "bandwidth", widths)
        if not np.isfinite(self.intercept):
            raise UserError(f"intercept={self.intercept!r} must be a finite number.")
        if self.whitener is not None:
            _store(self, "whitener", _finite("whitener", self.whitener, 2))
            _check_whitener(self.whitener, self.centers.shape[1])

    @classmethod
    def from_estimator(cls, estimator: Any, *, component: int | None = None) -> Self:
        """Convert a fitted estimator to a kernel machine of the same decision function.

        Parameters
        ----------
        estimator : fitted estimator
            An SVC, SVR, KernelRidge or GaussianProcessRegressor with an RBF
            kernel, a KernelFisherDiscriminant or a KernelDensityClassifier.
            A classifier must have two classes, and a regressor one output,
            unless a component is named. Kernel principal components (KernelPCA
            of scikit-learn with an RBF kernel, or that of the studio) and the
            discriminants of kernel Fisher are machines component by component.
            For a Gaussian process the machine is its mean. For a
            `KernelDensityClassifier`, whose classes must have the same kernel up
            to its width, it is the difference of the class densities in units of
            the peak of the first class's kernel.
        component : int or None, default=None
            Which coordinate of a projection, from 0; None if there is only one.

        Raises
        ------
        ValueError
            If the estimator, its kernel or its number of classes or outputs is
            not supported, or there is no such component.

        Examples
        --------
        >>> from sklearn.decomposition import KernelPCA
        >>> from melm_core import KernelMachine
        >>> from melm_core.datasets import crescents
        >>> X, _ = crescents(0)
        >>> components = KernelPCA(2, kernel="rbf", gamma=2.0).fit(X)
        >>> machine = KernelMachine.from_estimator(components, component=1)
        >>> bool(abs(machine.decision_function(X) - components.transform(X)[:, 1]).max() < 1e-9)
        True
        """
        check_is_fitted(estimator)
        if hasattr(estimator, "kernel_classes_"):
            _check_proportional_kernels(estimator.kernel_classes_)
            return cls.from_densities(estimator.kernel_classes_)
        read = read_estimator(estimator, component)
        whitener = None if read.length_scales is None else np.diag(1.0 / read.length_scales)
        return cls(read.centers, read.weights, read.bandwidth, read.intercept, whitener)

    @classmethod
    def from_densities(cls, classes: ClassDensities) -> Self:
        """Subtract the first class density from the second.

        Kernels that differ in width alone are kept. If they differ in shape,
        both are replaced by the mean of the two covariances, weighted by class
        size; the result then differs from `KernelDensityClassifier`.

        Parameters
        ----------
        classes : ClassDensities
            Two classes.

        Returns
        -------
        KernelMachine
            In units of the peak of the first class's kernel.

        Raises
        ------
        ValueError
            If there are not two classes.
        """
        if len(classes.rows) != 2:
            raise UserError(
                f"A kernel machine separates two classes, and there are {len(classes.rows)}; "
                "choose two of them, or one against the rest."
            )
        centers = np.concatenate(classes.rows)
        shares = np.array([-1.0, 1.0]) / classes.counts
        ratio = _ratio_of_kernels(classes)
        if ratio is None:
            kernel = np.average(classes.covariances, axis=0, weights=classes.counts)
            weights = np.repeat(shares, classes.counts)
            return cls(centers, weights, 1.0, 0.0, whitening(kernel))
        whitener = whitening(classes.covariances[0])
        widths = np.array([1.0, np.sqrt(ratio)])
        weights = np.repeat(shares / widths ** whitener.shape[1], classes.counts)
        bandwidth = 1.0 if ratio == 1.0 else np.repeat(widths, classes.counts)
        return cls(centers, weights, bandwidth, 0.0, whitener)

    def decision_function(self, X: Any) -> FloatArray:
        """Compute f(x), shape (n_samples,), in blocks of bounded memory.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        """
        rows = checked_rows(X, self.centers.shape[1])
        origin = self.centers.mean(axis=0)  # keeps the precision of large coordinates
        sums = gaussian_sums(
            self._isotropic(rows - origin),
            self._isotropic(self.centers - origin),
            self.bandwidth,
            self.weights[:, None],
        )
        values: FloatArray = sums[:, 0] + self.intercept
        return values

    def linear_map(self) -> FloatArray:
        """Return L of the kernels exp(-|(x - c_i) L|^2 / (2 r_i^2)), shape (n_features, rank).

        r_i are the `relative_bandwidths`.
        """
        whitener = np.eye(self.centers.shape[1]) if self.whitener is None else self.whitener
        scaled: FloatArray = whitener / np.median(self.bandwidth)
        return scaled

    @property
    def relative_bandwidths(self) -> FloatArray:
        """Bandwidth of each kernel in units of their median, shape (n_centers,)."""
        return np.broadcast_to(self.bandwidth / np.median(self.bandwidth), len(self.centers))

    def _isotropic(self, offsets: FloatArray) -> FloatArray:
        """Offsets in coordinates in which the kernel is isotropic."""
        return offsets if self.whitener is None else offsets @ self.whitener


def checked_rows(X: Any, n_features: int) -> FloatArray:
    """Convert X to an array and check its values and number of features.

    Raises
    ------
    ValueError
        If X is not two-dimensional, not finite, or has another number of features.
    """
    rows = _finite("X", X, 2)
    if rows.shape[1] != n_features:
        raise UserError(
            f"X has {rows.shape[1]} feature(s), but the kernel machine was built with "
            f"{n_features}; pass the same features."
        )
    return rows


def _store(machine: KernelMachine, name: str, value: FloatArray) -> None:
    object.__setattr__(machine, name, value)


def _finite(name: str, values: Any, n_dimensions: int) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != n_dimensions:
        raise UserError(
            f"{name} must have {n_dimensions} dimension(s), but its shape is {array.shape}; "
            "reshape it."
        )
    if not np.isfinite(array).all():
        raise UserError(
            f"{name} contains a value that is NaN or infinite; remove or impute such values."
        )
    return array


def _check_shapes(centers: FloatArray, weights: FloatArray) -> None:
    if len(centers) != len(weights):
        raise UserError(
            f"There are {len(centers)} centers and {len(weights)} weights; pass one weight for "
            "each center."
        )
    if not weights.any():
        raise UserError(
            "All weights of the kernel machine are zero, so it is constant and has no modes; "
            "fit it with less regularization or to other rows."
        )


def _check_whitener(whitener: FloatArray, n_features: int) -> None:
    if len(whitener) != n_features or whitener.shape[1] == 0:
        raise UserError(
            f"whitener must have {n_features} rows, one per feature, and at least one column; its "
            f"shape is {whitener.shape}."
        )


def _check_bandwidths(bandwidth: FloatArray, n_centers: int) -> None:
    if len(bandwidth) != n_centers:
        raise UserError(
            f"There are {n_centers} centers and {len(bandwidth)} bandwidths; pass one bandwidth "
            "for each center, or a single number."
        )
    if bandwidth.min() <= 0:
        raise UserError(
            f"The bandwidth {bandwidth.min():g} is not above 0; pass a positive one for each "
            "center."
        )


def _ratio_of_kernels(classes: ClassDensities) -> float | None:
    """Divide the second kernel covariance by the first; None if their shapes differ."""
    first, second = classes.covariances
    ratio = float(np.vdot(first, second) / np.vdot(first, first))
    difference = np.abs(second - ratio * first).max()
    if difference > SAME_KERNEL * np.abs(second).max():
        return None
    return 1.0 if abs(ratio - 1.0) <= SAME_KERNEL else ratio


def _check_proportional_kernels(classes: ClassDensities) -> None:
    if len(classes.rows) == 2 and _ratio_of_kernels(classes) is None:
        raise UserError(
            "The kernels of the classes of this KernelDensityClassifier differ in shape, and those "
            "of a kernel machine differ in width at most. Use "
            "KernelMachine.from_densities(estimator.kernel_classes_), which uses the mean of both "
            "kernels."
        )


@dataclass(frozen=True, eq=False)
class ReadMachine:
    """The parameters of a fitted estimator in the notation of `KernelMachine`.

    Attributes
    ----------
    centers : ndarray of shape (n_centers, n_features)
    weights : ndarray of shape (n_centers,)
    bandwidth : float
    intercept : float
    length_scales : ndarray of shape (n_features,) or None
        Kernel widths by feature, in units of `bandwidth`; None if all are equal.
    """

    centers: FloatArray
    weights: FloatArray
    bandwidth: float
    intercept: float
    length_scales: FloatArray | None = None


@runtime_checkable
class KernelProjection(Protocol):
    """A fitted projection whose coordinates are weighted sums of kernels.

    Kernel Fisher and the kernel PCA of the methods have these attributes in common.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_centers, n_features)
    dual_coef_ : ndarray of shape (n_components, n_centers)
    intercept_ : ndarray of shape (n_components,)
    bandwidth_ : float
    """

    X_fit_: FloatArray
    dual_coef_: FloatArray
    intercept_: FloatArray
    bandwidth_: float


def read_estimator(estimator: Any, component: int | None = None) -> ReadMachine:
    """Centers, weights, bandwidth and intercept of a fitted estimator.

    Parameters
    ----------
    estimator : fitted estimator
    component : int or None
        Which coordinate of a projection; None if there is only one.

    Raises
    ------
    ValueError
        If the estimator is not supported, its kernel is not Gaussian, it has
        more than one function and none is named, or not the one that is named.
    """
    if isinstance(estimator, KernelPCA):
        return _read_principal_component(estimator, component)
    if isinstance(estimator, KernelProjection):
        return _read_projection(estimator, component)
    if component is not None:
        raise UserError(
            f"component={component!r} is of a kernel PCA or a kernel Fisher discriminant; "
            f"a {type(estimator).__name__} has none, so leave it out."
        )
    for kind, reader in _READERS:
        if isinstance(estimator, kind):
            return reader(estimator)
    raise UserError(
        f"{type(estimator).__name__} is not a supported kernel machine; use an SVC, SVR, "
        "KernelRidge or GaussianProcessRegressor with an RBF kernel, a KernelPCA, a "
        "KernelFisherDiscriminant, or construct a KernelMachine from centers and weights."
    )


def _read_support_vectors(estimator: SVC | SVR) -> ReadMachine:
    _check_rbf(estimator.kernel)
    _check_single(len(estimator.intercept_))
    centers, weights = estimator.support_vectors_, estimator.dual_coef_
    width = _bandwidth(estimator._gamma)  # noqa: SLF001 -- "scale" is resolved only there
    return ReadMachine(_dense(centers), _dense(weights)[0], width, float(estimator.intercept_[0]))


def _read_kernel_ridge(estimator: KernelRidge) -> ReadMachine:
    _check_rbf(estimator.kernel)
    centers = _dense(estimator.X_fit_)
    weights = estimator.dual_coef_.reshape(len(centers), -1)
    _check_single(weights.shape[1])
    gamma = 1.0 / centers.shape[1] if estimator.gamma is None else float(estimator.gamma)
    return ReadMachine(centers, weights[:, 0], _bandwidth(gamma), 0.0)


def _read_gaussian_process(estimator: GaussianProcessRegressor) -> ReadMachine:
    height, kernel = _gaussian_part(estimator.kernel_)
    centers = np.asarray(estimator.X_train_, dtype=np.float64)
    weights = estimator.alpha_.reshape(len(centers), -1)
    _check_single(weights.shape[1])
    unit, origin = _target_units(estimator)
    scales = np.atleast_1d(kernel.length_scale)
    is_round = len(scales) == 1
    return ReadMachine(
        centers,
        weights[:, 0] * height * unit,
        float(scales[0]) if is_round else 1.0,
        origin,
        None if is_round else scales,
    )


def _read_projection(estimator: KernelProjection, component: int | None) -> ReadMachine:
    index = _checked_component(component, len(estimator.dual_coef_))
    return ReadMachine(
        estimator.X_fit_,
        estimator.dual_coef_[index],
        float(estimator.bandwidth_),
        float(estimator.intercept_[index]),
    )


def _read_principal_component(estimator: KernelPCA, component: int | None) -> ReadMachine:
    _check_rbf(estimator.kernel)
    index = _checked_component(component, len(estimator.eigenvalues_))
    variance = estimator.eigenvalues_[index]
    scaled = estimator.eigenvectors_[:, index] / np.sqrt(variance) if variance > 0 else 0.0
    centers = _dense(estimator.X_fit_)
    coefficients = np.broadcast_to(scaled, len(centers))
    # The kernel is centered in feature space: its mean over the rows is subtracted.
    centering = estimator._centerer  # noqa: SLF001 -- the means are nowhere else
    total = coefficients.sum()
    intercept = total * centering.K_fit_all_ - coefficients @ centering.K_fit_rows_
    weights = coefficients - total / len(centers)
    return ReadMachine(centers, weights, _bandwidth(estimator.gamma_), float(intercept))


_READERS: tuple[tuple[type, Callable[[Any], ReadMachine]], ...] = (
    (SVC, _read_support_vectors),
    (SVR, _read_support_vectors),
    (KernelRidge, _read_kernel_ridge),
    (GaussianProcessRegressor, _read_gaussian_process),
)


def _gaussian_part(kernel: Kernel) -> tuple[float, RBF]:
    """Height and RBF part of an RBF kernel times constants plus white noise."""
    if type(kernel) is RBF:  # Matern is a subclass of it
        return 1.0, kernel
    if isinstance(kernel, Sum | Product):
        neutral = WhiteKernel if isinstance(kernel, Sum) else ConstantKernel
        for part, other in ((kernel.k1, kernel.k2), (kernel.k2, kernel.k1)):
            if isinstance(other, neutral):
                height, gaussian = _gaussian_part(part)
                factor = other.constant_value if isinstance(other, ConstantKernel) else 1.0
                return height * float(factor), gaussian
    raise UserError(
        f"The kernel {kernel} is not an RBF kernel, optionally times a constant and plus white "
        "noise; fit the estimator with such a kernel."
    )


def _target_units(estimator: GaussianProcessRegressor) -> tuple[float, float]:
    """Unit and origin of the targets, which `normalize_y` stores in private attributes."""
    unit, origin = estimator._y_train_std, estimator._y_train_mean  # noqa: SLF001
    return float(np.ravel(unit)[0]), float(np.ravel(origin)[0])


def _bandwidth(gamma: float) -> float:
    """Sigma of the kernel exp(-gamma |x - c|^2)."""
    return float(1.0 / np.sqrt(2.0 * gamma))


def _dense(values: Any) -> FloatArray:
    return np.asarray(values.toarray() if issparse(values) else values, dtype=np.float64)


def _check_rbf(kernel: Any) -> None:
    if kernel != "rbf":
        raise UserError(
            f"kernel={kernel!r} is not Gaussian, and only Gaussian kernels are supported; "
            'fit the estimator with kernel="rbf".'
        )


def _checked_component(component: int | None, n_components: int) -> int:
    """Return the number of the component; 0 if none is named and there is only one."""
    if component is None:
        if n_components == 1:
            return 0
        raise UserError(
            f"The estimator has {n_components} decision functions, and a kernel machine has one; "
            "choose one, as component=0, or fit two classes."
        )
    if not 0 <= component < n_components:
        raise UserError(
            f"component={component!r} is not among the {n_components} of the projection; choose "
            f"one from 0 to {n_components - 1}."
        )
    return component


def _check_single(n_functions: int) -> None:
    if n_functions != 1:
        raise UserError(
            f"The estimator has {n_functions} decision functions, and a kernel machine has one; "
            "fit it to two classes or one output, or wrap it in OneVsRestClassifier."
        )

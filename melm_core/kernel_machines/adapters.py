"""Extracts centers and weights from fitted estimators with a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.sparse import issparse
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Product, Sum, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC, SVR

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError


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

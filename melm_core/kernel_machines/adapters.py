"""Extracts centers and weights from fitted estimators with a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Product, Sum, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC, SVR

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant


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


def read_estimator(estimator: Any) -> ReadMachine:
    """Centers, weights, bandwidth and intercept of a fitted estimator.

    Raises
    ------
    ValueError
        If the estimator is not supported, its kernel is not Gaussian, or it has
        more than one decision function.
    """
    for kind, reader in _READERS:
        if isinstance(estimator, kind):
            return reader(estimator)
    raise UserError(
        f"{type(estimator).__name__} is not a supported kernel machine; use an SVC, SVR, "
        "KernelRidge or GaussianProcessRegressor with an RBF kernel, a KernelFisherDiscriminant, "
        "or construct a KernelMachine from centers and weights."
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


def _read_kernel_fisher(estimator: KernelFisherDiscriminant) -> ReadMachine:
    _check_single(len(estimator.classes_) - 1)
    return ReadMachine(
        estimator.X_fit_,
        estimator.dual_coef_[0],
        estimator.bandwidth_,
        float(estimator.intercept_[0]),
    )


_READERS: tuple[tuple[type, Callable[[Any], ReadMachine]], ...] = (
    (SVC, _read_support_vectors),
    (SVR, _read_support_vectors),
    (KernelRidge, _read_kernel_ridge),
    (GaussianProcessRegressor, _read_gaussian_process),
    (KernelFisherDiscriminant, _read_kernel_fisher),
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


def _check_single(n_functions: int) -> None:
    if n_functions != 1:
        raise UserError(
            f"The estimator has {n_functions} decision functions, and a kernel machine has one; "
            "fit it to two classes or one output, or wrap it in OneVsRestClassifier."
        )

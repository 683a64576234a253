"""The feature space of a Gaussian kernel, spanned by the rows it was given.

A function f(x) = sum_i w_i exp(-|x - c_i|^2 / (2 sigma^2)) + b is a direction
of this space and an origin on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import rbf_kernel

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_positive
from melm_core.base.sampling import stratified_sample

Bandwidth = float | Literal["median"]

# Directions of feature space whose variance is below this share of the
# largest one are rounding.
NULL_SHARE = 1e-12

# The same for a kernel that is 1 everywhere: its values are known to this precision.
NULL_VARIANCE = 1e-14


@dataclass(frozen=True, eq=False)
class KernelSpace:
    """Rows in the principal coordinates of feature space.

    Attributes
    ----------
    centers : ndarray of shape (n_centers, n_features)
    bandwidth : float
        sigma.
    variances : ndarray of shape (rank,)
        Of the rows along the principal directions, descending, all positive.
    coordinates : ndarray of shape (n_centers, rank)
        The rows about their mean; distances between them are those of feature space.
    kernel_means : ndarray of shape (n_centers,)
        Mean over the rows of the kernel at each center.
    """

    centers: FloatArray
    bandwidth: float
    variances: FloatArray
    coordinates: FloatArray
    kernel_means: FloatArray

    def functions(self, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The coordinates along directions as sums of kernels.

        Parameters
        ----------
        directions : ndarray of shape (n_directions, rank)

        Returns
        -------
        weights : ndarray of shape (n_directions, n_centers)
            Each row sums to zero.
        intercepts : ndarray of shape (n_directions,)
            Coordinates are `gaussian_sums(X, ..., weights.T) + intercepts`.
        """
        moments = self.variances * len(self.centers)
        weights = (directions / moments) @ self.coordinates.T
        return weights, -weights @ self.kernel_means


def sampled_space(
    X: FloatArray,
    y: IntArray,
    *,
    bandwidth: Bandwidth,
    bandwidth_scale: float,
    max_rows: int,
) -> tuple[KernelSpace, IntArray]:
    """Feature space spanned by the rows, or by a stratified sample of max_rows of them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes.
    bandwidth : float or "median"
    bandwidth_scale : float
    max_rows : int

    Returns
    -------
    space : KernelSpace
    indices : ndarray of shape (n_centers,)
        The rows it is spanned by.
    """
    check_integer("max_rows", max_rows, minimum=4)
    indices = stratified_sample(y, max_rows / len(y), int(y.max()) + 1)
    check_positive("bandwidth_scale", bandwidth_scale)
    sigma = bandwidth_scale * chosen_bandwidth(bandwidth, X[indices])
    return kernel_space(X[indices], sigma), indices


def kernel_space(centers: FloatArray, bandwidth: float) -> KernelSpace:
    """Principal coordinates of the rows in feature space, by the centered kernel matrix.

    Parameters
    ----------
    centers : ndarray of shape (n_centers, n_features)
    bandwidth : float
    """
    kernel = gaussian_kernel(centers, centers, bandwidth)  # (n_centers, n_centers)
    means = kernel.mean(axis=0)
    moments, axes = np.linalg.eigh(kernel - means - means[:, None] + means.mean())
    floor = max(NULL_SHARE * moments[-1], NULL_VARIANCE * len(centers))
    kept = np.flatnonzero(moments > floor)[::-1]
    coordinates = axes[:, kept] * np.sqrt(moments[kept])
    return KernelSpace(centers, bandwidth, moments[kept] / len(centers), coordinates, means)


def gaussian_kernel(X: FloatArray, centers: FloatArray, bandwidth: float) -> FloatArray:
    """exp(-|x - c|^2 / (2 sigma^2)), shape (n_samples, n_centers)."""
    origin = centers.mean(axis=0)  # squares of large coordinates would lose the differences
    values: FloatArray = rbf_kernel(
        (X - origin) / bandwidth, (centers - origin) / bandwidth, gamma=0.5
    )
    return values


def chosen_bandwidth(bandwidth: Bandwidth, centers: FloatArray) -> float:
    """The number given, or the median distance between two different rows.

    1 where all rows are equal.

    Raises
    ------
    ValueError
        If it is neither a finite number above 0 nor "median".
    """
    if bandwidth != "median":
        check_positive("bandwidth", bandwidth)
        return float(bandwidth)
    distances = pdist(centers)
    apart = distances[distances > 0]
    return float(np.median(apart)) if len(apart) else 1.0

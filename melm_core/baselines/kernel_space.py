"""The feature space of a Gaussian kernel, spanned by the training rows.

A direction of this space, with an origin, is a function
f(x) = sum_i w_i exp(-|x - c_i|^2 / (2 sigma^2)) + b.
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

# Directions of feature space with less than this fraction of the largest variance are rounding
# errors.
NULL_SHARE = 1e-12

# Absolute bound, for a kernel that is 1 everywhere up to rounding.
NULL_VARIANCE = 1e-14


@dataclass(frozen=True, eq=False)
class KernelSpace:
    """The training rows in the principal coordinates of feature space.

    Attributes
    ----------
    centers : ndarray of shape (n_centers, n_features)
    bandwidth : float
        sigma.
    variances : ndarray of shape (rank,)
        Variances along the principal directions, descending and positive.
    coordinates : ndarray of shape (n_centers, rank)
        Centered rows; their distances are those in feature space.
    kernel_means : ndarray of shape (n_centers,)
        Mean over the rows of the kernel around each center.
    """

    centers: FloatArray
    bandwidth: float
    variances: FloatArray
    coordinates: FloatArray
    kernel_means: FloatArray

    def functions(self, directions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Express the coordinates along directions as sums of kernels.

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

    def coordinates_along(
        self, directions: FloatArray, n_components: int
    ) -> tuple[FloatArray, FloatArray]:
        """Compute `functions`, turned to a positive largest coordinate and padded with zeros.

        Parameters
        ----------
        directions : ndarray of shape (n_directions, rank)
        n_components : int
            At least n_directions.

        Returns
        -------
        weights : ndarray of shape (n_components, n_centers)
        intercepts : ndarray of shape (n_components,)
        """
        values = self.coordinates @ directions.T  # (n_centers, n_directions)
        furthest = np.take_along_axis(values, np.abs(values).argmax(axis=0)[None], axis=0)[0]
        weights, intercepts = self.functions(
            np.where(furthest < 0, -1.0, 1.0)[:, None] * directions
        )
        missing = n_components - len(directions)
        return np.pad(weights, ((0, missing), (0, 0))), np.pad(intercepts, (0, missing))


def sampled_space(
    X: FloatArray,
    y: IntArray,
    *,
    bandwidth: Bandwidth,
    bandwidth_scale: float,
    max_rows: int,
) -> tuple[KernelSpace, IntArray]:
    """Return the feature space spanned by the rows, or by a stratified sample of them.

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
        Indices of the rows that span it.
    """
    check_integer("max_rows", max_rows, minimum=4)
    indices = stratified_sample(y, max_rows / len(y), int(y.max()) + 1)
    check_positive("bandwidth_scale", bandwidth_scale)
    sigma = bandwidth_scale * chosen_bandwidth(bandwidth, X[indices])
    return kernel_space(X[indices], sigma), indices


def kernel_space(centers: FloatArray, bandwidth: float) -> KernelSpace:
    """Compute principal coordinates of the rows in feature space from the centered kernel.

    Parameters
    ----------
    centers : ndarray of shape (n_centers, n_features)
    bandwidth : float
    """
    kernel = gaussian_kernel(centers, centers, bandwidth)  # (n_centers, n_centers)
    means = kernel.mean(axis=0)
    moments, axes = np.linalg.eigh(kernel - means - means[:, None] + means.mean())
    floor = max(NULL_SHARE * moments[-1], NULL_VARIANCE * len(centers))
    positive = np.flatnonzero(moments > floor)[::-1]
    coordinates = axes[:, positive] * np.sqrt(moments[positive])
    return KernelSpace(centers, bandwidth, moments[positive] / len(centers), coordinates, means)


def gaussian_kernel(X: FloatArray, centers: FloatArray, bandwidth: float) -> FloatArray:
    """exp(-|x - c|^2 / (2 sigma^2)), shape (n_samples, n_centers)."""
    origin = centers.mean(axis=0)  # keeps the precision of large coordinates
    values: FloatArray = rbf_kernel(
        (X - origin) / bandwidth, (centers - origin) / bandwidth, gamma=0.5
    )
    return values


def chosen_bandwidth(bandwidth: Bandwidth, centers: FloatArray) -> float:
    """Return the given bandwidth, or the median distance between distinct rows.

    The median is 1 if all rows are equal.

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

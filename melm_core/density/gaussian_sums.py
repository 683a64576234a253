"""Weighted sums of Gaussian kernels around centers."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.density.direct_sums import exponent_factors

# Kernel values in memory at once, 1 MB: a block fits in the cache of a core.
BLOCK_ENTRIES = 1 << 17
BLOCK_CENTERS = 4_096


def gaussian_sums(
    X: FloatArray, centers: FloatArray, bandwidth: float, columns: FloatArray
) -> FloatArray:
    """sum_i columns_i exp(-|x - c_i|^2 / (2 bandwidth^2)), in blocks that fit in the cache.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    centers : ndarray of shape (n_centers, n_features)
    bandwidth : float
        In units of the data.
    columns : ndarray of shape (n_centers, n_columns)
        Weights; each column gives one sum.

    Returns
    -------
    ndarray of shape (n_samples, n_columns)
    """
    origin = centers.mean(axis=0)  # keeps the precision of large coordinates
    left, right = exponent_factors((X - origin) / bandwidth, (centers - origin) / bandwidth)
    step = max(1, BLOCK_ENTRIES // min(len(centers), BLOCK_CENTERS))
    sums = np.zeros((len(X), columns.shape[1]))
    for begin in range(0, len(X), step):
        rows = slice(begin, begin + step)
        for first in range(0, len(centers), BLOCK_CENTERS):
            block = slice(first, first + BLOCK_CENTERS)
            kernel = left[rows] @ right[block].T
            sums[rows] += np.exp(kernel, out=kernel) @ columns[block]
    return sums

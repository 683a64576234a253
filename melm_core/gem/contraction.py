"""Targets that are contracted to a few numbers, which are cut into bins (section 5)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError

# Singular values of the target below this fraction of the largest are rounding errors.
_NEGLIGIBLE = 1e-10
_NEARLY = 1.0 - 1e-6


def class_coordinates(X: FloatArray, codes: IntArray, n_contractions: int) -> FloatArray:
    """Compute the means of classes on their leading discriminant axes.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    codes : ndarray of int of shape (n_samples,)
    n_contractions : int
        Most axes.

    Returns
    -------
    ndarray of shape (n_contracted, n_classes)
    """
    discriminant = LinearDiscriminantAnalysis(n_components=None).fit(X, codes)
    coordinates = discriminant.transform(discriminant.means_)[:, :n_contractions]
    return np.ascontiguousarray(coordinates.T)


def contractions(targets: FloatArray, n_contractions: int) -> FloatArray:
    """Compute vectors that contract a target to numbers: principal axes of its scaled columns.

    Parameters
    ----------
    targets : ndarray of shape (n_samples, n_targets)
    n_contractions : int
        Most vectors; there are fewer where the target has a smaller rank.

    Returns
    -------
    ndarray of shape (n_contracted, n_targets)

    Raises
    ------
    ValueError
        If the target is constant.
    """
    # A constant column has no width up to rounding errors of its mean.
    widths = targets.std(axis=0)
    is_varying = np.ptp(targets, axis=0) > 0
    if not is_varying.any():
        raise UserError(
            "The target y is constant, so no direction tells its values apart; pass one that "
            "varies, or leave the step out."
        )
    scales = np.where(is_varying, 1.0 / np.where(is_varying, widths, 1.0), 0.0)
    centered = (targets - targets.mean(axis=0)) * scales
    _, sizes, axes = np.linalg.svd(centered, full_matrices=False)
    n_kept = min(n_contractions, int(np.sum(sizes > _NEGLIGIBLE * sizes[0])))
    # The sign of an axis is arbitrary: the first of its largest entries, equal up to rounding
    # errors if there are two columns, is positive.
    leading = axes[:n_kept]
    sizes_of_entries = np.abs(leading)
    is_largest = sizes_of_entries >= _NEARLY * sizes_of_entries.max(axis=1, keepdims=True)
    signs = np.sign(leading[np.arange(n_kept), is_largest.argmax(axis=1)])
    result: FloatArray = leading * signs[:, None] * scales
    return result


def quantile_bins(values: FloatArray, n_bins: int) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Cut numbers into bins of about equally many.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Not all equal.
    n_bins : int

    Returns
    -------
    edges : ndarray
        Ascending; at most n_bins - 1, without those that would leave a bin empty.
    bins : ndarray of shape (n_samples,)
        Number of the bin of each value, from 0; an edge belongs to the bin above.
    """
    edges = np.unique(
        np.quantile(values, np.arange(1, n_bins) / n_bins, method="closest_observation")
    )
    edges = edges[edges > values.min()]
    if not len(edges):
        # More than half of the values are the smallest: they against the rest.
        edges = np.array([values[values > values.min()].min()])
    bins: IntArray = np.searchsorted(edges, values, side="right").astype(np.int64)
    return edges, bins

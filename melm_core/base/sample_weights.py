"""Weights of rows, which count how often each row is in the data, and means by them."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError


def checked_weights(sample_weight: Any, n_samples: int) -> FloatArray | None:
    """Return the weights as an array; None if every row counts once.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), number or None
        A number is the weight of every row.
    n_samples : int

    Raises
    ------
    ValueError
        If the shape differs, a weight is negative or not finite, or all are zero.

    Examples
    --------
    >>> from melm_core.base import checked_weights
    >>> checked_weights([1, 2], 3)
    Traceback (most recent call last):
        ...
    melm_core.base.errors.UserError: sample_weight has the shape (2,); it must have one ...
    """
    if sample_weight is None:
        return None
    weights: FloatArray = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_samples, float(weights))
    if weights.shape != (n_samples,):
        raise UserError(
            f"sample_weight has the shape {weights.shape}; it must have one weight for each of "
            f"the {n_samples} rows."
        )
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.max() == 0:
        wrong = weights[~(np.isfinite(weights) & (weights >= 0))]
        problem = f"the weight {wrong[0]:g}" if len(wrong) else "only zeros"
        raise UserError(
            f"sample_weight has {problem}; weights must be finite numbers of at least 0, and some "
            "above 0. Give rows that should not count the weight 0."
        )
    return weights


def mean_of(rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Compute the mean of each column.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_columns)
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.
    """
    mean: FloatArray = rows.mean(axis=0) if weights is None else weights @ rows / weights.sum()
    return mean


def deviations_of(rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Compute the standard deviation of each column, with the sum of the weights as divisor.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_columns)
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.
    """
    if weights is None:
        deviations: FloatArray = rows.std(axis=0)
        return deviations
    offsets = rows - rows[0]
    return np.sqrt(mean_of(np.square(offsets - mean_of(offsets, weights)), weights))


def totals_of(rows: Sequence[Sized], weights: Sequence[FloatArray] | None = None) -> FloatArray:
    """Sum the weights of each class, or count its rows, shape (n_classes,).

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_samples_of_class, n_coordinates), or of ClassRows
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
    """
    if weights is None:
        return np.array([float(len(block)) for block in rows])
    return np.array([of_class.sum() for of_class in weights])


def balanced_share(right: Any, y: IntArray, weights: FloatArray | None = None) -> float:
    """Compute the mean over the classes of the share of their rows that is right.

    Parameters
    ----------
    right : ndarray of bool or float of shape (n_samples,)
        Whether each row is right, or how much.
    y : ndarray of int of shape (n_samples,)
        Class codes; a class without rows does not count.
    weights : ndarray of shape (n_samples,) or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base import balanced_share
    >>> balanced_share(np.array([True, False, True]), np.array([0, 0, 1]))
    0.75
    """
    totals = np.bincount(y, weights)
    sums = np.bincount(y, right if weights is None else right * weights)
    is_present = totals > 0
    return float((sums[is_present] / totals[is_present]).mean())

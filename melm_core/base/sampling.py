"""Samples that represent all rows."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import IntArray


def stratified_sample(y: IntArray, share: float, n_classes: int) -> IntArray:
    """Indices of a sample with the same share of every class.

    The rows are evenly spaced within each class, so the same data always give
    the same sample.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes - 1.
    share : float
        Share of each class to keep, at least two of its rows; 1 or more keeps all rows.
    n_classes : int

    Returns
    -------
    ndarray of int of shape (n_kept,)
        Ascending.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base import stratified_sample
    >>> stratified_sample(np.repeat([0, 1], [8, 4]), 0.5, n_classes=2)
    array([ 0,  2,  4,  7,  8, 11])
    """
    if share >= 1.0 or len(y) == 0:
        return np.arange(len(y))
    kept = [
        rows[np.linspace(0, len(rows) - 1, max(2, round(share * len(rows)))).astype(np.int64)]
        for rows in (np.flatnonzero(y == code) for code in range(n_classes))
        if len(rows)
    ]
    return np.unique(np.concatenate(kept))

"""Samples that represent all rows."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import IntArray

T = TypeVar("T", bound=np.generic)


def stratified_sample(y: IntArray, share: float, n_classes: int) -> IntArray:
    """Draw a sample with the same share of every class.

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
    indices = [
        rows[evenly_spaced(len(rows), share)]
        for rows in (np.flatnonzero(y == code) for code in range(n_classes))
        if len(rows)
    ]
    return np.unique(np.concatenate(indices))


def thinned(rows: npt.NDArray[T], most: int) -> npt.NDArray[T]:
    """Keep every n-th row, from the first, so that no more than so many are left.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, ...)
    most : int

    Returns
    -------
    ndarray
        A view.

    Examples
    --------
    >>> thinned(np.arange(7), 3)
    array([0, 3, 6])
    """
    return rows[:: max(1, -(-len(rows) // most))]


def evenly_spaced(n_rows: int, share: float) -> IntArray:
    """Return evenly spaced indices of a share of rows, at least two of them.

    Parameters
    ----------
    n_rows : int
    share : float

    Examples
    --------
    >>> evenly_spaced(8, 0.5)
    array([0, 2, 4, 7])
    """
    if share >= 1.0:
        return np.arange(n_rows)
    n_kept = max(2, round(share * n_rows))
    return np.unique(np.linspace(0, n_rows - 1, n_kept).astype(np.int64))

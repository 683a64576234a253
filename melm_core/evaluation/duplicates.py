"""Rows that are in a table more than once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_X_y

from melm_core.base.array_types import IntArray

# Values that differ by less than about this share of the standard deviation of a feature are equal.
RESOLUTION = 1e-6


@dataclass(frozen=True, eq=False)
class DuplicateRows:
    """Rows with equal values and equal label, as groups.

    Attributes
    ----------
    groups : ndarray of shape (n_samples,)
        Codes 0 .. n_distinct-1; equal for duplicates.
    n_repeats : int
        Number of rows that repeat an earlier row.
    n_classes : int
        Number of classes with such rows.

    Examples
    --------
    >>> from melm_core.evaluation import duplicate_rows
    >>> duplicate_rows([[1.0, 2.0], [1.0, 2.0], [0.0, 3.0]], ["a", "a", "b"]).n_repeats
    1
    """

    groups: IntArray
    n_repeats: int
    n_classes: int


def duplicate_rows(X: Any, y: Any, *, resolution: float = RESOLUTION) -> DuplicateRows:
    """Find exact and near duplicates among rows of the same label.

    The values are rounded and hashed, so that the time is linear in the number
    of rows. Of near duplicates, those on two sides of a rounding limit are not found.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    resolution : float, default=1e-6
        Step of the rounding, as a share of the standard deviation of each feature.

    Returns
    -------
    DuplicateRows

    Raises
    ------
    ValueError
        If a value is missing or infinite.

    Examples
    --------
    >>> from melm_core.evaluation import duplicate_rows
    >>> found = duplicate_rows([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0 + 1e-9]], ["a", "b", "a"])
    >>> found.groups, found.n_repeats, found.n_classes
    (array([0, 1, 0]), 1, 1)
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    spread = X.std(axis=0)
    steps = np.round((X - X.mean(axis=0)) / (resolution * np.where(spread > 0, spread, 1.0)))
    codes = pd.factorize(y)[0]
    rows = np.column_stack([steps + 0.0, codes])  # -0.0 + 0.0 is 0.0
    keys = pd.Series([row.tobytes() for row in rows], dtype=object)
    groups, distinct = pd.factorize(keys)
    repeats = keys.duplicated().to_numpy()
    return DuplicateRows(
        groups=groups.astype(np.int64),
        n_repeats=len(groups) - len(distinct),
        n_classes=len(np.unique(codes[repeats])),
    )

"""Rows that stand for all of them."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import IntArray


def stratified_sample(y: IntArray, share: float, n_classes: int) -> IntArray:
    """Row indices of an even share of every class, at least two rows of each that has them.

    Evenly spaced within each class, so the same data always give the same rows.
    """
    if share >= 1.0 or len(y) == 0:
        return np.arange(len(y))
    kept = [
        rows[np.linspace(0, len(rows) - 1, max(2, round(share * len(rows)))).astype(np.int64)]
        for rows in (np.flatnonzero(y == code) for code in range(n_classes))
        if len(rows)
    ]
    return np.unique(np.concatenate(kept))

"""Groups of rows that depend on each other, as codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from melm_core.base.array_types import IntArray
from melm_core.base.errors import UserError


def group_codes(groups: Any, n_samples: int) -> IntArray:
    """Codes 0 .. n_groups-1 of the group of each row, in order of appearance.

    Parameters
    ----------
    groups : array-like of shape (n_samples,)
        Names or numbers.
    n_samples : int

    Raises
    ------
    ValueError
        If the shape differs or a group is missing.
    """
    labels = np.asarray(groups)
    if labels.shape != (n_samples,):
        raise UserError(
            f"groups has the shape {labels.shape}; it must have one value for each of the "
            f"{n_samples} rows."
        )
    codes = pd.factorize(labels)[0]
    if (codes < 0).any():
        raise UserError(
            f"groups has {int((codes < 0).sum())} missing values; every row needs a group. Give "
            "these rows groups of their own, or leave them out."
        )
    return codes.astype(np.int64)

"""Groups of rows that depend on each other, and values of a nuisance, as codes."""

from __future__ import annotations

from typing import Any

import numpy as np

from melm_core.base.array_types import IntArray
from melm_core.base.codes import codes_in_order
from melm_core.base.errors import UserError


def group_codes(groups: Any, n_samples: int) -> IntArray:
    """Return codes 0 .. n_groups-1 of the group of each row, in order of appearance.

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
    codes, n_missing = _codes("groups", groups, n_samples)
    if n_missing:
        raise UserError(
            f"groups has {n_missing} missing values; every row needs a group. Give "
            "these rows groups of their own, or leave them out."
        )
    return codes


def nuisance_codes(nuisance: Any, n_samples: int) -> IntArray:
    """Return codes from 0 of the value of a nuisance in each row, in order of appearance.

    Parameters
    ----------
    nuisance : array-like of shape (n_samples,)
        Names or numbers, such as those of the batches.
    n_samples : int

    Raises
    ------
    ValueError
        If the shape differs or a value is missing.

    Examples
    --------
    >>> from melm_core.base import nuisance_codes
    >>> nuisance_codes(["B", "A", "B"], 3)
    array([0, 1, 0])
    """
    codes, n_missing = _codes("nuisance", nuisance, n_samples)
    if n_missing:
        raise UserError(
            f"nuisance has {n_missing} missing values; every row needs one. Give these rows a "
            "value of their own, or leave them out."
        )
    return codes


def class_counts(y: IntArray, groups: IntArray) -> IntArray:
    """Count the rows of each group and class, by ascending group, shape (n_groups, n_classes)."""
    present, codes = np.unique(groups, return_inverse=True)
    counts = np.zeros((len(present), int(y.max()) + 1), dtype=np.int64)
    np.add.at(counts, (codes, y), 1)
    return counts


def units_of_classes(y: IntArray, groups: IntArray | None, n_classes: int = 0) -> IntArray:
    """Count the rows of each class or, where rows depend on each other, groups, (n_classes,).

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base import units_of_classes
    >>> units_of_classes(np.array([0, 0, 1, 1]), np.array([7, 7, 7, 8]), n_classes=3)
    array([1, 2, 0])
    """
    of_units = y if groups is None else np.unique(np.column_stack([y, groups]), axis=0)[:, 0]
    return np.bincount(of_units, minlength=n_classes)


def group_members(groups: IntArray) -> list[IntArray]:
    """Return indices of the rows of each group, by ascending group."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)


def _codes(name: str, values: Any, n_samples: int) -> tuple[IntArray, int]:
    """Return codes of the values, -1 where missing, and how many are."""
    labels = np.asarray(values)
    if labels.shape != (n_samples,):
        raise UserError(
            f"{name} has the shape {labels.shape}; it must have one value for each of the "
            f"{n_samples} rows."
        )
    codes = codes_in_order(labels)
    return codes, int((codes < 0).sum())

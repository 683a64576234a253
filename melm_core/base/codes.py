"""Codes of values, of groups and of a nuisance in order of appearance, without pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import IntArray
from melm_core.base.errors import UserError

_NUMBERS = "biufc"  # kinds of data types, also of those of pandas


def is_numeric(kind: Any) -> bool:
    """Return whether a data type of numpy or pandas is numeric."""
    return getattr(kind, "kind", "O") in _NUMBERS


def missing_values(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Mark the values that are None, NaN, NaT or pandas.NA, in the shape of the values.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base.codes import missing_values
    >>> missing_values(np.array(["a", None, float("nan")], dtype=object))
    array([False,  True,  True])
    """
    if values.dtype.kind == "O":
        missing = np.fromiter(map(_is_missing, values.flat), dtype=np.bool_, count=values.size)
        return missing.reshape(values.shape)
    unequal: npt.NDArray[np.bool_] = values != values  # noqa: PLR0124 - NaN and NaT are not themselves
    return unequal


def codes_in_order(values: npt.NDArray[Any]) -> IntArray:
    """Number the values from 0 in order of appearance, -1 where one is missing.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Of any type that can be hashed.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base.codes import codes_in_order
    >>> codes_in_order(np.array([7.0, np.nan, 3.0, 7.0]))
    array([ 0, -1,  1,  0])
    """
    missing = missing_values(values)
    codes = np.full(len(values), -1, dtype=np.int64)
    present = values[~missing]
    if values.dtype.kind == "O":  # of mixed types, which cannot be sorted
        numbers: dict[Any, int] = {}
        codes[~missing] = [numbers.setdefault(value, len(numbers)) for value in present]
        return codes
    _, first, inverse = np.unique(present, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    codes[~missing] = rank[inverse]
    return codes


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # noqa: PLR0124
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return True


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

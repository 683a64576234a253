"""Codes of values in order of appearance, and which values are missing, without pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import IntArray

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

"""Tables of many columns: put together of numbers at once, and numbers taken out of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import FloatArray

# What a reader says of columns, in the attributes of their frame: which say what the samples are
# that the others were measured of, and which are text though their cells are numbers; and which
# tables the file has, that which was read first.
BESIDE, TEXTS, TABLES = "beside", "texts", "tables"
_MOST_INSERTED = 100  # columns of text; of more, pandas is faster if all are joined at once


def free_name(name: str, frame: pd.DataFrame) -> str:
    """Return the name of a new column, which no column of a table has.

    Examples
    --------
    >>> free_name("group", pd.DataFrame({"group": [1]}))
    "group'"
    """
    taken = set(frame.columns)
    while name in taken:
        name += "'"
    return name


def assembled(
    names: Sequence[str],
    numbers: FloatArray,
    others: Mapping[str, FloatArray | pd.Series],
    index: pd.Index | None = None,
) -> pd.DataFrame:
    """Assemble columns without copying the numbers.

    Parameters
    ----------
    names : sequence of str, (n_columns,)
        All columns, in order.
    numbers : ndarray of float64 of shape (n_rows, n_numbers)
        The columns that are not among the others, in order.
    others : mapping of str to array-like of shape (n_rows,)
    index : Index, optional
        Of the rows; their numbers by default.

    Examples
    --------
    >>> numbers = pd.Series([2.5, 1.5]).to_numpy()[:, None]
    >>> assembled(["kind", "size"], numbers, {"kind": pd.Series(["a", "b"])})
      kind  size
    0    a   2.5
    1    b   1.5
    """
    # Not as texts of pandas, among which a name is slow to find.
    plain = pd.Index([name for name in names if name not in others], dtype=object)
    frame = pd.DataFrame(numbers, index, plain, copy=False)
    if len(others) > _MOST_INSERTED:
        frame_of_others = pd.DataFrame(dict(others), frame.index)
        joined = pd.concat([frame, frame_of_others], axis=1)
        return joined.reindex(columns=pd.Index([*names], dtype=object))
    for place, name in enumerate(names):
        if name in others:
            frame.insert(place, name, others[name])
    return frame


def columns_of(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Take columns by their names, of which pandas would first make texts of its own.

    Examples
    --------
    >>> columns_of(pd.DataFrame({"a": [1.5], "b": [2.5]}), ["b"])
         b
    0  2.5
    """
    by_name: pd.Index[Any] = pd.Index([*names], dtype=object)
    places = frame.columns.get_indexer(by_name)
    if len(places) and (np.diff(places) == 1).all():  # of which pandas copies nothing
        return frame.iloc[:, places[0] : places[-1] + 1]
    return frame.take(places, axis=1)


def number_columns(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Return whether each column is one of numbers.

    Examples
    --------
    >>> number_columns(pd.DataFrame({"kind": ["a", "b"], "size": [2.5, 1.5]}))
    array([False,  True])
    """
    return np.array([dtype.kind == "f" for dtype in frame.dtypes], dtype=np.bool_)

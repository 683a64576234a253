"""Vectors that are written in the cells of text, such as embeddings: [0.1, 0.2, 0.3]."""

from __future__ import annotations

import numpy as np
import pandas as pd

from melm_core.base import FloatArray
from melm_studio.tables.formatting import count, number
from melm_studio.tables.records import Limits
from melm_studio.tables.text import TableError


def with_vectors(cells: pd.DataFrame, limits: Limits) -> tuple[pd.DataFrame, list[str]]:
    """A table with a column for each number of the vectors in its texts.

    Parameters
    ----------
    cells : DataFrame
    limits : Limits

    Returns
    -------
    cells : DataFrame
    steps : list of str
        Which columns had vectors, a sentence each.

    Raises
    ------
    TableError
        If the table has too many columns then.
    """
    by_column: dict[object, FloatArray] = {}
    n_columns = cells.shape[1]
    for name in cells.columns[[kind.kind not in "iuf" for kind in cells.dtypes]]:
        if width := _width(cells[name]):
            _reject(len(cells), n_columns + width - 1, limits)
            if (vectors := _vectors(cells[name], width)) is not None:
                by_column[name] = vectors
                n_columns += width - 1
    if not by_column:
        return cells, []
    parts = [
        vector_columns(str(name), by_column[name], cells.index)
        if name in by_column
        else cells[[name]]
        for name in cells.columns
    ]
    steps = [vector_step(str(name), vectors) for name, vectors in by_column.items()]
    return pd.concat(parts, axis=1), steps


def vector_columns(name: str, vectors: FloatArray, index: pd.Index | None = None) -> pd.DataFrame:
    """A column for each number of vectors, named by its place."""
    names = pd.Index([f"{name} {place}" for place in range(vectors.shape[1])], dtype=object)
    return pd.DataFrame(vectors, columns=names, index=index)


def vector_step(name: str, vectors: FloatArray) -> str:
    """Describe how a column of vectors was read."""
    return f"{name} is read as {count(vectors.shape[1], 'feature')}, one for each number."


def _reject(n_rows: int, n_columns: int, limits: Limits) -> None:
    if n_columns > limits.n_columns:
        raise TableError(
            f"The vectors in the table make {count(n_columns, 'column')}, and at most "
            f"{number(int(limits.n_columns))} can be read. Shorten them and drop the file again."
        )
    limits.reject_cells(n_rows, n_columns)


def _width(column: pd.Series) -> int:
    """Count the numbers of the first cell, two or more; 0 if it is no vector."""
    if column.dtype.kind in "biuf" or (first := column.first_valid_index()) is None:
        return 0
    numbers = _numbers(str(column[first]))
    return 0 if numbers is None or len(numbers) < 2 else len(numbers)


def _vectors(column: pd.Series, width: int) -> FloatArray | None:
    """The numbers in a column, NaN in empty cells; None unless all vectors are as long."""
    vectors = np.full((len(column), width), np.nan)
    for row in np.flatnonzero(column.notna()):
        numbers = _numbers(str(column.iloc[row]))
        if numbers is None or len(numbers) != width:
            return None
        vectors[row] = numbers
    return vectors


def _numbers(cell: str) -> FloatArray | None:
    """The numbers between brackets, None if there are no brackets or others than numbers."""
    text = cell.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        return np.array(text[1:-1].replace(",", " ").split(), dtype=np.float64)
    except ValueError:
        return None

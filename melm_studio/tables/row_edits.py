"""Rows of a table that the user left out or marked, before anything is prepared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec import Meta, Struct

from melm_core.base import UserError
from melm_studio.tables.formatting import count, listed, number_text, shortened
from melm_studio.tables.questions import KEPT, SMALL
from melm_studio.tables.read import Table
from melm_studio.validation import Count, InputError, shown

# More rows than this are better left out of the file.
MAX_EDITED_ROWS = 10_000
MAX_MARKS = 50

RowNumbers = Annotated[
    tuple[Count, ...],
    Meta(
        title="The list of rows",
        description=f"a list of at most {MAX_EDITED_ROWS:,} rows",
        max_length=MAX_EDITED_ROWS,
    ),
]
Words = Annotated[str, Meta(min_length=1, max_length=100)]


class Mark(Struct, frozen=True, forbid_unknown_fields=True):
    """Rows that get a value in a column of the table, or in a new one.

    Attributes
    ----------
    column, value : str
    rows : tuple of int
        Of the file, counted from 1 without the header.
    """

    column: Annotated[Words, Meta(title="The name of the column")]
    value: Annotated[Words, Meta(title="The value of the marked rows")]
    rows: RowNumbers


def edited_table(table: Table, left_out: Sequence[int], marks: Sequence[Mark]) -> Table:
    """Return a table with rows marked, and others left out; rows keep their numbers.

    Raises
    ------
    UserError
        If every row would be left out.
    """
    for mark in marks:
        table = _marked(table, mark)
    if not left_out:
        return table
    frame = table.frame[~_is_among(table, left_out)]
    n_left_out = len(table.frame) - len(frame)
    if not len(frame):
        raise UserError("All rows would be left out. Select fewer.")
    step = (
        f"Left out as you chose: {count(n_left_out, 'row')} ({listed(list(map(str, left_out)))})."
    )
    return replace(table, frame=frame, steps=(*table.steps, step))


def _marked(table: Table, mark: Mark) -> Table:
    frame, chosen = table.frame.copy(), _is_among(table, mark.rows)
    cells = frame[mark.column] if mark.column in frame else pd.Series(np.nan, frame.index)
    texts = [number_text(cell) if isinstance(cell, float) else cell for cell in cells.to_numpy()]
    marked = np.array(texts, dtype=object)
    marked[cells.isna()] = None
    marked[chosen] = mark.value
    frame[mark.column] = pd.Series(marked, frame.index, dtype="str")
    step = (
        f"Marked as you chose: {count(int(chosen.sum()), 'row')} with {shortened(mark.column)} "
        f'"{shortened(mark.value)}".'
    )
    # A class that somebody makes of a few rows is one.
    answers = {**table.answers, SMALL: KEPT}
    return replace(table, frame=frame, steps=(*table.steps, step), answers=answers)


def rows_text(rows: Sequence[int]) -> str:
    """Return rows in ascending order as an address holds them.

    Examples
    --------
    >>> rows_text((3, 5, 6, 7))
    '3,5-7'
    """
    numbers = np.unique(np.asarray(rows, dtype=np.int64))
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1) if len(numbers) else []
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def rows_from_text(text: str) -> list[int]:
    """Return the rows that `rows_text` wrote.

    Raises
    ------
    InputError
        If the text is no such list, or a longer one than any page wrote.
    """
    rows: list[int] = []
    for part in text.split(",") if text else []:
        ends = part.split("-")
        if len(ends) > 2 or not all(re.fullmatch("[0-9]{1,10}", end) for end in ends):
            raise InputError(f"The list of rows must be like 3,5-7; it has {shown(part)}.")
        first, last = int(ends[0]), int(ends[-1])
        if len(rows) + last - first >= MAX_EDITED_ROWS:
            raise InputError(f"The list of rows has more than {MAX_EDITED_ROWS:,}. Shorten it.")
        rows.extend(range(first, last + 1))
    return rows


def _is_among(table: Table, rows: Sequence[int]) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = np.isin(table.row_numbers, np.asarray(rows, dtype=np.int64))
    return found

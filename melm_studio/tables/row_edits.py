"""Rows that the user filters by values, leaves out or marks, before anything is prepared."""

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
from melm_studio.tables.formatting import count, listed, number, number_text, shortened
from melm_studio.tables.questions import KEPT, SMALL
from melm_studio.tables.read import Table
from melm_studio.validation import Count, InputError, shown

MAX_FILTERS = 20
NO_VALUE = ""  # the value of missing cells

_Bound = Annotated[float, Meta(ge=-1e300, le=1e300)]
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


class RowFilter(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Rows with certain values in a column, or numbers in a range.

    Attributes
    ----------
    column : str
    values : tuple of str
        The values; empty for a range. An empty text stands for missing cells.
    low, high : float or None
        The ends of the range, which belong to it.
    is_kept : bool
        Whether only these rows are kept, or they are left out.
    """

    column: Annotated[str, Meta(title="The column of a filter", min_length=1, max_length=2_000)]
    values: Annotated[
        tuple[Annotated[str, Meta(max_length=2_000)], ...],
        Meta(title="The values of a filter", max_length=1_000),
    ] = ()
    low: Annotated[_Bound, Meta(title="The low end of a filter")] | None = None
    high: Annotated[_Bound, Meta(title="The high end of a filter")] | None = None
    is_kept: Annotated[bool, Meta(title="Whether a filter keeps its rows")] = True

    def __post_init__(self) -> None:
        if not self.values and self.low is None and self.high is None:
            raise InputError(f"Choose values of {shortened(self.column)}, or an end of a range.")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InputError(
                f"The range of {shortened(self.column)} must begin below its end; it is from "
                f"{number_text(self.low)} to {number_text(self.high)}."
            )

    @property
    def words(self) -> str:
        """The filter in words, for a title: "only site A, B", "without age from 20 to 40"."""
        return f"{'only' if self.is_kept else 'without'} {shortened(self.column)} {self._what}"

    @property
    def _what(self) -> str:
        if self.values:
            return listed([value or "missing" for value in self.values])
        if self.high is None:
            return f"from {number_text(self.low or 0.0)}"
        if self.low is None:
            return f"to {number_text(self.high)}"
        return f"from {number_text(self.low)} to {number_text(self.high)}"


def filtered_table(table: Table, filters: Sequence[RowFilter]) -> Table:
    """Return a table with the rows that pass every filter; rows keep their numbers.

    Raises
    ------
    UserError
        If a column does not exist or has no numbers for a range, or no row passes.
    """
    for row_filter in filters:
        table = _filtered(table, row_filter)
    return table


def cell_texts(cells: pd.Series) -> npt.NDArray[np.object_]:
    """Each cell as filters name it: numbers without needless digits, "" where it is missing."""
    texts = np.array(
        [number_text(cell) if isinstance(cell, float) else str(cell) for cell in cells],
        dtype=object,
    )
    texts[cells.isna().to_numpy()] = NO_VALUE
    return texts


def _filtered(table: Table, row_filter: RowFilter) -> Table:
    if row_filter.column not in table.frame:
        raise UserError(
            f"Rows are chosen by {shortened(row_filter.column)}, which is no column of the table. "
            "Remove that filter."
        )
    is_among = _has_value(table.frame[row_filter.column], row_filter)
    is_kept = is_among if row_filter.is_kept else ~is_among
    n_rows, n_kept = len(is_kept), int(is_kept.sum())
    if not n_kept:
        raise UserError(f"No row is left: {row_filter.words}. Change or remove that filter.")
    step = f"Rows chosen by you, {row_filter.words}: {number(n_kept)} of {number(n_rows)}."
    return replace(table, frame=table.frame[is_kept], steps=(*table.steps, step))


def _has_value(cells: pd.Series, row_filter: RowFilter) -> npt.NDArray[np.bool_]:
    if row_filter.values:
        has_value: npt.NDArray[np.bool_] = np.isin(cell_texts(cells), row_filter.values)
        return has_value
    if cells.dtype.kind != "f":
        raise UserError(
            f"{shortened(row_filter.column)} is not a column of numbers, so a range cannot be "
            "chosen. Choose values."
        )
    numbers = cells.to_numpy(np.float64)
    low = -np.inf if row_filter.low is None else row_filter.low
    high = np.inf if row_filter.high is None else row_filter.high
    in_range: npt.NDArray[np.bool_] = (numbers >= low) & (numbers <= high)
    return in_range


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
    frame, is_marked = table.frame.copy(), _is_among(table, mark.rows)
    cells = frame[mark.column] if mark.column in frame else pd.Series(np.nan, frame.index)
    texts = [number_text(cell) if isinstance(cell, float) else cell for cell in cells.to_numpy()]
    marked = np.array(texts, dtype=object)
    marked[cells.isna()] = None
    marked[is_marked] = mark.value
    frame[mark.column] = pd.Series(marked, frame.index, dtype="str")
    step = (
        f"Marked as you chose: {count(int(is_marked.sum()), 'row')} with {shortened(mark.column)} "
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
    is_among: npt.NDArray[np.bool_] = np.isin(table.row_numbers, np.asarray(rows, dtype=np.int64))
    return is_among

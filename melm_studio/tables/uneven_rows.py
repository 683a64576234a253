"""Rows that do not split into as many cells as the others: mended, or a few of them left out."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from melm_studio.tables.formatting import count, place
from melm_studio.tables.records import (
    SAMPLE_BYTES,
    Limits,
    Records,
    UnevenError,
    find_records,
    guess_delimiter,
    is_blank,
    split,
)

MOST_LEFT_OUT = 20
ROWS_FOR_EACH = 100  # that are left out: of fewer rows none is
ESCAPED, DOUBLED = '\\"', '""'


@dataclass(frozen=True, eq=False)
class EvenRows:
    """Text whose rows have equally many cells.

    Attributes
    ----------
    data : bytes
        With as many records as the file has: those that are left out are blank lines.
    records : Records
    mended : tuple of str
        Which rows were read otherwise than they are written, a sentence.
    left_out : tuple of str
        Which were left out, a sentence.
    places : tuple of int
        Those of the rows that were left out, from 0.
    """

    data: bytes
    records: Records
    mended: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    places: tuple[int, ...] = ()


def even_rows(data: bytes, limits: Limits, *, has_header: bool | None = None) -> EvenRows:
    r"""Find the records as `find_records` does, also where a few cannot be read as they are.

    A line that is no row as it is may be one with \" as a quotation mark, as some programs write
    it. A few other lines with too many or too few cells are left out, one in a hundred at most.

    Raises
    ------
    TableError
        As `find_records` does.
    """
    try:
        return EvenRows(data, find_records(data, limits, has_header=has_header))
    except UnevenError:
        lines = _Lines(data)
        if not lines.are_mended():
            raise
    data = lines.mended_data()
    records = find_records(data, limits, has_header=has_header)
    places = tuple(line.place - records.form.has_header for line in lines.left_out)
    return EvenRows(data, records, _mended(lines.doubled), _left_out(lines.left_out), places)


@dataclass(frozen=True)
class _Line:
    """A line that is read otherwise: its first byte, that behind it, and what stands for it.

    Its row is that of the file, its place that among records, from 0.
    """

    start: int
    stop: int
    text: bytes
    row: int
    place: int
    n_more: int = 0  # fields than the others


class _Lines:
    """The lines of a file, one after the other, of which some are mended as they are read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lines = io.BytesIO(data)
        self._delimiter = _delimiter(data)
        # The rows of the file until here, the records among them, and the lines of the next.
        self._n_rows = self._n_records = self._n_lines = 0
        self._n_fields = self._start = 0
        self.doubled: list[_Line] = []
        self.left_out: list[_Line] = []

    def are_mended(self) -> bool:
        """Go through all lines; return whether the file is a table without those left out."""
        try:
            for record in split(self, self._delimiter):
                if not is_blank(record):
                    self._n_fields = self._n_fields or len(record)
                    if n_more := len(record) - self._n_fields:
                        # Behind an open quotation mark, a record of several lines is many rows.
                        if self._n_lines > 1 or len(self.left_out) == MOST_LEFT_OUT:
                            return False
                        self.left_out.append(self._line(b"\n", n_more))
                    self._n_records += 1
                self._n_rows, self._n_lines = self._n_rows + 1, 0
        except csv.Error:
            return False
        are_few = ROWS_FOR_EACH * len(self.left_out) < self._n_records
        return self._n_fields > 1 and are_few

    def mended_data(self) -> bytes:
        parts, end = [], 0
        for line in sorted([*self.doubled, *self.left_out], key=lambda line: line.start):
            parts += [self._data[end : line.start], line.text]
            end = line.stop
        return b"".join([*parts, self._data[end:]])

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        self._start = self._lines.tell()
        text = next(self._lines).decode()
        self._n_lines += 1
        if self._n_lines == 1 and ESCAPED in text and not self._is_row(text):
            doubled = text.replace(ESCAPED, DOUBLED)
            if self._is_row(doubled):
                self.doubled.append(self._line(doubled.encode()))
                return doubled
        return text

    def _is_row(self, text: str) -> bool:
        try:
            (record,) = split([text], self._delimiter)
        except csv.Error:
            return False
        return len(record) == (self._n_fields or len(record))

    def _line(self, text: bytes, n_more: int = 0) -> _Line:
        stop = self._lines.tell()
        return _Line(self._start, stop, text, self._n_rows + 1, self._n_records, n_more)


def _delimiter(data: bytes) -> str:
    r"""Guess it by the first lines as they are, or with \" as quotation marks."""
    lines = [line.decode() for line in io.BytesIO(data).readlines(SAMPLE_BYTES)]
    doubled = [line.replace(ESCAPED, DOUBLED) for line in lines]
    return max(map(guess_delimiter, (lines, doubled)), key=lambda guess: len(guess[1]))[0]


def _mended(lines: Sequence[_Line]) -> tuple[str, ...]:
    if not lines:
        return ()
    rows = count(len(lines), "row")
    return (f"Backslashes before quotation marks were left out in {rows}{_first(lines)}.",)


def _left_out(lines: Sequence[_Line]) -> tuple[str, ...]:
    if not lines:
        return ()
    ways = sorted({"more" if line.n_more > 0 else "fewer" for line in lines}, reverse=True)
    rows = count(len(lines), "row")
    return (f"Left out: {rows} with {' or '.join(ways)} fields than the others{_first(lines)}.",)


def _first(lines: Sequence[_Line]) -> str:
    return f", {'first ' * (len(lines) > 1)}{place(lines[0].row)}"


def at_places(frame: pd.DataFrame, left_out: Sequence[int]) -> pd.DataFrame:
    """Number the rows by their places in the file, from 0, where some were left out.

    Examples
    --------
    >>> at_places(pd.DataFrame({"x": [1.5, 2.5]}), [1]).index.tolist()
    [0, 2]
    """
    if not left_out:
        return frame
    places = np.setdiff1d(np.arange(len(frame) + len(left_out)), left_out)
    return frame.set_axis(places[: len(frame)])

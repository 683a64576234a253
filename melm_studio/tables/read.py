"""Reading a table from the bytes of a file."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PureWindowsPath

import numpy as np
import pandas as pd

from melm_core.base import IntArray
from melm_studio.tables.cells import MISSING, infer_columns
from melm_studio.tables.formatting import count, listed, number, shortened
from melm_studio.tables.readers import (
    DEFAULT_OPTIONS,
    ReadOptions,
    arff_text,
    arrow_cells,
    excel_text,
    is_arff,
    is_arrow,
    is_excel,
    unpacked,
)
from melm_studio.tables.records import (
    COMMA_SEPARATED,
    MAX_NAME,
    NUMBERS,
    Form,
    Limits,
    Records,
    find_records,
)
from melm_studio.tables.text import DELIMITERS, TableError, as_utf8

__all__ = ["ReadOptions", "Table", "TableError", "read_table", "unique_names"]

ARFF_HEAD = 100_000  # bytes that may precede @relation
MIN_COLUMNS = 2
_NO_MEMORY = "out of memory"  # as pandas says it
SAMPLE_LINES = 200
MAX_TITLES = 20
BLANK = b" \r\n\t,;|"
FEW = 3  # a title fills at most one in so many cells of a row


@dataclass(frozen=True, eq=False)
class Table:
    """A table as read from a file.

    Attributes
    ----------
    name : str
        The file's name without folder and extension.
    frame : pandas.DataFrame, (n_rows, n_columns)
        Unique column names; numeric columns are float64, the others text; missing is NaN.
    steps : tuple of str
        Decisions made while reading, a sentence each.
    form : Form
        How the file was split into cells.
    sheets : tuple of str
        The names of all sheets of a workbook.
    sheet : str
        The one that was read.
    """

    name: str
    frame: pd.DataFrame
    steps: tuple[str, ...]
    form: Form = COMMA_SEPARATED
    sheets: tuple[str, ...] = ()
    sheet: str = ""

    @property
    def row_numbers(self) -> IntArray:
        """The rows of the file, counted from 1 without the header; some may have been left out."""
        rows: IntArray = self.frame.index.to_numpy(np.int64) + 1
        return rows


def read_table(
    raw: bytes,
    name: str,
    *,
    max_rows: float = math.inf,
    max_columns: float = math.inf,
    options: ReadOptions = DEFAULT_OPTIONS,
) -> Table:
    """Read delimited text of any encoding, delimiter and decimal mark, or another kind of file.

    Excel workbooks, Parquet, Feather and ARFF files are recognized by their content, and gzip is
    unpacked.

    Parameters
    ----------
    raw : bytes
        The file's content.
    name : str
        The file's name; a folder before it is ignored.
    max_rows, max_columns : int, optional
        The largest table that is read; unlimited by default.
    options : ReadOptions, optional
        The sheet of a workbook, and how cells such as <0.5 are read.

    Raises
    ------
    TableError
        If the content is not a table of at least one row and two columns within the limits.
    """
    limits = Limits(max_rows, max_columns)
    data, file = unpacked(raw, PureWindowsPath(name).name)
    content = _content(data, file or "The file", limits, options)
    rows = content.file_rows
    frame, steps = infer_columns(content.cells, content.form.decimal, rows, options.limits)
    table = PureWindowsPath(file).stem or "table"
    return Table(
        table, frame, (*content.steps, *steps), content.form, content.sheets, content.sheet
    )


@dataclass(frozen=True, eq=False)
class _Content:
    """The cells of a file before the types of its columns are known."""

    cells: pd.DataFrame
    file_rows: IntArray
    steps: tuple[str, ...]
    form: Form = COMMA_SEPARATED
    sheets: tuple[str, ...] = ()
    sheet: str = ""


def _content(data: bytes, file: str, limits: Limits, options: ReadOptions) -> _Content:
    rows, columns = limits.n_rows, limits.n_columns
    if is_excel(data):
        text, sheets, sheet = excel_text(
            data, file, options.sheet, max_rows=rows, max_columns=columns
        )
        step = (f"Read from the sheet {shortened(sheet)}.",) if len(sheets) > 1 else ()
        return replace(_written(text, limits, step), sheets=sheets, sheet=sheet)
    if is_arrow(data):
        cells, steps = arrow_cells(data, file, max_rows=rows, max_columns=columns)
        return _of_frame(cells, steps)
    text, steps = as_utf8(data, file)
    if is_arff(text[:ARFF_HEAD].decode("utf-8", "replace")):
        written = arff_text(text.decode(), max_rows=rows, max_columns=columns)
        return _written(written, limits, steps)
    return _of_text(text, limits, steps)


def _written(text: bytes, limits: Limits, steps: tuple[str, ...]) -> _Content:
    """The content of text that another reader has written."""
    content = _of_text(text, limits, ())
    form = Form(",", ".", has_header=content.form.has_header)  # as the file saved as CSV has it
    own = [step for step in content.steps if step not in content.form.steps]
    return replace(content, form=form, steps=(*steps, *own))


def _of_text(data: bytes, limits: Limits, steps: tuple[str, ...]) -> _Content:
    data, title_steps = without_titles(data)
    records = find_records(data, limits)
    names, name_steps = _column_names(records)
    steps = (*steps, *title_steps, *records.form.steps, *name_steps)
    return _Content(_parse(data, records, names), records.file_rows, steps, records.form)


def _of_frame(cells: pd.DataFrame, steps: tuple[str, ...]) -> _Content:
    if cells.shape[1] < MIN_COLUMNS or not len(cells):
        raise TableError(
            f"The file has {count(len(cells), 'row')} and {count(cells.shape[1], 'column')} of "
            "numbers or text. A table needs at least one row and two columns."
        )
    names = [str(name).strip() for name in cells.columns]
    _reject_long_names(names)
    numbered = [name or f"column {at}" for at, name in enumerate(names, start=1)]
    renamed = cells.set_axis(unique_names(numbered), axis=1)
    return _Content(renamed, np.arange(2, len(cells) + 2), steps)


def unique_names(names: Sequence[str]) -> list[str]:
    """Number repeated names: ``x, x`` becomes ``x, x (2)``."""
    taken = set(names)
    repeats = Counter[str]()
    unique = []
    for name in names:
        repeats[name] += 1
        free = name
        while repeats[name] > 1 and free in taken:
            free = f"{name} ({repeats[name]})"
            repeats[name] += free in taken
        taken.add(free)
        unique.append(free)
    return unique


def _column_names(records: Records) -> tuple[list[str], list[str]]:
    """The columns' unique names, and which of them were made up."""
    first = records.first
    numbered = [f"column {position}" for position in range(1, len(first) + 1)]
    if not records.form.has_header:
        return numbered, [f'There is no header: columns are named "column 1" to "{numbered[-1]}".']
    _reject_long_names(first)
    given = [cell.strip() or place for cell, place in zip(first, numbered, strict=True)]
    names = unique_names(given)
    unnamed = [name for cell, name in zip(first, names, strict=True) if not cell.strip()]
    repeated = [name for old, name in zip(given, names, strict=True) if old != name]
    steps = []
    if unnamed:
        steps.append(f"Columns without a name are named by their position: {listed(unnamed)}.")
    if repeated:
        steps.append(f"Columns with repeated names are numbered: {listed(repeated)}.")
    return names, steps


def _reject_long_names(names: list[str]) -> None:
    for position, name in enumerate(names, start=1):
        if len(name) > MAX_NAME:
            raise TableError(
                f"The name of column {number(position)} has {number(len(name))} characters, but at "
                f"most {number(MAX_NAME)} can be shown. Shorten it and drop the file again."
            )


def _parse(data: bytes, records: Records, names: list[str]) -> pd.DataFrame:
    """Columns as pandas infers them: numbers if every cell is one, else text."""
    try:
        cells = pd.read_csv(
            io.BytesIO(data),
            sep=records.form.delimiter,
            decimal=records.form.decimal,
            header=0 if records.form.has_header else None,
            names=names,
            index_col=False,
            na_values=[marker for marker in MISSING if marker != "-"],  # "-" may be a class
            keep_default_na=False,
            skipinitialspace=True,
            low_memory=False,
        )
        if len(cells) == len(records.file_rows):
            return cells
    except ValueError as error:
        if _NO_MEMORY in str(error):
            raise MemoryError from None
    raise TableError("The file cannot be read reliably. Save it as CSV (UTF-8) and drop it again.")


def without_titles(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Blank the title lines, so that the rows keep their numbers.

    A title has fewer cells than the rows below, which begin with a header: text in every cell,
    above numbers.

    Returns
    -------
    data : bytes
    steps : tuple of str
        How many lines were skipped.
    """
    stream = io.BytesIO(data)
    lines = [line for _, line in zip(range(SAMPLE_LINES), stream, strict=False)]
    n_lines = _n_above(lines)
    titles = [line for line in lines[:n_lines] if line.strip(BLANK)]
    if not titles:
        return data, ()
    rest = data[sum(map(len, lines[:n_lines])) :]
    return b"\n" * n_lines + rest, (f"Skipped: {count(len(titles), 'title line')} at the top.",)


def _n_above(lines: Sequence[bytes]) -> int:
    """The number of lines above the header."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    if not texts or any(text.count('"') % 2 for text in texts[:MAX_TITLES]):
        return 0  # a cell with a line break
    n_cells, rows = max(
        (_as_split(texts, mark) for mark in DELIMITERS), key=lambda split: split[2]
    )[:2]
    for at, row in enumerate(rows[: MAX_TITLES + 1]):
        if len(row) == n_cells and not _is_sparse(row):
            is_title = at > 0 and _is_header(row, rows[at + 1 :], n_cells)
            is_plain = all(len(above) <= 1 or len(above) == n_cells for above in rows[:at])
            has_numbers = _has_numbers(rows[at + 1 :], n_cells)
            return at if is_title and (is_plain or has_numbers) else 0
    return 0


def _as_split(texts: Sequence[str], mark: str) -> tuple[int, list[list[str]], int]:
    """The most frequent number of cells, the cells of each line, and how many lines have it."""
    rows = [_cells(text, mark) for text in texts]
    lengths = Counter(len(row) for row in rows if len(row) > 1)
    n_cells, n_rows = max(lengths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return n_cells, rows, n_rows


def _cells(text: str, mark: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([text], delimiter=mark), [])]
    except csv.Error:
        return []


def _is_sparse(row: list[str]) -> bool:
    return len(row) >= FEW and sum(map(bool, row)) <= len(row) // FEW


def _is_header(row: list[str], below: Sequence[list[str]], n_cells: int) -> bool:
    is_text = not any(_is_number(cell) for cell in row) and all(row)
    return is_text and any(len(other) == n_cells for other in below)


def _has_numbers(rows: Sequence[list[str]], n_cells: int) -> bool:
    return any(_is_number(cell) for row in rows if len(row) == n_cells for cell in row)


def _is_number(cell: str) -> bool:
    return any(pattern.fullmatch(cell) for pattern in NUMBERS.values())

"""Reading a labelled table from the bytes of a delimited text file."""

from __future__ import annotations

import contextlib
import csv
import io
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import PureWindowsPath

import numpy as np
import pandas as pd

from melm_core._typing import IntArray

MAX_COLUMNS = 10_000
MAX_ROWS = 2_000_000
STRAY_SHARE = 0.05  # below this share of text cells, a column is numeric

# In order of preference between equals: a decimal comma looks like a delimiter.
DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?", "-")

SAMPLE_BYTES = 1_000_000  # the guesses look at the first lines only
PROSE_WORDS = 3  # cells of this many words on average are sentences
NAMES_SHOWN = 5
CONTROL_CODES = [chr(code) for code in range(32) if chr(code) not in "\t\n\v\f\r"]
WESTERN = "Western European text"
ENCODINGS = {"utf-16": "UTF-16", "utf-8-sig": "", "cp1252": WESTERN, "latin-1": WESTERN}
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
ZIP = b"PK\x03\x04"
FOREIGN_FORMATS = (  # how the file begins, what else it contains, what it is and the way out
    (ZIP, b"xl/", "an Excel workbook. Save it as CSV and drop it again."),
    (b"\xd0\xcf\x11\xe0", b"", "an Excel workbook. Save it as CSV and drop it again."),
    (ZIP, b"opendocument.spreadsheet", "a spreadsheet. Save it as CSV and drop it again."),
    (ZIP, b"", "a compressed archive. Unpack it and drop the CSV inside."),
    (b"\x1f\x8b", b"", "a compressed archive. Unpack it and drop the CSV inside."),
    (b"%PDF", b"", "a PDF document. Save its table as CSV and drop that."),
)
EMPTY = "The file is empty. Choose a file with a header and rows."
INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
NUMBERS = {
    mark: re.compile(rf"[+-]?([0-9]+(\{mark}[0-9]*)?|\{mark}[0-9]+)([eE][+-]?[0-9]+)?")
    for mark in ".,"
}


class TableError(ValueError):
    """A table that cannot be used; the message is for the user and names the way out."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read.

    Attributes
    ----------
    name : str
        The file's name without folder and ending.
    frame : pandas.DataFrame, (n_rows, n_columns)
        Unique column names; numeric columns are float64, the others text; missing is NaN.
    steps : tuple of str
        What the reading had to decide, a sentence each.
    """

    name: str
    frame: pd.DataFrame
    steps: tuple[str, ...]


def read_table(raw: bytes, name: str) -> Table:
    """Read delimited text, whatever its encoding, delimiter and decimal mark.

    Parameters
    ----------
    raw : bytes
        The file's content.
    name : str
        The file's name; a folder in front of it is ignored.

    Raises
    ------
    TableError
        If the content is not a table of at least one row and two columns.
    """
    file = PureWindowsPath(name)  # understands both kinds of slash
    data, encoding_steps = _as_utf8(raw, file.name or "The file")
    sample = io.BytesIO(data).readlines(SAMPLE_BYTES)
    lines = [line.decode() for line in sample]
    delimiter = _guess_delimiter(lines)
    records = _records(lines, delimiter)
    _refuse_prose(records)
    first, file_rows = _survey(data, delimiter)
    form = _guess_form(first, records[1:], delimiter)
    file_rows = file_rows[form.has_header :]
    if len(file_rows) == 0:
        raise TableError("The file has a header but no rows. Add rows and drop it again.")
    _refuse_more(len(file_rows), MAX_ROWS, "rows")
    names, name_steps = _column_names(first, form)
    cells = _parse(data, form, names, len(file_rows))
    frame, cell_steps = _settle(cells, form.decimal, file_rows)
    return Table(
        file.stem or "table", frame, (*encoding_steps, *form.steps, *name_steps, *cell_steps)
    )


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


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Count in words: ``1 row``, ``1 797 rows``, ``2 categories``."""
    return f"{grouped(n)} {noun if n == 1 else plural or noun + 's'}"


def grouped(n: int) -> str:
    """Write a whole number with spaces between the thousands."""
    return f"{n:,}".replace(",", " ")


def listed(names: Sequence[str]) -> str:
    """Join at most five names, and say how many more there are."""
    shown = ", ".join(shortened(name) for name in names[:NAMES_SHOWN])
    more = len(names) - NAMES_SHOWN
    return f"{shown} and {grouped(more)} more" if more > 0 else shown


def shortened(text: str, width: int = 40) -> str:
    """Put text of any length on one line of at most `width` characters."""
    line = " ".join(text[: 10 * width].split())
    return line if len(line) <= width else f"{line[: width - 1]}…"


@dataclass(frozen=True)
class _Form:
    delimiter: str
    decimal: str
    has_header: bool

    @property
    def steps(self) -> tuple[str, ...]:
        if self.delimiter == ",":
            return ()
        decimal = " with decimal comma" if self.decimal == "," else ""
        return (f"Read as {DELIMITERS[self.delimiter]}-separated{decimal}.",)


def _as_utf8(raw: bytes, file: str) -> tuple[bytes, tuple[str, ...]]:
    """Recode to UTF-8 with plain line feeds, refusing what is not text."""
    for signature, content, kind in FOREIGN_FORMATS:
        if raw.startswith(signature) and content in raw:
            raise TableError(f"{file} is {kind}")
    text, encoding = _decode(raw)
    n_control_codes = sum(text.count(code) for code in CONTROL_CODES)
    if "\0" in text or n_control_codes > len(text) // 100:
        raise TableError(f"{file} is not a text file. Save the table as CSV and drop that.")
    data = text.encode().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.strip():
        raise TableError(EMPTY)
    return data, (f"Read as {encoding}.",) if encoding else ()


def _decode(raw: bytes) -> tuple[str, str]:
    """Decode with the first encoding that fits, and name it unless it is UTF-8."""
    for encoding, words in ENCODINGS.items():
        if encoding == "utf-16" and not raw.startswith(BYTE_ORDER_MARKS):
            continue
        with contextlib.suppress(UnicodeDecodeError):
            return raw.decode(encoding), words
    raise AssertionError("Latin-1 has a character for every byte.")


def _reader(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)


def _is_blank(record: list[str]) -> bool:
    return len(record) < 2 and not "".join(record).strip(" \t")


def _records(lines: list[str], delimiter: str) -> list[list[str]]:
    """The records up to the first one that cannot be split."""
    records: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # extend keeps what came before the error
        records.extend(record for record in _reader(lines, delimiter) if not _is_blank(record))
    return records


def _guess_delimiter(lines: list[str]) -> str:
    agreements = {mark: _agreement(lines, mark) for mark in DELIMITERS}
    best = max(agreements, key=agreements.__getitem__)
    return best if any(agreements[best]) else ","


def _agreement(lines: list[str], delimiter: str) -> tuple[int, int]:
    """How many records have as many fields as the first, and how many agree at all."""
    lengths = [len(record) for record in _records(lines, delimiter)]
    several = Counter(length for length in lengths if length > 1)
    return several[lengths[0]] if lengths else 0, max(several.values(), default=0)


def _refuse_prose(records: list[list[str]]) -> None:
    lengths = {len(record) for record in records}
    words = [len(cell.split()) for record in records for cell in record if cell]
    is_table = len(records) > 1 and len(lengths) == 1 and lengths != {1}
    if words and not is_table and sum(words) >= PROSE_WORDS * len(words):
        raise TableError(
            "This reads as running text, not as a table: its lines do not split into columns. "
            "Choose a file with a header and one row for each sample."
        )


def _survey(data: bytes, delimiter: str) -> tuple[list[str], IntArray]:
    """The first record, and the row of the file that each record stands in."""
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n")
    first: list[str] = []
    file_rows = array("q")
    row = 0
    try:
        for row, record in enumerate(_reader(lines, delimiter), start=1):
            if len(record) != len(first) or not record:
                if _is_blank(record):
                    continue
                _refuse_ragged(record, first, row)
                first = record
            file_rows.append(row)
    except csv.Error:
        raise TableError(
            f"{_place(row + 1).capitalize()} cannot be split into cells: its quotation marks do "
            "not pair up. Write a quotation mark inside a cell twice and drop the file again."
        ) from None
    _refuse_columns(len(first), delimiter)
    return first, np.array(file_rows, dtype=np.int64)


def _place(row: int) -> str:
    return f"row {grouped(row)} (the first line is row 1)"


def _refuse_ragged(record: list[str], first: list[str], row: int) -> None:
    if first:
        raise TableError(
            f"{_place(row).capitalize()} has {counted(len(record), 'field')} where the header has "
            f"{grouped(len(first))}. Give every row as many fields as the header, with quotation "
            "marks around a cell that contains the delimiter, and drop the file again."
        )


def _refuse_columns(n_columns: int, delimiter: str) -> None:
    if n_columns == 0:
        raise TableError(EMPTY)
    if n_columns == 1:
        raise TableError(
            f"Only one column was found (delimiter {DELIMITERS[delimiter]}). Separate columns "
            "with commas, semicolons, tabs or bars, and drop the file again."
        )
    _refuse_more(n_columns, MAX_COLUMNS, "columns")


def _refuse_more(n: int, limit: int, noun: str) -> None:
    if n > limit:
        raise TableError(
            f"The file has {grouped(n)} {noun} and at most {grouped(limit)} can be read. "
            f"Leave some {noun} out and drop the file again."
        )


def _guess_form(first: list[str], rest: list[list[str]], delimiter: str) -> _Form:
    decimal = "." if delimiter == "," else _guess_decimal(rest or [first])
    return _Form(delimiter, decimal, _is_header(first, rest, decimal))


def _guess_decimal(records: list[list[str]]) -> str:
    marks = Counter(
        mark
        for cell in chain.from_iterable(records)
        for mark, number in NUMBERS.items()
        if mark in cell and number.fullmatch(cell.strip())
    )
    return "," if marks[","] > marks["."] else "."


def _is_header(first: list[str], rest: list[list[str]], decimal: str) -> bool:
    """Whether the first record is one of names, not of numbers and labels seen again below."""
    texts = [j for j, cell in enumerate(first) if not NUMBERS[decimal].fullmatch(cell.strip())]
    if len(texts) == len(first):
        return True
    return any(all(record[j] != first[j] for record in rest) for j in texts)


def _column_names(first: list[str], form: _Form) -> tuple[list[str], list[str]]:
    """The columns' unique names, and what had to be invented."""
    numbered = [f"column {number}" for number in range(1, len(first) + 1)]
    if not form.has_header:
        return numbered, [f'There is no header: columns are named "column 1" to "{numbered[-1]}".']
    given = [cell.strip() or number for cell, number in zip(first, numbered, strict=True)]
    names = unique_names(given)
    unnamed = [name for cell, name in zip(first, names, strict=True) if not cell.strip()]
    repeated = [name for old, name in zip(given, names, strict=True) if old != name]
    steps = []
    if unnamed:
        steps.append(f"Columns without a name are named by their place: {listed(unnamed)}.")
    if repeated:
        steps.append(f"Columns that repeat a name are numbered: {listed(repeated)}.")
    return names, steps


def _parse(data: bytes, form: _Form, names: list[str], n_rows: int) -> pd.DataFrame:
    """Columns as pandas infers them: numbers where every cell is one, else text."""
    with contextlib.suppress(ValueError):
        cells = pd.read_csv(
            io.BytesIO(data),
            sep=form.delimiter,
            decimal=form.decimal,
            header=0 if form.has_header else None,
            names=names,
            index_col=False,
            na_values=[marker for marker in MISSING if marker != "-"],  # "-" may be a class
            keep_default_na=False,
            skipinitialspace=True,
            low_memory=False,
        )
        if len(cells) == n_rows:
            return cells
    raise TableError("The file cannot be read reliably. Save it as CSV (UTF-8) and drop it again.")


def _settle(
    cells: pd.DataFrame, decimal: str, file_rows: IntArray
) -> tuple[pd.DataFrame, list[str]]:
    """Every column as float64 or text, and which cells became missing on the way."""
    columns: dict[str, pd.Series] = {}
    steps: list[str] = []
    for name, column in cells.items():
        columns[str(name)], stray = _settle_column(column, decimal)
        if len(stray):
            steps.append(_stray_step(column, stray, file_rows))
    if unnamed := len(steps[NAMES_SHOWN:]):
        steps[NAMES_SHOWN:] = [f"The same in {counted(unnamed, 'further column')}."]
    frame = pd.DataFrame(columns)
    infinite = np.isinf(frame.select_dtypes(np.float64)).sum()
    if n_infinite := int(infinite.sum()):
        names = listed(list(infinite.index[infinite > 0]))
        steps.append(f"Counted as missing: {counted(n_infinite, 'infinite value')} ({names}).")
        frame = frame.replace([np.inf, -np.inf], np.nan)
    return frame, steps


def _stray_step(column: pd.Series, stray: IntArray, file_rows: IntArray) -> str:
    value, row = column.iloc[stray[0]], int(file_rows[stray[0]])
    return (
        f"Counted as missing: {counted(len(stray), 'cell')} of {shortened(str(column.name))} with "
        f'text among numbers, first "{shortened(str(value))}" in {_place(row)}.'
    )


def _settle_column(column: pd.Series, decimal: str) -> tuple[pd.Series, IntArray]:
    """Numbers, or text; and the positions of text cells that numbers outweigh."""
    if column.dtype.kind in "iuf":
        return column.astype(np.float64), np.empty(0, np.int64)
    codes, distinct = pd.factorize(column.astype("str"))
    levels = [level.strip() for level in distinct]
    markers = set(MISSING) - ({"-"} if "+" in levels else set())
    missing = np.array([level in markers for level in levels] + [True])  # code -1 is missing
    numbers = np.array([_number(level, decimal) for level in levels] + [math.nan])
    stray = np.flatnonzero((np.isnan(numbers) & ~missing)[codes])
    if len(stray) == 0 or len(stray) < STRAY_SHARE * np.count_nonzero(~missing[codes]):
        return pd.Series(numbers[codes], column.index), stray
    texts = np.array([*levels, ""], dtype=object)
    texts[missing] = np.nan
    return pd.Series(texts[codes], column.index, dtype="str"), np.empty(0, np.int64)


def _number(cell: str, decimal: str) -> float:
    if NUMBERS[decimal].fullmatch(cell):
        return float(cell.replace(decimal, "."))
    return float(cell) if INFINITY.fullmatch(cell) else math.nan

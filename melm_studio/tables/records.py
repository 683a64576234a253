"""Splitting text into records: the delimiter, the header, and the file row of each record."""

from __future__ import annotations

import contextlib
import csv
import io
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from melm_core.base import NUMBERS, IntArray, decimal_mark
from melm_studio.tables.formatting import count, number, place
from melm_studio.tables.text import DELIMITERS, EMPTY, TableError

SAMPLE_BYTES = 1_000_000  # guesses use the first lines only
SAMPLE_CELLS = 200_000
ROWS_COMPARED = 1_000
LEAST_RECURRING = 2  # cells below words of the first record that are these, for it to be data
GAPS = {"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?", "-"}  # missing cells
NEARLY_ALL = 0.95  # of records of equal length, for some to be cut off in a table
PROSE_WORDS = 3  # cells with this many words on average are sentences
MAX_RECORD = 16_000_000  # characters; cells need many times the memory of their text
MAX_NAME = 1_000
MAX_CELLS = 50_000_000  # of a table, and of one when it is prepared: 0.4 GB of numbers
# Of a file in which equal cells take next to no room: so many for each byte, or of any file.
MAX_CELLS_OF_BYTE = 16
MAX_CELLS_OF_SMALL = 8_000_000
MAX_TEXT_BYTES = 128 * 2**20  # of all cells, where the file itself has less

# The reader's own limit applies to a cell; `_Bounded` limits a record.
csv.field_size_limit(MAX_RECORD)


@dataclass(frozen=True)
class Limits:
    """The largest table that may be read from a file.

    Attributes
    ----------
    n_rows, n_columns : float
    n_cells : int, default=50_000_000
        See `max_cells`.
    """

    n_rows: float
    n_columns: float
    n_cells: int = MAX_CELLS

    def reject(self, n_rows: int, n_columns: int) -> None:
        """Refuse a table with more rows, columns or cells than there may be.

        Raises
        ------
        TableError
        """
        reject_rows(n_rows, self)
        reject_columns(n_columns, self)
        self.reject_cells(n_rows, n_columns)

    def reject_cells(self, n_rows: int, n_columns: int) -> None:
        """Refuse a table with more cells than there may be.

        Raises
        ------
        TableError
        """
        if n_rows * n_columns > MAX_CELLS:
            raise TableError(
                f"The file has more than {number(MAX_CELLS)} cells, the most that can be read. "
                "Remove rows or columns and drop the file again."
            )
        if n_rows * n_columns > self.n_cells:
            raise TableError(
                f"The file has {number(int(n_rows * n_columns))} cells, more than "
                f"{number(self.n_cells)}, the most of so small a file: nearly all are equal. "
                "Remove columns of one value and drop the file again."
            )


def max_cells(n_bytes: int) -> int:
    """Return how many cells a file of so many bytes may have.

    Formats that compress could otherwise fill any memory with equal cells.

    Examples
    --------
    >>> max_cells(225_000), max_cells(1_000_000), max_cells(100_000_000)
    (8000000, 16000000, 50000000)
    """
    return min(MAX_CELLS, max(MAX_CELLS_OF_SMALL, MAX_CELLS_OF_BYTE * n_bytes))


def max_text_bytes(n_bytes: int) -> int:
    """Return how much text the cells of a file of so many bytes may hold.

    Formats that write equal cells once could otherwise hold any amount of it.
    """
    return max(MAX_TEXT_BYTES, n_bytes)


@dataclass(frozen=True)
class Form:
    """Form in which text is split into cells."""

    delimiter: str
    decimal: str
    has_header: bool

    @property
    def steps(self) -> tuple[str, ...]:
        """Guesses, a sentence each."""
        if self.delimiter == "," and self.decimal == ".":
            return ()
        decimal = " with decimal comma" if self.decimal == "," else ""
        return (f"Read as {DELIMITERS[self.delimiter]}-separated{decimal}.",)


COMMA_SEPARATED = Form(",", ".", has_header=True)


@dataclass(frozen=True, eq=False)
class Records:
    """Description of the records before they are parsed.

    Attributes
    ----------
    form : Form
    first : list of str
        The header, or the first row if there is none.
    file_rows : ndarray of int64, (n_rows,)
        The row of the file that each row of the table is; the first line of the file is row 1.
    is_doubtful : bool
        Whether the first record may be a header, or may be none, whatever was chosen.
    """

    form: Form
    first: list[str]
    file_rows: IntArray
    is_doubtful: bool = False


def find_records(data: bytes, limits: Limits, *, has_header: bool | None = None) -> Records:
    """Guess how the text is split, and verify that all rows have equally many cells.

    Parameters
    ----------
    data : bytes
    limits : Limits
    has_header : bool, optional
        Whether the first record has the names of the columns; guessed by default.

    Raises
    ------
    UnevenError
        If a row does not split into as many cells as the first.
    TableError
        If this is not a table of at least one row and two columns within the limits.
    """
    lines = [line.decode() for line in io.BytesIO(data).readlines(SAMPLE_BYTES)]
    delimiter, sample = guess_delimiter(lines)
    _reject_prose(sample)
    first, file_rows = _survey(data, delimiter, limits)
    form, is_doubtful = _guess_form(first, sample[1:], delimiter, has_header)
    file_rows = file_rows[form.has_header :]
    if len(file_rows) == 0:
        raise TableError("The file has a header but no rows. Add rows and drop it again.")
    reject_rows(len(file_rows), limits)
    return Records(form, first, file_rows, is_doubtful)


class UnevenError(TableError):
    """A record that does not split into as many cells as the first."""


class _RecordTooLongError(csv.Error):
    """A record of more than `MAX_RECORD` characters."""


class _Bounded:
    """Lines that must complete a record within `MAX_RECORD` characters."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.n_characters = 0

    def __iter__(self) -> _Bounded:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.n_characters += len(line)
        if self.n_characters > MAX_RECORD:
            raise _RecordTooLongError
        return line


def split(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Split lines into records.

    Raises
    ------
    csv.Error
        At a record whose quotation marks do not part cells, or one of too many characters.
    """
    bounded = _Bounded(lines)
    for record in csv.reader(bounded, delimiter=delimiter, skipinitialspace=True, strict=True):
        bounded.n_characters = 0
        yield record


def is_blank(record: list[str]) -> bool:
    """Return whether a record is an empty line."""
    return len(record) < 2 and not "".join(record).strip(" \t")


def _sampled_records(lines: list[str], delimiter: str) -> list[list[str]]:
    """The records up to the first one that cannot be split."""
    records: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # extend keeps the records before the error
        records.extend(record for record in split(lines, delimiter) if not is_blank(record))
    return records


def guess_delimiter(lines: list[str]) -> tuple[str, list[list[str]]]:
    """Return the delimiter by which most records agree, and these; a comma where there is none."""
    text = "".join(lines)
    sampled = {mark: _sampled_records(lines, mark) for mark in DELIMITERS if mark in text}
    agreements = {mark: _agreement(records) for mark, records in sampled.items()}
    best = max(agreements, key=agreements.__getitem__, default="")
    if best and any(agreements[best]):
        return best, sampled[best]
    return ",", sampled.get(",") or _sampled_records(lines, ",")


def _agreement(records: list[list[str]]) -> tuple[int, int]:
    """The number of records with as many fields as the first, and of the most frequent length."""
    lengths = [len(record) for record in records]
    counts = Counter(length for length in lengths if length > 1)
    return counts[lengths[0]] if lengths else 0, max(counts.values(), default=0)


def _reject_prose(records: list[list[str]]) -> None:
    lengths = Counter(len(record) for record in records)
    length, n_alike = lengths.most_common(1)[0] if lengths else (0, 0)
    if len(records) > 1 and length > 1 and n_alike >= NEARLY_ALL * len(records):
        return
    words = [len(cell.split()) for record in records for cell in record if cell]
    if words and sum(words) >= PROSE_WORDS * len(words):
        raise TableError(
            "This is running text, not a table: its lines do not split into columns. "
            "Choose a file with a header and one row for each sample."
        )


def _survey(data: bytes, delimiter: str, limits: Limits) -> tuple[list[str], IntArray]:
    """Return the first record, and the row of the file that each record is in."""
    if (surveyed := _plain_survey(data, delimiter, limits)) is not None:
        return surveyed
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n")
    first: list[str] = []
    file_rows = array("q")
    most_rows = limits.n_rows
    row = 0
    try:
        for row, record in enumerate(split(lines, delimiter), start=1):
            if len(record) != len(first) or not record:
                if is_blank(record):
                    continue
                _reject_ragged(record, first, row)
                reject_columns(len(record), limits)
                first = record
                most_rows = min(limits.n_rows, limits.n_cells // len(first))
            file_rows.append(row)
            if len(file_rows) > most_rows:
                n_rows = len(file_rows) - 1  # the first may be the header
                reject_rows(n_rows, limits)
                limits.reject_cells(n_rows, len(first))
    except csv.Error as error:
        raise UnevenError(_unsplittable(row + 1, error)) from None
    if len(first) < 2:
        raise TableError(_too_few_columns(len(first), delimiter))
    return first, np.array(file_rows, dtype=np.int64)


def _plain_survey(data: bytes, delimiter: str, limits: Limits) -> tuple[list[str], IntArray] | None:
    """As `_survey`, without looking at each cell; None where quotes or errors need that."""
    if any(mark in data for mark in (b'"', b"\r", b"\0")):
        return None
    lines, mark = data.split(b"\n"), delimiter.encode()
    n_marks = np.array([line.count(mark) for line in lines])
    is_blank = n_marks == 0
    is_blank[is_blank] = [not lines[row].strip(b" \t") for row in np.flatnonzero(is_blank)]
    rows = np.flatnonzero(~is_blank)
    n_columns = int(n_marks.max()) + 1
    if n_columns < 2 or (n_marks[rows] + 1 != n_columns).any() or n_columns > limits.n_columns:
        return None
    if len(rows) > min(limits.n_rows, limits.n_cells // n_columns):
        return None
    if max(map(len, lines)) > MAX_RECORD:
        return None
    first = lines[rows[0]].decode().split(delimiter)
    return [cell.lstrip(" ") for cell in first], rows + 1


def _unsplittable(row: int, error: csv.Error) -> str:
    if isinstance(error, _RecordTooLongError):
        return (
            f"{place(row).capitalize()} is longer than {number(MAX_RECORD)} characters. Close a "
            "quotation mark that is open in it, or put every row on its own line, and drop the "
            "file again."
        )
    is_closed = "expected after" in str(error)  # as csv says of text behind the mark
    why = "text stands behind a quotation mark that ends one"
    return (
        f"{place(row).capitalize()} cannot be split into cells: "
        f"{why if is_closed else 'its quotation marks do not pair up'}. Write a quotation mark "
        "inside a cell twice, remove what is no row of the table, and drop the file again."
    )


def _reject_ragged(record: list[str], first: list[str], row: int) -> None:
    if first:
        raise UnevenError(
            f"{place(row).capitalize()} has {count(len(record), 'field')} where the header has "
            f"{number(len(first))}. Give every row as many fields as the header, with quotation "
            "marks around a cell that contains the delimiter, and drop the file again."
        )


def reject_columns(n_columns: int, limits: Limits) -> None:
    """Refuse a table with more columns than there may be."""
    if n_columns > limits.n_columns:
        raise TableError(
            f"The file has {number(n_columns)} columns but at most "
            f"{number(int(limits.n_columns))} can be read. Remove some columns and drop the "
            "file again."
        )


def reject_rows(n_rows: int, limits: Limits) -> None:
    """Refuse a table with more rows than there may be."""
    if n_rows > limits.n_rows:
        raise TableError(
            f"The file has more than {number(int(limits.n_rows))} rows, the most that can "
            "be read. Remove some rows and drop the file again."
        )


def _too_few_columns(n_columns: int, delimiter: str) -> str:
    if n_columns == 0:
        return EMPTY
    return (
        f"Only one column was found (delimiter {DELIMITERS[delimiter]}). Separate columns "
        "with commas, semicolons, tabs or bars, and drop the file again."
    )


def _guess_form(
    first: list[str], rest: list[list[str]], delimiter: str, has_header: bool | None
) -> tuple[Form, bool]:
    decimal = guess_decimal(rest or [first], delimiter)
    guess, is_doubtful = _is_header(first, rest, decimal)
    if has_header is None:
        has_header = guess
    return Form(delimiter, decimal, has_header), is_doubtful


def guess_decimal(records: list[list[str]], delimiter: str) -> str:
    """The decimal mark of most numbers, a point or a comma."""
    # Each once, of which tables of counts have few.
    return decimal_mark(Counter(islice(chain.from_iterable(records), SAMPLE_CELLS)), delimiter)


def _is_header(first: list[str], rest: list[list[str]], decimal: str) -> tuple[bool, bool]:
    """Return whether the first record names the columns, and whether that is in doubt.

    It has if words stand above numbers. Words that recur below them are data; so are numbers above
    numbers beside a word such as those below it, unless they ascend or descend as wavelengths do.
    """
    cells = [cell.strip() for cell in first]
    is_text = [not NUMBERS[decimal].fullmatch(cell) for cell in cells]
    if not any(is_text):
        return False, False
    rows = [record for record in rest[:ROWS_COMPARED] if len(record) == len(cells)]
    # Column by column: of most tables the first ones tell.
    if _has_corner(cells, rows) or any(
        text
        and cell
        and cell not in GAPS
        and _are_numbers([row[j].strip() for row in rows], decimal)
        for j, (text, cell) in enumerate(zip(is_text, cells, strict=True))
    ):
        return True, False
    columns = [[row[j].strip() for row in rows] for j in range(len(cells))]
    texts = [j for j, text in enumerate(is_text) if text and cells[j]]
    n_recurring = [sum(record[j].strip() == cells[j] for record in rest) for j in texts]
    recurring = sum(map(bool, n_recurring))
    if len(texts) == len(cells):
        are_data = 2 * recurring >= len(cells) and sum(n_recurring) >= LEAST_RECURRING
        return not are_data, are_data
    if recurring:
        return False, False
    numbers = [float(cells[j].replace(decimal, ".")) for j, text in enumerate(is_text) if not text]
    ascends = len(numbers) > 1 and numbers in (sorted(set(numbers)), sorted(set(numbers))[::-1])
    are_alike = any(_shape(cells[j]) in {_shape(cell) for cell in columns[j]} for j in texts)
    if ascends or not texts:
        return True, False
    return not are_alike, True


def _has_corner(first: list[str], rows: list[list[str]]) -> bool:
    """Return whether only what names the rows has no name itself, as R and pandas write these."""
    names = [row[0].strip() for row in rows]
    are_names = bool(names) and all(names) and len({*names}) == len(names)
    return not first[0] and all(first[1:]) and are_names


def _are_numbers(cells: list[str], decimal: str) -> bool:
    present = [cell for cell in cells if cell not in GAPS]
    return bool(present) and all(map(NUMBERS[decimal].fullmatch, present))


def _shape(cell: str) -> str:
    """A text with every digit and every letter alike: PR00_X is aa00_a."""
    return "".join(
        "0" if character.isdigit() else "a" if character.isalpha() else character
        for character in cell
    )

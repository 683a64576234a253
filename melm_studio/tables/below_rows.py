"""What stands below the rows of a table or beside it: footnotes, sources, another table."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from melm_studio.tables.above_rows import MAX_TITLES
from melm_studio.tables.formatting import count, listed, shortened
from melm_studio.tables.grammars.layout import is_number
from melm_studio.tables.text import DELIMITERS, cells_of

SAMPLE_LINES, SAMPLE_BYTES = 200, 400_000
LAST_BYTES = 20_000
MAX_NOTES = 200
# Rows without numbers of which at most half of the cells are filled, and those above that are not.
LEAST_ASIDE, FEW_ABOVE = 3, 8
SHORT = 4  # a line below an empty row has at most a fourth of the cells of a row
LEAST_BESIDE, MOST_BESIDE = 4, 2_000  # columns of two tables and between these
FEW_SHORTER = 0.1  # of the rows of one table, where cells at the end are missing
LEAST_COLUMNS = 3  # a note is a single cell: of two columns, it could be a row
NOTE = re.compile(
    r'"?\s*(?:[*†‡§]|(?:notes?|source|sources|remarks?|footnotes?|quelle|anmerkung|hinweis|legend)'
    r"\b[\w /]*[:.])",
    re.IGNORECASE,
)


def without_notes(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Leave out the notes at the end: lines of one cell of text below the rows, or far too short.

    A line is a note if it begins as one ("* measured twice", "Source: ...") or an empty row parts
    it from the table, as below events the settings of a cytometer. So are several lines of words in
    half of the cells or fewer, below rows that have more.

    Returns
    -------
    data : bytes
    steps : tuple of str
        How many lines were left out.
    """
    mark, n_cells = _form(data)
    if n_cells < LEAST_COLUMNS:
        return data, ()
    start = max(0, len(data) - LAST_BYTES)
    lines = data[start:].split(b"\n")[start > 0 :]
    if sum(line.count(b'"') for line in lines) % 2:
        return data, ()
    n_lines_kept, n_notes, n_kept = len(lines), 0, len(lines)
    n_aside, is_parted = 0, False
    while n_lines_kept > 1 and n_notes <= MAX_NOTES:
        text = lines[n_lines_kept - 1].decode("utf-8", "replace")
        is_empty = not text.strip(f" {mark}")
        is_short = SHORT * (text.count(mark) + 1) <= n_cells
        is_aside = not (is_empty or is_short or _is_one_text(text, mark))
        if is_aside and not _is_aside(text, mark):
            break
        n_aside += is_aside
        n_lines_kept -= 1
        n_notes += not is_empty
        is_parted = is_empty and n_notes > 0
        if not n_aside and (is_parted or NOTE.match(text)):
            n_kept, n_found = n_lines_kept, n_notes
    above = [line.decode("utf-8", "replace") for line in lines[:n_lines_kept][-FEW_ABOVE:]]
    is_below = len(above) == FEW_ABOVE and not any(_is_aside(text, mark) for text in above)
    if n_aside and n_notes >= LEAST_ASIDE and is_below:
        n_kept, n_found = n_lines_kept, n_notes
    if n_kept == len(lines) or not n_found or n_notes > MAX_NOTES:
        return data, ()
    n_bytes = sum(len(line) + 1 for line in lines[n_kept:])
    step = f"Left out: {count(n_found, 'line')} of notes below the rows."
    return data[: len(data) - n_bytes + 1], (step,)


def without_tables_beside(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Keep the largest of the tables that stand side by side on a sheet, parted by empty columns.

    Empty columns alone part groups of the columns of one table: of tables of their own, names
    recur, or the rows begin or end elsewhere.

    Returns
    -------
    data : bytes
    steps : tuple of str
        Which columns are not read.
    """
    first = next(filter(bytes.strip, io.BytesIO(data)), b"")
    if not any(2 * mark.encode() in first for mark in DELIMITERS):  # as of most tables
        return data, ()
    mark, n_cells = _form(data)
    if not LEAST_BESIDE <= n_cells <= MOST_BESIDE:
        return data, ()
    lines = [line.decode("utf-8", "replace") for line in _first_lines(data) if line.strip()]
    is_parted = all(2 * mark in line for line in lines)
    if not is_parted or len(_blocks([cells_of(line, mark) for line in lines])) < 2:
        return data, ()
    try:
        rows = [*csv.reader(io.StringIO(data.decode()), delimiter=mark)]
    except csv.Error:
        return data, ()
    tables = [_Beside(rows, columns) for columns in _blocks(rows)]
    largest = max(tables, key=lambda table: table.n_cells, default=None)
    others = [table for table in tables if largest and table.is_apart(largest)]
    if not others:
        return data, ()
    places = [index for table in tables if table not in others for index in table.columns]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, lineterminator="\n")
    writer.writerows([row[index] for index in places if index < len(row)] for row in rows)
    names = listed([shortened(name) for table in others for name in table.names])
    return text.getvalue().encode(), (f"Another table stands beside it, and is not read: {names}.",)


def _blocks(rows: Sequence[Sequence[str]]) -> list[range]:
    """The runs of columns with anything in them, between columns without."""
    width = max(map(len, rows), default=0)
    filled = {index for row in rows for index, cell in enumerate(row) if cell.strip()}
    runs = (list(run) for is_filled, run in groupby(range(width), filled.__contains__) if is_filled)
    return [range(run[0], run[-1] + 1) for run in runs]


class _Beside:
    """One of several blocks of columns: its rows from the first with names to the last."""

    def __init__(self, rows: Sequence[Sequence[str]], columns: range) -> None:
        cells = [[row[at].strip() if at < len(row) else "" for at in columns] for row in rows]
        self.columns = columns
        filled = [index for index, row in enumerate(cells) if any(row)]
        self.first, self.last = filled[0], filled[-1]
        self.is_whole = len(filled) == self.last - self.first + 1
        first = cells[self.first : self.first + MAX_TITLES]
        words = (row for row in first if not any(map(is_number, row)))
        names = next((row for row in words if 2 * sum(map(bool, row)) >= len(row)), first[0])
        self.names = [name for name in names if name]
        self.has_numbers = any(is_number(cell) for row in cells for cell in row)
        self.n_cells = sum(map(bool, (cell for row in cells for cell in row)))

    def is_apart(self, other: _Beside) -> bool:
        """Return whether this is a table of its own beside a larger one.

        Words before numbers name their rows.
        """
        n_shorter = abs(self.last - other.last)
        are_others = self.first != other.first or n_shorter > FEW_SHORTER * other.last
        recur = {*self.names} <= {*other.names} or self.names[0] == other.names[0]
        is_before = self.columns.stop <= other.columns.start and self.last >= other.last
        names_rows = is_before and other.has_numbers and not self.has_numbers
        return self is not other and (recur or (self.is_whole and are_others and not names_rows))


def _first_lines(data: bytes) -> list[bytes]:
    return io.BytesIO(data).readlines(SAMPLE_BYTES)[:SAMPLE_LINES]


def _form(data: bytes) -> tuple[str, int]:
    """The delimiter of most lines, and into how many cells it splits them."""
    lines = _first_lines(data)
    best = "", 0, 0
    for mark in DELIMITERS:
        counts = Counter(line.count(mark.encode()) for line in lines)
        counts.pop(0, None)
        n_marks, n_lines = max(counts.items(), key=lambda item: item[1], default=(0, 0))
        best = max(best, (mark, n_marks + 1, n_lines), key=lambda line: line[2])
    return best[:2]


def _is_aside(text: str, mark: str) -> bool:
    """Return whether a row has words alone, in half of its cells or fewer."""
    cells = cells_of(text, mark)
    n_filled = sum(map(bool, cells))
    return 0 < 2 * n_filled <= len(cells) and not any(map(is_number, cells))


def _is_one_text(text: str, mark: str) -> bool:
    """Return whether a line is one cell of text, with nothing or empty cells behind it."""
    cell = text.rstrip(f" {mark}")
    is_cell = mark not in cell or (cell.startswith('"') and cell.find('"', 1) == len(cell) - 1)
    return is_cell and any(map(str.isalpha, cell)) and not text.startswith(mark)

"""Layout of a file: which lines are names, which columns are samples."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from melm_core.base import NUMBERS
from melm_studio.tables.text import DELIMITERS

MOST_LINES = 2_000
MOST_BYTES = 4_000_000
MOST_OF_LAST = 10_000  # bytes of a last line that are looked at
ROWS_COMPARED = 50
_FIRST_OF_NUMBER = "+-.,0123456789"
_ANY_NUMBER = re.compile("|".join(number.pattern for number in NUMBERS.values()))
CELLS_COMPARED, LEAST_COMPARED = 20_000, 10  # of wide tables, so many rows


class FirstLines:
    """The first lines of a file, as text and as cells.

    Attributes
    ----------
    texts : list of str
        The lines, without line feeds.
    last : str
        The last line of the file.
    """

    def __init__(self, data: bytes) -> None:
        head = data[:MOST_BYTES]
        lines = head.split(b"\n", MOST_LINES)
        if len(head) < len(data) or len(lines) > MOST_LINES:
            lines.pop()  # perhaps not whole
        self.texts = [line.decode("utf-8", "replace") for line in lines]
        self.last = data[-MOST_OF_LAST:].rstrip().rpartition(b"\n")[2].decode("utf-8", "replace")
        self._cells: dict[tuple[int, str], list[str]] = {}
        while self.texts and not self.texts[-1].strip():
            self.texts.pop()

    def cells(self, line: int, delimiter: str = "\t") -> list[str]:
        """The cells of a line; none beyond the last."""
        if line >= len(self.texts):
            return []
        if (line, delimiter) not in self._cells:
            lines = csv.reader([self.texts[line]], delimiter=delimiter)
            try:
                fields = [cell.strip() for cell in next(lines)]
            except (csv.Error, StopIteration):
                fields = []
            self._cells[line, delimiter] = fields
        return [*self._cells[line, delimiter]]

    def records(self, delimiter: str, start: int = 0) -> Iterator[tuple[list[str], int]]:
        """The cells of each record, of which one may take several lines, and the line behind it."""
        lines = (f"{text}\n" for text in self.texts[start:])
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        try:
            for record in reader:
                yield [cell.strip() for cell in record], start + reader.line_num
        except csv.Error:
            return

    def starting(self, *starts: str) -> int:
        """The first line that begins so; -1 if none does."""
        return next((line for line, text in enumerate(self.texts) if text.startswith(starts)), -1)

    @cached_property
    def delimiter(self) -> str:
        """The one that splits the first line with anything into most cells."""
        line = next((line for line, text in enumerate(self.texts) if text.strip()), 0)
        first = self.texts[line] if self.texts else ""
        n_cells = {mark: len(self.cells(line, mark)) for mark in DELIMITERS if mark in first}
        return max(n_cells, key=n_cells.__getitem__, default=",")

    @cached_property
    def numbered_rows(self) -> list[tuple[list[str], int]]:
        """The first records, split by `delimiter`, and the line behind each."""
        rows: list[tuple[list[str], int]] = []
        for cells, line in self.records(self.delimiter):
            rows.append((cells, line))
            is_enough = len(rows) * len(cells) >= CELLS_COMPARED and len(rows) >= LEAST_COMPARED
            if is_enough or len(rows) == ROWS_COMPARED:
                break
        return rows

    @cached_property
    def rows(self) -> list[list[str]]:
        """The first records, split by `delimiter`."""
        return [cells for cells, _ in self.numbered_rows]


@dataclass(frozen=True, eq=False)
class Turned:
    """Samples that are columns.

    Attributes
    ----------
    at : tuple of int
        The columns.
    names : tuple of str
        Of the samples.
    features : tuple of int
        The columns that name the features: the first that is not empty does.
    marks : mapping of str to sequence of str
        What else is known of the samples, a text of each by the name of what it is.
    left_out : mapping of int to tuple of str
        Rows whose cell in a column is one of these texts are left out.
    """

    at: tuple[int, ...]
    names: tuple[str, ...]
    features: tuple[int, ...] = (0,)
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    left_out: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Long:
    """A row for each feature of each sample.

    Attributes
    ----------
    sample : tuple of int
        The columns that name these together; empty where each feature has them in the same order.
    feature : tuple of int
        Those that name the features together.
    value : int or None
        That of what was measured; None where rows say of which samples a feature is.
    marks : tuple of int
        The columns of what else is known of the samples.
    left_out : mapping of int to tuple of str
        Rows whose cell in a column is one of these texts are left out.
    is_summed : bool
        Whether several numbers of one feature of one sample are parts of it, else its mean is read.
    """

    sample: tuple[int, ...]
    feature: tuple[int, ...]
    value: int | None
    marks: tuple[int, ...] = ()
    left_out: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    is_summed: bool = False


@dataclass(frozen=True, eq=False)
class Layout:
    """Layout of a file that a grammar knows.

    Attributes
    ----------
    step : str
        What was recognized, a sentence.
    names : tuple of str
        Of the columns of the file.
    n_above : int
        The number of lines above the first row, those of names included.
    delimiter : str
    answers : mapping of str to str
        What the file says of its columns: answers by the ids of questions, "label" and "use:NAME".
    descriptions : mapping of str to str
        What columns are, in words, by their names.
    embedded : tuple of str
        The columns that a survey recorded beside its answers.
    asked : mapping of str to str
        What is asked beside the table, as in `Table`: "samples" or "header", where it could be read
        otherwise.
    turned : Turned or Long, optional
    until : tuple of str
        What begins the line that ends the table, if there is one.
    is_filled : bool
        Whether rows may lack their last cells, which are missing then.
    level : str
        Which of several tables below each other is read, that the first cells of rows name, unless
        another is asked for; empty if there is one table.
    refusal : str
        Why a file is refused unless it is turned into rows of several samples; empty if it is not.
    """

    step: str
    names: tuple[str, ...]
    n_above: int
    delimiter: str = "\t"
    answers: Mapping[str, str] = field(default_factory=dict)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    embedded: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    turned: Turned | Long | None = None
    until: tuple[str, ...] = ()
    is_filled: bool = False
    level: str = ""
    refusal: str = ""


Grammar: TypeAlias = Callable[[FirstLines], Layout | None]


def is_number(cell: str) -> bool:
    """Return whether a cell is a plain number."""
    # Digits alone are, which is quickly seen of the many cells of counts.
    if cell.isascii() and cell.isdigit():
        return True
    # Nor is a name one, which its first character tells.
    is_begun = cell[:1] in _FIRST_OF_NUMBER and cell != ""
    return is_begun and _ANY_NUMBER.fullmatch(cell) is not None


def header_line(names: Sequence[str], delimiter: str) -> bytes:
    """A line of names, quoted where needed."""
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(names)
    return line.getvalue().encode()

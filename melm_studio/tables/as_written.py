"""Cells that mean what they say rather than what they are read as.

NA as a word, 007 as a code, "2" in quotes beside numbers without, as R writes a factor, and a name
that is written once for a block of rows, as merged cells of spreadsheets are saved.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_studio.tables.formatting import count, listed, words_of
from melm_studio.tables.frames import number_columns
from melm_studio.tables.records import Records
from melm_studio.tables.subjects_in_names import SUBJECT_WORDS

MISSING_WORDS = ("NA", "N/A", "n/a", "NaN", "nan", "NULL", "null")
BYTES_AT_ONCE = 2**20
MOST_CLASSES = 50  # of a column in which such a word may be one
LEAST_WORDS = 2  # rows
MOST_QUOTED = 12  # different ones, in quotes: more are measured, as grades of pupils
MOST_COLUMNS = 20  # that are looked at
MOST_LINES = 200  # with a leading zero, which say where codes are
MOST_CODES = 200  # different ones
ROWS_PROBED = 100  # for fractions, beside which no number is a code
KEY = ": "  # behind what a cell says the value of
_KEY_NAME = re.compile(r"[\w ./()-]+")
_NUMBERED = re.compile(r"\d\)?$")
LEAST_DIGITS = 3  # of codes that are all of one length
LEAST_MERGED = 10  # rows of a table in which a name may be written once for a block
LEAST_EMPTY, MOST_EMPTY = 0.3, 0.98  # share of their cells
_NAMED = SUBJECT_WORDS | {"id", "plant", "plot", "sample", "site", "specimen"}


@dataclass(frozen=True, eq=False)
class Written:
    """The cells of a table, some columns as they are written.

    Attributes
    ----------
    cells : DataFrame
    texts : frozenset of str
        The columns that are text whatever their cells look like.
    words : dict of str to str
        The columns of text in which a word for what is missing may be a class, and how often.
    """

    cells: pd.DataFrame
    texts: frozenset[str] = frozenset()
    words: dict[str, str] = field(default_factory=dict)


def as_written(
    data: bytes,
    records: Records,
    cells: pd.DataFrame,
    kept_words: Sequence[str],
) -> Written:
    """Take words for what is missing, codes with leading zeros and in quotes, as they are written.

    Parameters
    ----------
    data : bytes
    records : Records
    cells : DataFrame
        As pandas inferred them.
    kept_words : sequence of str
        The columns in which such words are words.
    """
    columns = _Columns(data, records, cells)
    words = columns.with_missing_words()
    texts_kept = {name: texts for name, (texts, _) in words.items() if name in kept_words}
    codes = {**columns.with_leading_zeros(), **columns.in_quotes()}
    replaced = {**texts_kept, **codes}
    return Written(
        cells.assign(**replaced) if replaced else cells,
        frozenset(replaced),
        {name: said for name, (_, said) in words.items()},
    )


def without_keys(cells: pd.DataFrame, without: Collection[str] = ()) -> pd.DataFrame:
    """The cells, of which columns such as "age: 61" are named so, without some columns.

    In a single row that may as well be a word with a colon, as below a name that is no number of
    several alike: ch1, ch2.
    """
    if len(cells) < LEAST_WORDS:
        return cells
    keys: dict[str, str] = {}
    behind: dict[str, npt.NDArray[np.object_]] = {}
    for name, kind in zip(map(str, cells), cells.dtypes, strict=True):
        if kind.kind in "biufc" or name in without or KEY not in str(cells[name].iloc[0]):
            continue
        if not (_NUMBERED.search(name) or f"{name} (2)" in cells):
            continue
        codes, levels = pd.factorize(cells[name])
        key, bare = without_key([str(level) for level in levels])
        if key and key not in {*cells, *keys.values()}:
            keys[name] = key
            behind[name] = np.array([*(text or None for text in bare), None], dtype=object)[codes]
    return cells.assign(**behind).rename(columns=keys) if keys else cells


def without_key(texts: Sequence[str]) -> tuple[str, list[str]]:
    """Split what stands before the colon of all texts from what stands behind it in each.

    Examples
    --------
    >>> without_key(["age: 61", "age: 48"]), without_key(["at: 9", "on: 9"])
    (('age', ['61', '48']), ('', ['at: 9', 'on: 9']))
    """
    keys = {text.partition(KEY)[0] for text in texts if text}
    is_key = len(keys) == 1 and all(KEY in text for text in texts if text)
    is_key = is_key and all(map(names_value, keys))
    return (keys.pop(), [text.partition(KEY)[2] for text in texts]) if is_key else ("", [*texts])


def names_value(key: str) -> bool:
    """Return whether what stands before a colon may say what stands behind it."""
    return _KEY_NAME.fullmatch(key) is not None and any(map(str.isalpha, key))


def written_once(frame: pd.DataFrame) -> list[str]:
    """The columns whose cells are filled in the first row of each block of rows.

    The first cell is filled, and what is filled are words or whole numbers. In blocks of one length
    none follows itself. In those of other lengths, of which most have several rows, none recurs,
    and they are words in the first columns, or the column is named as subjects and samples are:
    labels of some of the rows recur, and of ids of some rows many stand right below another.

    Examples
    --------
    >>> mice = ["a", None, None, None, "b", None, None, "c", None, None]
    >>> written_once(pd.DataFrame({"mouse": mice, "weight": range(10)}))
    ['mouse']
    """
    if len(frame) < LEAST_MERGED:
        return []
    names: list[str] = []
    for place, name in enumerate(frame.columns[:MOST_COLUMNS]):
        cells = frame[name]
        filled = np.flatnonzero(cells.notna())
        is_empty = 1.0 - len(filled) / len(frame)
        if not LEAST_EMPTY <= is_empty <= MOST_EMPTY or len(filled) < 2 or filled[0] > 0:
            continue
        values = cells.iloc[filled]
        is_number = cells.dtype.kind == "f"
        if (values == values.shift()).any() or (is_number and (values % 1 != 0).any()):
            continue
        lengths = np.diff(filled, append=len(frame))
        is_first = not is_number and place == len(names)
        is_said = is_first or not _NAMED.isdisjoint(words_of(str(name)))
        are_blocks = np.median(lengths) > 1
        if (lengths == lengths[0]).all() or (is_said and are_blocks and values.is_unique):
            names.append(str(name))
    return names


def rows_of_subjects(frame: pd.DataFrame) -> tuple[list[str], npt.NDArray[np.bool_]]:
    """The columns that the first row of each block fills alone, and which rows are such.

    A database of a study writes what is said of a subject into a row of its own, above those of
    its visits, which have all that is measured. Blocks are those of the first column.

    Examples
    --------
    >>> said, measured = ["f"] + [None] * 3 + ["m"] + [None] * 5, [None, 1, 2, 3] + [None] + [1] * 5
    >>> table = pd.DataFrame({"id": [1] * 4 + [2] * 6, "sex": said, "hb": measured})
    >>> names, are_first = rows_of_subjects(table)
    >>> names, are_first.nonzero()[0].tolist()
    (['sex'], [0, 4])
    """
    ids = frame.iloc[:, 0]
    are_first = (ids != ids.shift()).to_numpy()
    n_blocks = int(are_first.sum())
    none = [], np.zeros(len(frame), dtype=np.bool_)
    is_short = len(frame) < LEAST_MERGED or 2 * n_blocks > len(frame)
    if is_short or n_blocks < 2 or ids.isna().any() or not ids[are_first].is_unique:
        return none
    is_filled = frame.notna().to_numpy()[:, 1:]
    n_first, n_others = is_filled[are_first].sum(axis=0), is_filled[~are_first].sum(axis=0)
    is_said = (n_others == 0) & (2 * n_first >= n_blocks)
    is_measured = (n_first == 0) & (2 * n_others >= len(frame) - n_blocks)
    is_number = number_columns(frame)[1:]
    is_throughout = is_number & (n_first > 0) & (n_others > 0)
    if not (is_said.any() and is_measured.any()) or is_throughout.any():
        return none
    return [str(name) for name in frame.columns[1:][is_said]], are_first


class _Columns:
    """The columns of one table, read again as text where that may matter."""

    def __init__(self, data: bytes, records: Records, cells: pd.DataFrame) -> None:
        self._data = data
        self._records = records
        self._cells = cells
        self._mark = re.escape(records.form.delimiter.encode())

    def with_missing_words(self) -> dict[str, tuple[pd.Series, str]]:
        """The texts of columns in which words for what is missing recur, and which these are."""
        names = [
            str(name)
            for name, kind in zip(self._cells.columns.tolist(), self._cells.dtypes, strict=True)
            if kind.kind not in "iufb" and self._cells[name].isna().any()
        ]
        few = [name for name in names if 0 < self._cells[name].nunique() <= MOST_CLASSES]
        words = b"|".join(word.encode() for word in MISSING_WORDS)
        pattern = rb'(?:^|\n|%b)[ "]*(?:%b)[ "]*(?:%b|\r?\n|$)' % (self._mark, words, self._mark)
        if not few or not re.search(pattern, self._data):
            return {}
        by_column = {}
        for name, texts in self._read(few[:MOST_COLUMNS]).items():
            counts = Counter(text for text in texts if text in MISSING_WORDS)
            said = [f"{word} ({count(n, 'row')})" for word, n in counts.items()]
            if max(counts.values(), default=0) >= LEAST_WORDS:
                by_column[name] = (texts, listed(said))
        return by_column

    def with_leading_zeros(self) -> dict[str, pd.Series]:
        """The texts of columns of codes such as 01067, which are no numbers."""
        index = {place for line in self._lines_with_zeros() for place in _places_of_zeros(line)}
        if not index:  # as of most tables, which are spared the rest
            return {}
        names = [str(self._cells.columns[place]) for place in sorted(index & self._whole_numbers())]
        read = self._read(names[:MOST_COLUMNS])
        return {name: texts for name, texts in read.items() if _are_codes(texts)}

    def in_quotes(self) -> dict[str, pd.Series]:
        """The texts of columns whose whole numbers recur, in quotes, where other numbers have none.

        A program that puts texts in quotes alone has them as texts.
        """
        head = self._data[:BYTES_AT_ONCE].split(b"\n", ROWS_PROBED)[1:ROWS_PROBED]
        if not re.search(rb'"[0-9]+"', b"\n".join(head)):
            return {}
        delimiter, n_columns = self._records.form.delimiter.encode(), self._cells.shape[1]
        rows = [line.rstrip(b"\r").split(delimiter) for line in head]
        columns = [*zip(*(row for row in rows if len(row) == n_columns), strict=True)]
        if not any(all(map(_PLAIN_NUMBER.fullmatch, column)) for column in columns):
            return {}
        quoted = {
            place
            for place, column in enumerate(columns)
            if all(map(_QUOTED_CODE.fullmatch, column))
        }
        names = [str(self._cells.columns[place]) for place in quoted & self._whole_numbers()]
        recurring = [
            name
            for name in names
            if self._cells[name].nunique() <= min(MOST_QUOTED, len(self._cells) / LEAST_WORDS)
        ]
        return self._read(recurring[:MOST_COLUMNS])

    def _whole_numbers(self) -> set[int]:
        """The places of columns that begin with whole numbers: no others are codes."""
        kinds = [kind.kind for kind in self._cells.dtypes]
        places = np.flatnonzero(np.isin(kinds, [*"iuf"]))
        first = self._cells.iloc[:ROWS_PROBED, places].to_numpy(np.float64)
        is_whole = (np.isnan(first) | (first == np.floor(first))).all(axis=0)
        return set(places[is_whole].tolist())

    def _lines_with_zeros(self) -> list[list[str]]:
        mark = self._mark
        pattern = rb'(?:^|\n|%b)[ "]*0[0-9]+[ "]*(?=%b|\n|$)' % (mark, mark)
        lines: list[list[str]] = []
        if not _may_have_leading_zeros(self._data):
            return lines
        for match in islice(re.finditer(pattern, self._data), MOST_LINES):
            start = self._data.rfind(b"\n", 0, match.end() - 1) + 1
            end = self._data.find(b"\n", match.end())
            line = self._data[start : end if end >= 0 else None].decode("utf-8", "replace")
            lines += csv.reader([line], delimiter=self._records.form.delimiter)
        return lines

    def _read(self, names: Sequence[str]) -> dict[str, pd.Series]:
        if not names:
            return {}
        form = self._records.form
        read = pd.read_csv(
            io.BytesIO(self._data),
            sep=form.delimiter,
            header=0 if form.has_header else None,
            names=[str(name) for name in self._cells.columns],
            usecols=list(names),
            index_col=False,
            dtype=str,
            na_values=[""],
            keep_default_na=False,
            skipinitialspace=True,
        )
        stripped = read.apply(lambda texts: texts.str.strip())
        return {name: stripped[name].set_axis(self._cells.index) for name in names}


def _may_have_leading_zeros(data: bytes) -> bool:
    """Return whether a zero is between no part of a number and a digit, which is sooner seen."""
    is_digit = np.zeros(256, dtype=np.bool_)
    is_digit[[*b"0123456789.eE+-"]] = True
    for start in range(0, len(data), BYTES_AT_ONCE):
        above = data[start - 1 : start] or b"\n"
        part = np.frombuffer(above + data[start : start + BYTES_AT_ONCE + 1], np.uint8)
        before, zero, behind = part[:-2], part[1:-1], part[2:]
        is_code = (zero == ord("0")) & (behind >= ord("0")) & (behind <= ord("9"))
        if bool((is_code & ~is_digit[before]).any()):
            return True
    return False


def _places_of_zeros(cells: Sequence[str]) -> list[int]:
    return [index for index, cell in enumerate(cells) if _LEADING_ZERO.fullmatch(cell.strip())]


_PLAIN_NUMBER = re.compile(rb"[-+0-9.eE]+")
_QUOTED_CODE = re.compile(rb'"[0-9]+"|NA|')
_LEADING_ZERO = re.compile("0[0-9]+")


def _are_codes(texts: pd.Series) -> bool:
    """Return whether all are digits of one length, or two that differ in zeros are one number."""
    values = [str(text) for text in texts.dropna().unique()]
    if not all(map(str.isdigit, values)):
        return False
    if len({int(text) for text in values}) < len(values):
        return True
    lengths = {*map(len, values)}
    are_few = len(values) <= MOST_CODES or len(values) == len(texts)
    return are_few and len(lengths) == 1 and lengths.pop() >= LEAST_DIGITS

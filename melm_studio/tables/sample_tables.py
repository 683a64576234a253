"""An archive of a few tables: numbers and a row for each of their samples, or more such rows."""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Collection, Iterable, Sequence
from itertools import permutations
from pathlib import PurePosixPath

from melm_studio.tables.aligned import as_tabs
from melm_studio.tables.formatting import count, listed, shortened
from melm_studio.tables.grammars.features_in_rows import says_features
from melm_studio.tables.grammars.layout import is_number
from melm_studio.tables.readers import MAX_UNPACKED, archived_files
from melm_studio.tables.records import Limits, find_records
from melm_studio.tables.text import DELIMITERS, ZIP, TableError, as_utf8, without_comments

_SUFFIXES = (".csv", ".tsv", ".txt", ".tab", ".data", ".labels")
_LEAST_SHARED = 0.5  # of the samples of the numbers, which the other table must name
_MOST_FILES = 8
_MOST_TARGETS = 3  # columns that rows without a label lack
_LEAST_COLUMNS = 3  # of tables whose rows are put together
# A row below the names of QIIME 2, which may be shorter.
_TYPES = re.compile(rb'^[ "]*#q2:types[^\n]*\n', re.MULTILINE)
_FILE = "file"  # the column of what the rows of each file are
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)

_Records = list[list[str]]


def joined_samples(raw: bytes, limits: Limits) -> tuple[bytes, str, str] | None:
    """Join a table of numbers with one of samples, which an archive holds beside it.

    The samples are the rows of the numbers, or their columns, which are turned. Tables of the same
    columns are put below each other, also where one lacks the label.

    Parameters
    ----------
    raw : bytes
    limits : Limits

    Returns
    -------
    data : bytes
        The joined table, a row for each sample, with the columns of the samples last.
    file : str
        The name of the file of numbers.
    step : str
        What was joined, a sentence.
    None if this is no such archive.

    Raises
    ------
    TableError
        If one of two tables is none, or they hold too many cells.
    """
    files = _texts(raw)
    if files is None:
        return None
    try:
        tables = {name: _records(data, name, limits) for name, data in files.items()}
    except TableError:
        if len(files) == 2:
            raise
        return None
    if (stacked := _stacked(tables, limits)) is not None:
        return stacked
    pairs = [
        (shared, numbers, samples)
        for numbers, samples in permutations(tables, 2)
        for shared in [_shared(tables[numbers], tables[samples])]
        if shared is not None
    ]
    if not pairs:
        return _row_by_row(tables, limits) if len(tables) == 2 else None
    # Samples in rows are found both ways around: the wider table has the numbers.
    shared, numbers, samples = max(
        pairs,
        key=lambda pair: (
            not says_features(tables[pair[2]][0][pair[0][1]]),
            pair[0][0],
            len(tables[pair[1]][0]),
        ),
    )
    _, index, is_turned = shared
    names = {row[index] for row in tables[samples]}
    rows = _turned(tables[numbers], names) if is_turned else tables[numbers]
    limits.reject_cells(len(rows), len(rows[0]) + len(tables[samples][0]))
    by = tables[samples][0][index] or "the names of the samples"
    step = (
        f"Joined by {shortened(by)}: "
        f"{count(len(rows) - 1, 'column' if is_turned else 'row')} of {shortened(numbers)} with "
        f"{count(len(tables[samples]) - 1, 'row')} of {shortened(samples)}."
        f"{_left_out({*tables} - {numbers, samples})}"
    )
    return _joined(rows, tables[samples], index), numbers, step


def _turned(records: _Records, samples: Collection[str]) -> _Records:
    """A row for each column, below the names of the features: the first that all differ.

    What else stands before the samples says what the features are, as the places of spots do.
    """
    columns = [[*column] for column in zip(*records, strict=True)]
    n_beside = next(place for place, column in enumerate(columns) if place and column[0] in samples)
    beside = columns[:n_beside]
    names = next((column for column in beside if len({*column}) == len(column)), beside[0])
    return [names, *columns[n_beside:]]


def _left_out(files: Iterable[str]) -> str:
    names = sorted(files)
    return f" Left out: {listed(names)}." if names else ""


def _stacked(tables: dict[str, _Records], limits: Limits) -> tuple[bytes, str, str] | None:
    """The rows of tables of the same columns, with a column of what those of each file are.

    Of two of which one lacks up to three columns, the rows of that one have no label.
    """
    first, header = max(
        ((name, records[0]) for name, records in tables.items()), key=lambda pair: len(pair[1])
    )
    columns = {*header}
    if len(header) < _LEAST_COLUMNS or len(columns) < len(header):
        return None
    lacking = {name: len(columns.difference(records[0])) for name, records in tables.items()}
    are_within = all({*records[0]} <= columns for records in tables.values())
    n_lacking = min((lacking[name] for name in tables if name != first), default=0)
    if not are_within or n_lacking > min(_MOST_TARGETS, len(header) / 2 - 1):
        return None
    files = [name for name in tables if name == first or lacking[name] == n_lacking]
    n_rows = sum(len(tables[name]) - 1 for name in files)
    limits.reject_cells(n_rows, len(header) + 1)
    words = [] if n_lacking else _different(files)
    rows = [
        [*(named.get(name, "") for name in header), *words[place : place + 1]]
        for place, file in enumerate(files)
        for row in tables[file][1:]
        for named in [dict(zip(tables[file][0], row, strict=False))]
    ]
    step = f"Put together: the rows of {listed(files)}.{_left_out({*tables} - {*files})}"
    name = _FILE if _FILE not in columns else f"{_FILE} of the row"
    return _written([[*header, *([name] if words else [])], *rows]), first, step


def _different(files: Sequence[str]) -> list[str]:
    """The words of names that differ, or the names where numbers do.

    Examples
    --------
    >>> _different(["winequality-red.csv", "winequality-white.csv"])
    ['red', 'white']
    >>> _different(["week1.csv", "week2.csv"])
    ['week1', 'week2']
    """
    stems = [PurePosixPath(file).stem for file in files]
    words = [stem.replace("-", "_").split("_") for stem in stems]
    shared = set(words[0]).intersection(*words)
    different = [" ".join(word for word in of_file if word not in shared) for of_file in words]
    return stems if any(not name or is_number(name) for name in different) else different


def _row_by_row(tables: dict[str, _Records], limits: Limits) -> tuple[bytes, str, str] | None:
    """Features and their labels, a column of as many rows; None if the tables are not so."""
    (first, second), names = tables.values(), tuple(tables)
    numbers, labels = (first, second) if len(first[0]) >= len(second[0]) else (second, first)
    file, other = names if numbers is first else names[::-1]
    n_more = len(numbers) - len(labels)
    if len(labels[0]) != 1 or len(numbers[0]) < 2 or n_more not in (-1, 0, 1):
        return None
    if n_more > 0:  # only the numbers have a header
        labels.insert(0, ["label"])
    elif n_more < 0:
        numbers.insert(0, _numbered(len(numbers[0])))
    elif _is_data(labels) and _is_data(numbers):
        labels.insert(0, ["label"])
        numbers.insert(0, _numbered(len(numbers[0])))
    limits.reject_cells(len(numbers), len(numbers[0]) + 1)
    rows = [[*row, *label] for row, label in zip(numbers, labels, strict=True)]
    step = (
        f"Joined row by row: {count(len(rows) - 1, 'row')} of {shortened(file)} with the column of "
        f"{shortened(other)}."
    )
    return _written(rows), file, step


def _numbered(n_columns: int) -> list[str]:
    return [f"column {index}" for index in range(1, n_columns + 1)]


def _is_data(records: _Records) -> bool:
    """Return whether the first record is a row: its last cell is a number, or comes again."""
    cell = records[0][-1]
    return is_number(cell) or any(row[-1] == cell for row in records[1:])


def _texts(raw: bytes) -> dict[str, bytes] | None:
    """The files of an archive that holds a few of text and nothing else."""
    if not raw.startswith(ZIP):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            files = archived_files(archive)
            names = [PurePosixPath(part.filename).name for part in files]
            are_texts = all(name.lower().endswith(_SUFFIXES) for name in names)
            is_few = 2 <= len(files) == len({*names}) <= _MOST_FILES
            if not (is_few and are_texts):
                return None
            most = MAX_UNPACKED // len(files)
            texts = []
            for part in files:
                with archive.open(part) as opened:
                    texts.append(opened.read(most + 1))
    except _DAMAGED:
        return None
    if any(len(text) > most for text in texts):
        return None
    return dict(zip(names, texts, strict=True))


def _records(data: bytes, name: str, limits: Limits) -> _Records:
    """The cells of a table, its header first."""
    text, _ = as_tabs(without_comments(_TYPES.sub(b"", as_utf8(data, name).data))[0])
    if not any(mark.encode() in text for mark in DELIMITERS):  # of one column
        return [[cell.strip('" ')] for cell in text.decode().split("\n") if cell.strip()]
    wide = Limits(max(limits.n_rows, limits.n_columns), max(limits.n_rows, limits.n_columns))
    form = find_records(text, wide).form
    lines = csv.reader(io.StringIO(text.decode()), delimiter=form.delimiter)
    rows = [[cell.strip() for cell in row] for row in lines if any(row)]
    rows[0][0] = rows[0][0].lstrip("#")
    return rows


def _shared(numbers: _Records, samples: _Records) -> tuple[int, int, bool] | None:
    """Count samples that two tables share, with the column that names them, and whether to turn."""
    below: Sequence[tuple[bool, list[str]]] = (
        (True, numbers[0][1:]),
        (False, [row[0] for row in numbers[1:]]),
    )
    best = None
    for is_turned, names in below:
        for index, column in enumerate(zip(*samples[1:], strict=True)):
            n_shared = len(set(column) & set(names))
            are_different = len(set(column)) == len(column) and len(set(names)) == len(names)
            enough = are_different and n_shared >= max(2, _LEAST_SHARED * len(names))
            if enough and (best is None or n_shared > best[0]):
                best = n_shared, index, is_turned
    return best


def _joined(rows: Sequence[Sequence[str]], samples: _Records, key: int) -> bytes:
    """The rows with the cells of their samples behind; empty ones where there are none."""
    named = {row[key]: [*row[:key], *row[key + 1 :]] for row in samples}
    header = named[samples[0][key]]
    blank = [""] * len(header)
    below = ([*row, *named.get(row[0], blank)] for row in rows[1:])
    return _written([[*rows[0], *header], *below])


def _written(rows: Iterable[Sequence[str]]) -> bytes:
    written = io.StringIO()
    csv.writer(written, delimiter="\t", lineterminator="\n").writerows(rows)
    return written.getvalue().encode()

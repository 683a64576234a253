"""Text to cells: by pandas, which is slow for each column, or many columns of numbers at once."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from melm_core.base import MISSING, FloatArray
from melm_studio.tables.cells import EXACT
from melm_studio.tables.frames import assembled
from melm_studio.tables.records import Records
from melm_studio.tables.text import TableError

LEAST_WIDE, MOST_LONG = 100, 500  # columns and rows of tables that are read at once
MOST_TEXTS = 50  # columns of others than numbers
_NO_MEMORY = "out of memory"  # in pandas' message
MISSING_MARKERS = [m for m in MISSING if m not in ("-", "--")]  # these may be classes


def parsed(data: bytes, records: Records, names: Sequence[str]) -> pd.DataFrame:
    """Columns as pandas infers them: numbers if every cell is one, else text.

    Raises
    ------
    TableError
        If pandas finds other rows than there are records.
    """
    is_wide = len(names) >= LEAST_WIDE and len(records.file_rows) <= MOST_LONG
    if is_wide and (wide := _wide(data, records, names)) is not None:
        return wide
    try:
        cells = _read(
            data, records, header=0 if records.form.has_header else None, names=list(names)
        )
        if len(cells) == len(records.file_rows):
            return cells
    except ValueError as error:
        if _NO_MEMORY in str(error):
            raise MemoryError from None
    raise TableError("The file cannot be read reliably. Save it as CSV (UTF-8) and drop it again.")


def _read(data: bytes, records: Records, **options: Any) -> pd.DataFrame:
    cells: pd.DataFrame = pd.read_csv(
        io.BytesIO(data),
        sep=records.form.delimiter,
        decimal=records.form.decimal,
        index_col=False,
        na_values=MISSING_MARKERS,
        keep_default_na=False,
        skipinitialspace=True,
        low_memory=False,
        **options,
        **EXACT,
    )
    return cells


def _wide(data: bytes, records: Records, names: Sequence[str]) -> pd.DataFrame | None:
    """The cells of many columns, nearly all of numbers; None where they are not.

    All numbers are read as one column, a few microseconds less for each of them.
    """
    mark = records.form.delimiter.encode()
    lines = [line for line in data.split(b"\n") if line.strip()][records.form.has_header :]
    if len(lines) != len(records.file_rows) or any(b'"' in line for line in lines):
        return None
    if {line.count(mark) + 1 for line in lines} != {len(names)}:
        return None
    ends = (lines[0].split(mark), lines[-1].split(mark))
    texts = sorted({index for cells in ends for index in _texts(cells, records)})
    if len(texts) > MOST_TEXTS:
        return None
    numbers, others = zip(*(_parted(line, mark, texts) for line in lines), strict=True)
    plain = _as_numbers(numbers, records)
    if plain is None or not texts:
        return None if plain is None else assembled(names, plain, {})
    named = [names[index] for index in texts]
    own = _lines(others, records, names=named)
    beside = {name: own[name] for name in named}
    return assembled(names, plain, beside) if len(own) == len(lines) else None


def _parted(line: bytes, mark: bytes, texts: Sequence[int]) -> tuple[bytes, bytes]:
    """The cells of a row, each on a line of its own but for texts, and these.

    Splitting a row at each of its thousands of cells takes longer than all the rest.
    """
    marks = np.flatnonzero(np.frombuffer(line, np.uint8) == ord(mark))
    bounds = np.concatenate([[-1], marks, [len(line)]])
    pieces, others, place = [], [], 0
    for start, stop in zip((bounds[texts] + 1).tolist(), bounds[1:][texts].tolist(), strict=True):
        pieces.append(line[place:start])
        others.append(line[start:stop])
        place = stop + 1
    numbers = b"".join([*pieces, line[place:]])
    if place > len(line):  # the mark before a text at the end
        numbers = numbers[: -len(mark)]
    return numbers.replace(mark, b"\n"), mark.join(others)


def _texts(cells: Sequence[bytes], records: Records) -> list[int]:
    """The places of the cells of a row that are no numbers."""
    decimal, indices = records.form.decimal.encode(), []
    for index, cell in enumerate(cells):
        try:
            float(cell if decimal == b"." else cell.replace(decimal, b"."))
        except ValueError:
            if cell.strip().decode("utf-8", "replace") not in MISSING_MARKERS:
                indices.append(index)
    return indices


def _as_numbers(rows: Sequence[bytes], records: Records) -> FloatArray | None:
    """Rows with a line for each of their cells as numbers; None if a cell is text."""
    try:
        read = _lines(rows, records)
    except (ValueError, OverflowError):
        return None
    if read.shape[1] != 1 or len(read) % len(rows) or read.dtypes.iloc[0].kind not in "iuf":
        return None
    return read.to_numpy(np.float64).reshape(len(rows), -1)


def _lines(lines: Sequence[bytes], records: Records, **options: Any) -> pd.DataFrame:
    data = b"\n".join([*lines, b""])
    return _read(data, records, header=None, skip_blank_lines=False, **options)

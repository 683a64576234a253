"""Reading a table from the bytes of a delimited text file."""

from __future__ import annotations

import contextlib
import io
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PureWindowsPath

import numpy as np
import pandas as pd

from melm_core.base import IntArray
from melm_studio.tables.cells import MISSING, infer_columns
from melm_studio.tables.formatting import listed, number
from melm_studio.tables.records import (
    COMMA_SEPARATED,
    MAX_NAME,
    Form,
    Limits,
    Records,
    find_records,
)
from melm_studio.tables.text import TableError, as_utf8

__all__ = ["Table", "TableError", "read_table", "unique_names"]


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
    """

    name: str
    frame: pd.DataFrame
    steps: tuple[str, ...]
    form: Form = COMMA_SEPARATED

    @property
    def row_numbers(self) -> IntArray:
        """The rows of the file, counted from 1 without the header; some may have been left out."""
        rows: IntArray = self.frame.index.to_numpy(np.int64) + 1
        return rows


def read_table(
    raw: bytes, name: str, *, max_rows: float = math.inf, max_columns: float = math.inf
) -> Table:
    """Read delimited text of any encoding, delimiter and decimal mark.

    Parameters
    ----------
    raw : bytes
        The file's content.
    name : str
        The file's name; a folder before it is ignored.
    max_rows, max_columns : int, optional
        The largest table that is read; unlimited by default.

    Raises
    ------
    TableError
        If the content is not a table of at least one row and two columns within the limits.
    """
    file = PureWindowsPath(name)  # understands both kinds of slash
    data, text_steps = as_utf8(raw, file.name or "The file")
    records = find_records(data, Limits(max_rows, max_columns))
    names, name_steps = _column_names(records)
    cells = _parse(data, records, names)
    frame, cell_steps = infer_columns(cells, records.form.decimal, records.file_rows)
    steps = (*text_steps, *records.form.steps, *name_steps, *cell_steps)
    return Table(file.stem or "table", frame, steps, records.form)


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
    with contextlib.suppress(ValueError):
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
    raise TableError("The file cannot be read reliably. Save it as CSV (UTF-8) and drop it again.")

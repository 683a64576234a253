"""Tables as CSV that a spreadsheet opens without evaluating any cell."""

from __future__ import annotations

import io
import re

import pandas as pd

from melm_studio.abandonment import go_on

_ROWS_AT_ONCE = 50_000

# Spreadsheets evaluate a cell that begins with one of these, some also in their full-width forms.
# Another separator than ours, as of another country, makes cells begin within a text, even a quoted
# one: where it is not the first of its row, the quote is not the first of its cell.
_FORMULA = re.compile(
    r"\A(?=[\t\n])|(?:\A|(?<=[;,|\t\n]))(?=[^\S\t\n]*[=+\-@\uff1d\uff0b\uff0d\uff20])"
)


def safe_cell(text: str) -> str:
    """Return a text that a spreadsheet does not evaluate: an apostrophe precedes each formula.

    A carriage return becomes a line feed, which pandas quotes: unquoted, it would end the row.

    Examples
    --------
    >>> safe_cell("=1+1")
    "'=1+1"
    >>> safe_cell("x;=1+1")
    "x;'=1+1"
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _FORMULA.sub("'", text)


def csv_text(table: pd.DataFrame) -> str:
    """Return a table as CSV, with texts and column names that a spreadsheet does not evaluate."""
    safe = table.rename(columns=lambda name: safe_cell(str(name)))
    texts = [i for i, dtype in enumerate(safe.dtypes) if dtype.kind not in "biuf"]
    for i in texts:
        go_on()
        cells = [safe_cell(cell) if isinstance(cell, str) else cell for cell in safe.iloc[:, i]]
        safe.isetitem(i, cells)
    file = io.StringIO()
    for begin in range(0, max(len(safe), 1), _ROWS_AT_ONCE):
        go_on()
        safe.iloc[begin : begin + _ROWS_AT_ONCE].to_csv(file, index=False, header=begin == 0)
    return file.getvalue()

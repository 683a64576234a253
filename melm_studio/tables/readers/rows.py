"""Rows of cells as text that the reader of delimited text reads."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from melm_studio.tables.formatting import number
from melm_studio.tables.text import TableError

DELIMITER = "\t"  # the first choice of the reader wherever several would do


class TextWriter:
    """Collects rows as tab-separated text, at most a number of them, of bytes and of columns."""

    def __init__(self, max_rows: float, max_columns: float, max_bytes: int) -> None:
        self._file = io.StringIO(newline="")
        self._writer = csv.writer(self._file, delimiter=DELIMITER, lineterminator="\n")
        self._limits = (max_rows, max_columns, max_bytes)
        self._n_rows = 0

    def add(self, row: Sequence[str]) -> None:
        """Add a row.

        Raises
        ------
        TableError
            If the table is too large.
        """
        max_rows, max_columns, max_bytes = self._limits
        self._n_rows += any(row)
        if self._n_rows > max_rows + 1:  # the first may be the header
            raise TableError(
                f"The file has more than {number(int(max_rows))} rows, the most that can be read. "
                "Remove some rows and drop the file again."
            )
        if len(row) > max_columns:
            raise TableError(
                f"The file has {number(len(row))} columns but at most {number(int(max_columns))} "
                "can be read. Remove some columns and drop the file again."
            )
        self._writer.writerow([" ".join(cell.splitlines()) for cell in row])
        if self._file.tell() > max_bytes:
            raise TableError(
                f"The table has more than {number(max_bytes // 2**20)} MB of text. Remove rows or "
                "columns and drop the file again."
            )

    def add_all(self, rows: Iterable[Sequence[str]]) -> None:
        """Add rows."""
        for row in rows:
            self.add(row)

    @property
    def data(self) -> bytes:
        """The text in UTF-8."""
        return self._file.getvalue().encode()

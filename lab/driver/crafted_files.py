"""Files that are made to hurt whoever reads them, and the sentence that each gets instead."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import openpyxl
import pyarrow as pa
from pyarrow import feather, ipc, parquet

from melm_studio.tables import MAX_CELLS

_SPREADSHEET = "openxmlformats-officedocument.spreadsheetml"
_SHEET = "xl/worksheets/sheet1.xml"


@dataclass(frozen=True)
class CraftedFile:
    """A way to hurt.

    Attributes
    ----------
    make : callable
        Returns the bytes.
    sentence : str
        Part of the answer.
    """

    make: Callable[[], bytes]
    sentence: str


def pointing_outside(distance: int = 2**20) -> bytes:
    """Return a Feather file whose cells lie beyond what it has."""
    cells = [b"%04d" % i for i in range(300)]
    table, file = (
        pa.table({"x": np.arange(300.0), "c": pa.array(cells, pa.large_binary())}),
        _file(),
    )
    with ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    offsets = struct.pack("<301q", *range(0, 1_204, 4))
    outside = struct.pack("<301q", *(i * distance for i in range(301)))
    before, found, after = file.getvalue().partition(offsets)
    assert found
    return before + outside + after


def one_long_text(length: int = 100_000, n_rows: int = 16_384) -> bytes:
    """Return a Parquet file of a text that is in every row, written once."""
    cells = pa.DictionaryArray.from_arrays(np.zeros(n_rows, np.int32), ["x" * length])
    table, file = pa.table({"a": np.arange(float(n_rows)), "c": cells}), _file()
    parquet.write_table(table, file, compression="zstd", store_schema=False)
    return file.getvalue()


def many_constants(
    kind: str, n_cells: int = MAX_CELLS, n_columns: int = 50, constant: object = 0.0
) -> bytes:
    """Return a small Parquet or Feather file of more cells than there may be."""
    cells = pa.repeat(constant, n_cells // n_columns + 1)
    table, file = pa.table({f"x{i}": cells for i in range(n_columns)}), _file()
    if kind == "parquet":
        parquet.write_table(table, file, compression="zstd")
    else:
        feather.write_feather(table, file, compression="zstd")
    return file.getvalue()


def far_row() -> bytes:
    """Return a workbook with a row behind which nine billion others are missing."""
    parts = _workbook()
    parts[_SHEET] = parts[_SHEET].replace(b'r="2"', b'r="9000000000"')
    return _packed(parts)


def unnumbered_rows() -> bytes:
    """Return a workbook with three million empty rows, which are not numbered."""
    parts = _workbook()
    parts[_SHEET] = parts[_SHEET].replace(b"<sheetData>", b"<sheetData>" + b"<row/>" * 3_000_000)
    return _packed(parts)


def many_texts() -> bytes:
    """Return a workbook with a million and one texts that no cell has."""
    parts, types = _workbook(), "[Content_Types].xml"
    kind = f"application/vnd.{_SPREADSHEET}.sharedStrings+xml"
    override = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    if b"sharedStrings" not in parts[types]:
        parts[types] = parts[types].replace(b"</Types>", override.encode())
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    strings = f'<sst xmlns="{space}">{"<si/>" * 1_000_001}</sst>'
    return _packed(parts | {"xl/sharedStrings.xml": strings.encode()})


def far_column() -> bytes:
    """Return a workbook of which every row has a cell in a far column."""
    row = '<row r="{r}"><c r="ZZZ{r}"><v>1</v></c></row>'
    rows = "".join(row.format(r=number) for number in range(1, 5_000))
    parts = _workbook()
    head, _, rest = parts[_SHEET].partition(b"<sheetData>")
    tail = rest.partition(b"</sheetData>")[2]
    parts[_SHEET] = head + f"<sheetData>{rows}</sheetData>".encode() + tail
    return _packed(parts)


def open_tags() -> bytes:
    """Return a workbook of no cells, with 40,000 beginnings of one that do not end."""
    parts = _workbook()
    head, _, rest = parts[_SHEET].partition(b"<sheetData>")
    tail = rest.partition(b"</sheetData>")[2]
    comment = b"<!--" + b"<c " * 40_000 + b"-->"
    parts[_SHEET] = head + b"<sheetData>" + comment + b"</sheetData>" + tail
    return _packed(parts)


def _workbook() -> dict[str, bytes]:
    """The parts of a small workbook."""
    book, file = openpyxl.Workbook(), _file()
    for row in (["a", "b"], [1, 2]):
        book.worksheets[0].append(row)
    book.save(file)
    with zipfile.ZipFile(file) as parts:
        return {name: parts.read(name) for name in parts.namelist()}


def _packed(parts: dict[str, bytes]) -> bytes:
    file = _file()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for name, raw in parts.items():
            book.writestr(name, raw)
    return file.getvalue()


def _file() -> io.BytesIO:
    return io.BytesIO()


CRAFTED = {
    "feather that points outside": CraftedFile(
        pointing_outside, "is a Feather file that cannot be read"
    ),
    "feather that points far outside": CraftedFile(
        lambda: pointing_outside(2**40), "is a Feather file that cannot be read"
    ),
    "parquet of one long text": CraftedFile(one_long_text, "holds more than 512 MB"),
    "parquet of a shorter text": CraftedFile(
        lambda: one_long_text(20_000), "more than 128 MB of text"
    ),
    "workbook with a far row": CraftedFile(far_row, "cells beyond row 1,048,576"),
    "workbook with rows without numbers": CraftedFile(
        unnumbered_rows, "cells beyond row 1,048,576"
    ),
    "workbook with far columns": CraftedFile(far_column, "more than 50,000,000 cells"),
    "workbook with many texts": CraftedFile(many_texts, "more than 1,000,000 texts"),
    "workbook of tags without an end": CraftedFile(open_tags, "has no cells"),
}

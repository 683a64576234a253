"""Parquet and Feather files, by pyarrow, read in batches so that their size is known in time."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from melm_studio.extras import install_command
from melm_studio.tables.formatting import listed, number
from melm_studio.tables.readers.unpack import MAX_UNPACKED
from melm_studio.tables.text import TableError

PARQUET, FEATHER = b"PAR1", b"ARROW1"
ROWS_AT_ONCE = 16_384
_MISSING_PACKAGE = (
    "To read {kind} files, the studio needs pyarrow: {install}. Until then, save the table as CSV "
    "and drop that."
)


def is_arrow(raw: bytes) -> bool:
    """Whether these are the bytes of a Parquet or Feather file."""
    return raw.startswith((PARQUET, FEATHER))


def arrow_cells(
    raw: bytes,
    file: str,
    *,
    max_rows: float,
    max_columns: float,
    max_bytes: int = MAX_UNPACKED,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the columns of numbers and text.

    Returns
    -------
    cells : pandas.DataFrame
        Numbers as float64, everything else as text.
    steps : tuple of str
        Which columns were left out, a sentence each.

    Raises
    ------
    TableError
        If the file cannot be read or is too large.
    """
    kind = "Parquet" if raw.startswith(PARQUET) else "Feather"
    try:
        import pyarrow as pa  # noqa: PLC0415 (an extra)
    except ImportError:
        raise TableError(
            _MISSING_PACKAGE.format(kind=kind, install=install_command("parquet"))
        ) from None
    try:
        schema, batches = _opened(raw, kind)
        if len(schema) > max_columns:
            raise TableError(
                f"The file has {number(len(schema))} columns but at most "
                f"{number(int(max_columns))} can be read. Remove some and drop the file again."
            )
        kept = list(_bounded(batches, max_rows, max_bytes))
        table = pa.Table.from_batches(kept, schema)
        columns = {i: arrow_column(table.column(i)) for i in range(len(schema))}
    except TableError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TableError(
            f"{file} is a {kind} file that cannot be read ({type(error).__name__}). Save the table "
            "again, or as CSV."
        ) from None
    nested = [schema.names[i] for i, cells in columns.items() if cells is None]
    steps = (f"Left out: nested columns ({listed(nested)}).",) if nested else ()
    usable = {i: cells for i, cells in columns.items() if cells is not None}
    frame = pd.DataFrame(usable)
    frame.columns = pd.Index([schema.names[i] for i in usable], dtype=object)
    return frame, steps


def _opened(raw: bytes, kind: str) -> tuple[Any, Iterator[Any]]:
    """The schema, and batches of rows that are read one after another."""
    if kind == "Parquet":
        from pyarrow import parquet  # noqa: PLC0415

        opened = parquet.ParquetFile(io.BytesIO(raw))
        return opened.schema_arrow, opened.iter_batches(batch_size=ROWS_AT_ONCE, use_threads=False)
    from pyarrow import ipc  # noqa: PLC0415

    file = ipc.open_file(raw)
    return file.schema, (file.get_batch(i) for i in range(file.num_record_batches))


def _bounded(batches: Iterator[Any], max_rows: float, max_bytes: int) -> Iterator[Any]:
    n_rows = n_bytes = 0
    for batch in batches:
        n_rows += batch.num_rows
        n_bytes += batch.nbytes
        if n_rows > max_rows:
            raise TableError(
                f"The file has more than {number(int(max_rows))} rows, the most that can be read. "
                "Remove some rows and drop the file again."
            )
        if n_bytes > max_bytes:
            raise TableError(
                f"The file holds more than {number(max_bytes // 2**20)} MB. Remove rows or columns "
                "and drop it again."
            )
        yield batch


def arrow_column(column: Any) -> Any:
    """Return the cells of a pyarrow column as the studio reads them.

    Parameters
    ----------
    column : pyarrow.ChunkedArray

    Returns
    -------
    ndarray of float64, or Series of text, of shape (n_rows,), or None
        Numbers; everything else but a nested column, which is None.
    """
    from pyarrow import types  # noqa: PLC0415

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if types.is_nested(kind):
        return None
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        cells = column.to_pandas()
        return pd.to_numeric(cells.astype(object), errors="coerce").to_numpy(np.float64)
    texts = [None if cell is None else _text(cell) for cell in column.to_pylist()]
    return pd.Series(texts, dtype="str")


def _text(cell: Any) -> str:
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)

"""Parquet and Feather files, by pyarrow, read in batches so that their size is known in time.

Every batch is validated before anything looks at it: offsets in a file may point anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import FloatArray
from melm_studio.installation import install_command
from melm_studio.tables.formatting import listed, number
from melm_studio.tables.readers.pictures import picture_cells
from melm_studio.tables.readers.unpack import MAX_UNPACKED
from melm_studio.tables.readers.vectors import vector_columns, vector_step
from melm_studio.tables.records import Limits, reject_columns
from melm_studio.tables.text import TableError

PARQUET, FEATHER = b"PAR1", b"ARROW1"
ROWS_AT_ONCE = 16_384
_MISSING_PACKAGE = (
    "To read {kind} files, the studio needs pyarrow: {install}. Until then, save the table as CSV "
    "and drop that."
)


def is_arrow(raw: bytes) -> bool:
    """Return whether these are the bytes of a Parquet or Feather file."""
    return raw.startswith((PARQUET, FEATHER))


def arrow_cells(
    raw: bytes, file: str, limits: Limits, max_bytes: int = MAX_UNPACKED
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
        schema, batches = _opened(raw, kind, limits, max_bytes)
        read = list(_bounded(batches, len(schema), limits, max_bytes))
        table = pa.Table.from_batches(read, read[0].schema if read else schema)
        columns = {i: _cells(table.column(i)) for i in range(len(schema))}
        vectors = {
            i: vectors_of_column
            for i, cells in columns.items()
            if cells is None and (vectors_of_column := _vectors(table.column(i))) is not None
        }
    except (TableError, MemoryError):
        raise
    except (pa.ArrowException, OSError, ValueError):
        raise TableError(
            f"{file} is a {kind} file that cannot be read. Save the table again, or as CSV."
        ) from None
    nested = [schema.names[i] for i, cells in columns.items() if cells is None and i not in vectors]
    steps = [f"Left out: nested columns ({listed(nested)})."] if nested else []
    n_columns = len(columns) + sum(
        vectors_of_column.shape[1] for vectors_of_column in vectors.values()
    )
    limits.reject(table.num_rows, n_columns)
    frames = []
    for i, name in enumerate(schema.names):
        if i in vectors:
            steps.append(vector_step(name, vectors[i]))
            frames.append(vector_columns(name, vectors[i]))
        elif columns[i] is not None:
            frames.append(pd.DataFrame({0: columns[i]}).set_axis(pd.Index([name]), axis=1))
    frame = pd.concat(frames, axis=1) if frames else pd.DataFrame()
    return frame, tuple(steps)


def _cells(column: Any) -> pd.Series | None:
    """Numbers or text, or the pictures in a column of bytes or of bytes with a path; else None."""
    from pyarrow import types  # noqa: PLC0415 (an extra)

    content = column
    if types.is_struct(column.type) and column.type.get_field_index("bytes") >= 0:
        content = column.combine_chunks().field("bytes")
    kind = content.type.value_type if types.is_dictionary(content.type) else content.type
    is_bytes = types.is_binary(kind) or types.is_large_binary(kind)
    pictures = picture_cells(content.to_pylist()) if is_bytes else None
    return arrow_column(column) if pictures is None else pictures


def _vectors(column: Any) -> FloatArray | None:
    """The numbers in a column of lists that are all as long, such as embeddings."""
    from pyarrow import compute, types  # noqa: PLC0415 (an extra)

    kind = column.type
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        return None
    if not (types.is_floating(kind.value_type) or types.is_integer(kind.value_type)):
        return None
    lengths = compute.unique(compute.list_value_length(column).drop_null()).to_pylist()
    if len(lengths) != 1 or not lengths[0]:
        return None
    cells = np.full((len(column), lengths[0]), np.nan)
    given = column.drop_null()
    flat = compute.list_flatten(given).to_numpy().astype(np.float64)
    cells[column.is_valid().to_numpy()] = flat.reshape(len(given), -1)
    return cells


def _opened(raw: bytes, kind: str, limits: Limits, max_bytes: int) -> tuple[Any, Iterator[Any]]:
    """The schema, and batches of rows that are read one after another.

    What the file says of its size is believed where that is too much.
    """
    from pyarrow import BufferReader, ipc, parquet  # noqa: PLC0415 (an extra)

    if kind == "Feather":
        feather = ipc.open_file(raw, options=ipc.IpcReadOptions(use_threads=False))
        reject_columns(len(feather.schema), limits)
        return feather.schema, map(feather.get_batch, range(feather.num_record_batches))
    metadata = parquet.read_metadata(BufferReader(raw))
    schema = metadata.schema.to_arrow_schema()
    limits.reject(metadata.num_rows, len(schema))
    groups = range(metadata.num_row_groups)
    _reject_bytes(sum(metadata.row_group(i).total_byte_size for i in groups), max_bytes)
    # Equal texts are kept once, as the file has them: those of all rows may be any amount.
    texts = [field.name for field in schema if _is_text(field.type)]
    opened = parquet.ParquetFile(BufferReader(raw), read_dictionary=texts, pre_buffer=False)
    return schema, opened.iter_batches(batch_size=ROWS_AT_ONCE, use_threads=False)


def _is_text(kind: Any) -> bool:
    from pyarrow import types  # noqa: PLC0415

    return bool(
        types.is_string(kind)
        or types.is_binary(kind)
        or types.is_large_string(kind)
        or types.is_large_binary(kind)
    )


def _bounded(
    batches: Iterator[Any], n_columns: int, limits: Limits, max_bytes: int
) -> Iterator[Any]:
    n_rows = n_bytes = 0
    for batch in batches:
        n_rows += batch.num_rows
        limits.reject(n_rows, n_columns)
        batch.validate(full=True)
        n_bytes += sum(map(_n_bytes, batch.columns))
        _reject_bytes(n_bytes, max_bytes)
        yield batch


def _n_bytes(cells: Any) -> int:
    """The bytes of cells, where each has its own text."""
    from pyarrow import compute, types  # noqa: PLC0415

    if not (types.is_dictionary(cells.type) and _is_text(cells.type.value_type)):
        return int(cells.nbytes)
    lengths = compute.binary_length(cells.dictionary).take(cells.indices)
    return int(compute.sum(lengths).as_py() or 0)


def _reject_bytes(n_bytes: int, max_bytes: int) -> None:
    if n_bytes > max_bytes:
        raise TableError(
            f"The file holds more than {number(max_bytes // 2**20)} MB. Remove rows or columns "
            "and drop it again."
        )


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
    if types.is_dictionary(column.type):
        parts = [_dictionary_texts(chunk) for chunk in column.chunks]
        return pd.Series(np.concatenate([np.empty(0, dtype=object), *parts]), dtype="str")
    return pd.Series(_texts(column), dtype="str")


def _dictionary_texts(cells: Any) -> npt.NDArray[np.object_]:
    distinct = np.array([*_texts(cells.dictionary), None], dtype=object)
    texts: npt.NDArray[np.object_] = distinct[cells.indices.fill_null(-1).to_numpy()]
    return texts


def _texts(cells: Any) -> list[str | None]:
    return [None if cell is None else _text(cell) for cell in cells.to_pylist()]


def _text(cell: Any) -> str:
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)

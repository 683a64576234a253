"""The parts of a registered table, each of which fits into memory, and where Dask reads them."""

from __future__ import annotations

import io
from asyncio import CancelledError
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from melm_core.base import MISSING, UserError
from melm_studio.operator_tables.descriptions import FoundTable
from melm_studio.tables import (
    EXACT,
    Form,
    Table,
    TableError,
    arrow_column,
    listed,
    read_table,
)

PART_ROWS = 500_000
PART_CELLS = 20_000_000
PART_BYTES = 64 * 2**20  # of a CSV file
_HEAD_BYTES = 256 * 1024  # of a CSV file, from which its columns are inferred
_HEAD_ROWS = 5_000

_DAMAGED = (
    "{file} of the table {name} cannot be read ({reason}). Replace the file; the studio then reads "
    "the table again."
)
_LACKING = (
    "{file} of the table {name} lacks the columns {columns}, which its first file has. Give all "
    "files of a table the same columns."
)
_OTHER_HEADER = (
    "The first line of {file} of the table {name} differs from that of its first file. Give all "
    "files of a table the same columns, in the same order."
)
LOCAL_THREADS = 2
CONNECT_S = 10

_NO_CLUSTER = (
    "The Dask cluster at {address} does not answer. Ask the operator of this studio to start it, "
    "then run again."
)
_CLUSTER_LOST = (
    "The Dask cluster at {address} was lost, or its workers had too little memory. Run again; if "
    "that fails too, ask the operator of this studio."
)


@dataclass(frozen=True)
class Part:
    """Some rows of one file.

    Attributes
    ----------
    path : str
    begin, end : int
        Row groups of a Parquet file, bytes of a CSV file.
    """

    path: str
    begin: int
    end: int


@dataclass(frozen=True)
class PartReader:
    """Reads parts of a table; it is sent to other processes.

    Attributes
    ----------
    files : fsspec.AbstractFileSystem
    name : str
        Of the table, for messages.
    columns : tuple of str
        Of the table.
    form : Form or None
        How CSV files are split; None for Parquet files.
    header : bytes
        The first line of every CSV file.
    numeric : frozenset of str
        The columns of CSV files that are numbers; Parquet files say that themselves.
    """

    files: Any
    name: str
    columns: tuple[str, ...]
    form: Form | None = None
    header: bytes = b""
    numeric: frozenset[str] = frozenset()

    def read(self, part: Part, columns: Sequence[str]) -> pd.DataFrame:
        """Return columns of a part: float64 and text, as those of any other table.

        Raises
        ------
        UserError
            If the file is damaged or lacks columns.
        """
        try:
            frame = (
                self._parquet(part, columns) if self.form is None else self._csv(part, self.form)
            )
            return frame[list(columns)]
        except (OSError, ValueError, KeyError) as error:  # pyarrow raises these, too
            raise _damaged(part.path, self.name, error) from None

    def _parquet(self, part: Part, columns: Sequence[str]) -> pd.DataFrame:
        from pyarrow import parquet  # noqa: PLC0415 (an extra)

        with self.files.open(part.path) as raw:
            opened = parquet.ParquetFile(raw)
            lacking = [name for name in columns if name not in opened.schema_arrow.names]
            if lacking:
                file = PurePosixPath(part.path).name
                raise UserError(_LACKING.format(file=file, name=self.name, columns=listed(lacking)))
            groups = range(part.begin, part.end)
            table = opened.read_row_groups(groups, list(columns), use_threads=False)
        return pd.DataFrame({name: arrow_column(table.column(name)) for name in columns})

    def _csv(self, part: Part, form: Form) -> pd.DataFrame:
        read_block = import_module("fsspec.utils").read_block  # an extra
        with self.files.open(part.path, "rb") as raw:
            block = read_block(raw, part.begin, part.end - part.begin, b"\n")
        if not part.begin:
            header, _, block = block.partition(b"\n")
            if header.strip() != self.header:
                file = PurePosixPath(part.path).name
                raise UserError(_OTHER_HEADER.format(file=file, name=self.name))
        if not block:
            return pd.DataFrame({name: [] for name in self.columns}, dtype=np.float64)
        try:
            return self._parsed(block, form, self.numeric)
        except ValueError:  # a cell that is no number
            frame = self._parsed(block, form, frozenset())
            for name in self.numeric:
                frame[name] = pd.to_numeric(frame[name], errors="coerce").astype(np.float64)
            return frame

    def _parsed(self, block: bytes, form: Form, numeric: frozenset[str]) -> pd.DataFrame:
        parsed: pd.DataFrame = pd.read_csv(
            io.BytesIO(block),
            sep=form.delimiter,
            decimal=form.decimal,
            names=list(self.columns),
            index_col=False,
            dtype={name: np.float64 if name in numeric else "str" for name in self.columns},
            na_values=[marker for marker in MISSING if marker != "-"],
            keep_default_na=False,
            skipinitialspace=True,
            **EXACT,
        )
        return parsed


@dataclass(frozen=True)
class OpenedTable:
    """A registered table, opened but not read.

    Attributes
    ----------
    source : FoundTable
    reader : PartReader
    parts : tuple of Part
        All rows, in order.
    head : Table
        The first rows.
    """

    source: FoundTable
    reader: PartReader
    parts: tuple[Part, ...]
    head: Table


def opened_table(files: Any, source: FoundTable) -> OpenedTable:
    """Open a table: read its columns, its first rows, and where its parts begin.

    Parameters
    ----------
    files : fsspec.AbstractFileSystem
    source : FoundTable

    Raises
    ------
    UserError
        If a file is damaged, or the table has no rows or less than two columns.
    """
    return _opened_parquet(files, source) if source.is_parquet else _opened_csv(files, source)


def _opened_parquet(files: Any, source: FoundTable) -> OpenedTable:
    from pyarrow import parquet  # noqa: PLC0415 (an extra)

    parts: list[Part] = []
    for file in source.files:
        try:
            with files.open(file.path) as raw:
                parts += _row_groups(file.path, parquet.ParquetFile(raw).metadata)
        except (OSError, ValueError) as error:
            raise _damaged(file.path, source.name, error) from None
    path = source.files[0].path
    try:
        with files.open(path) as raw:
            batches = parquet.ParquetFile(raw).iter_batches(batch_size=_HEAD_ROWS)
            buffer = io.BytesIO()
            first = next(batches, None)
            if first is None or not parts:
                raise ValueError("it has no rows")
            with parquet.ParquetWriter(buffer, first.schema) as writer:
                writer.write_batch(first)
        head = read_table(buffer.getvalue(), f"{source.name}.parquet")
    except (OSError, ValueError) as error:
        raise _damaged(path, source.name, error) from None
    # Nested columns are left out, and names are made unique, which those of files are already.
    names = tuple(name for name in first.schema.names if name in head.frame.columns)
    return OpenedTable(source, PartReader(files, source.name, names), tuple(parts), head)


def _row_groups(path: str, metadata: Any) -> Iterator[Part]:
    """Yield parts: several small row groups, or one large group, which is not split."""
    most = max(1, min(PART_ROWS, PART_CELLS // max(metadata.num_columns, 1)))
    begin = n_rows = 0
    for group in range(metadata.num_row_groups):
        n_group = metadata.row_group(group).num_rows
        if n_rows and n_rows + n_group > most:
            yield Part(path, begin, group)
            begin, n_rows = group, 0
        n_rows += n_group
    if n_rows:
        yield Part(path, begin, metadata.num_row_groups)


def _opened_csv(files: Any, source: FoundTable) -> OpenedTable:
    path = source.files[0].path
    try:
        with files.open(path, "rb") as raw:
            start = raw.read(_HEAD_BYTES)
        whole = len(start) == source.files[0].n_bytes
        head = read_table(start if whole else start[: start.rfind(b"\n") + 1], f"{source.name}.csv")
    except (OSError, TableError) as error:
        raise _damaged(path, source.name, error) from None
    if not head.form.has_header:
        raise _damaged(path, source.name, ValueError("its first line must name the columns"))
    columns = tuple(map(str, head.frame.columns))
    numeric = frozenset(name for name in columns if head.frame[name].dtype.kind == "f")
    parts = [
        Part(file.path, begin, min(begin + PART_BYTES, file.n_bytes))
        for file in source.files
        for begin in range(0, file.n_bytes, PART_BYTES)
    ]
    header = start.partition(b"\n")[0].strip()
    reader = PartReader(files, source.name, columns, head.form, header, numeric)
    return OpenedTable(source, reader, tuple(parts), head)


def _damaged(path: str, name: str, error: Exception) -> UserError:
    if isinstance(error, UserError) and not isinstance(error, TableError):
        return error
    reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    return UserError(
        _DAMAGED.format(file=PurePosixPath(path).name, name=name, reason=reason.rstrip("."))
    )


@contextmanager
def dask_scheduler(address: str) -> Generator[None]:
    """Compute what Dask is to compute within the block on a cluster, or in two threads here.

    Parameters
    ----------
    address : str
        Of the scheduler, as ``tcp://host:8786``; empty for threads.

    Raises
    ------
    UserError
        If no scheduler answers there.
    """
    if not address:
        with import_module("dask.config").set(scheduler="threads", num_workers=LOCAL_THREADS):
            yield
        return
    distributed = import_module("distributed")  # an extra
    lost = (distributed.KilledWorker, distributed.comm.core.CommClosedError, CancelledError)
    try:
        client = distributed.Client(address, timeout=CONNECT_S)
    except (OSError, ValueError):
        raise UserError(_NO_CLUSTER.format(address=address)) from None
    with client:
        try:
            yield
        except lost as error:
            raise UserError(_CLUSTER_LOST.format(address=address)) from error

"""The registered tables as the store has them, for all processes of a studio, with their samples.

A sample of the rows is stratified by class, and drawn in two passes over the parts of a table.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module

import msgspec
import numpy as np
import pandas as pd

from melm_core.base import IntArray, UserError, known_type
from melm_studio.operator_tables.parts import OpenedTable, Part, PartReader
from melm_studio.record import Record, from_json, to_json
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.protocol import RunStore
from melm_studio.runs.store.secret_key import owner_of_user
from melm_studio.tables import (
    LabeledData,
    Table,
    count,
    label_candidates,
    number,
    read_table,
    shortened,
)

# No visitor has a name with a space.
OPERATOR = "registered tables"
_LIST = "list"

NOT_HERE = (
    "There is no table {key!r} here that you may see. Choose another one, or ask the operator of "
    "this studio."
)
_BEING_READ = "{name} is being read for the first time. Choose it again when that is done."
SAMPLE_ROWS = 20_000
SAMPLE_CELLS = 4_000_000
LEAST_OF_CLASS = 200  # rows of each class in a sample, where it has them
MOST_STRATA = 200
SEED = 0
_NO_STRATUM = ""

_NO_LABEL = (
    "The table {name} has no column {label!r}, which tables.toml names as its label. Its columns "
    "are {columns}."
)
_EMPTY = "The table {name} has no rows. Put files with rows in its place."


class PublishedTable(Record, frozen=True):
    """A registered table, what visitors may know of it, and whether it has been read.

    Attributes
    ----------
    key, name, version : str
        As those of `FoundTable`; the version is empty if the files cannot be found.
    visitors : tuple of str or None
        As in `TableDescription`.
    n_rows, n_columns, n_sampled : int
        Of the table, and rows of its sample; 0 until it has been read.
    problem : str
        Why it cannot be read, a sentence for the operator; empty if it can.
    read_s : float
        When its sample was stored last, or when reading it began, in seconds since the epoch.
    """

    key: str
    name: str
    version: str
    visitors: tuple[str, ...] | None = None
    n_rows: int = 0
    n_columns: int = 0
    n_sampled: int = 0
    problem: str = ""
    read_s: float = 0.0

    @property
    def is_ready(self) -> bool:
        """True if it has been read and can be chosen."""
        return self.n_rows > 0 and not self.problem

    @property
    def sampled_version(self) -> str:
        """The version of a table that is larger than its sample; empty for others."""
        return self.version if self.n_sampled < self.n_rows else ""

    @property
    def note(self) -> str:
        """Sentence for visitors on its sample; empty if that has all rows."""
        return sample_sentence(self.n_sampled, self.n_rows) if self.sampled_version else ""

    def is_for(self, owner: str, secret: bytes) -> bool:
        """Return whether a visitor may see it.

        Parameters
        ----------
        owner : str
        secret : bytes
            The key of the store.
        """
        names = self.visitors
        return names is None or any(owner_of_user(secret, name) == owner for name in names)


def published_tables(store: RunStore) -> dict[str, PublishedTable]:
    """Return all registered tables by key, in the order of the operator."""
    raw = store.get_file(OPERATOR, FileKind.DATA, _LIST)
    if raw is None:
        return {}
    return {table.key: table for table in from_json(raw, list[PublishedTable])}


def publish(store: RunStore, tables: Iterable[PublishedTable]) -> None:
    """Replace the list of registered tables; samples of versions that are not in it are deleted."""
    listing = list(tables)
    store.put_file(OPERATOR, FileKind.DATA, _LIST, to_json(listing))
    used = {_LIST, *(_sample_key(table) for table in listing)}
    for file in store.files_of(OPERATOR):
        if file.kind is FileKind.DATA and file.key not in used:
            store.delete_file(file)


def visible_tables(store: RunStore, owner: str) -> list[PublishedTable]:
    """Return the registered tables that a visitor may see."""
    tables = published_tables(store).values()
    secret = store.secret() if any(table.visitors is not None for table in tables) else b""
    return [table for table in tables if table.is_for(owner, secret)]


def visible_table(store: RunStore, owner: str, key: str) -> PublishedTable:
    """Return the registered table of that key.

    Raises
    ------
    UserError
        If there is none that the visitor may see, or it cannot be read.
    """
    tables = [table for table in visible_tables(store, owner) if table.key == key]
    if not tables:
        raise UserError(NOT_HERE.format(key=key))
    (table,) = tables
    if table.problem:
        raise UserError(table.problem)
    if not table.is_ready:
        raise UserError(_BEING_READ.format(name=table.name))
    return table


def put_sample(store: RunStore, table: PublishedTable, sample: Sample) -> None:
    """Store the sample of a table."""
    store.put_file(OPERATOR, FileKind.DATA, _sample_key(table), msgspec.msgpack.encode(sample))


def sample_of(store: RunStore, table: PublishedTable) -> Sample | None:
    """Return the sample of a table; None if it is not stored."""
    raw = store.get_file(OPERATOR, FileKind.DATA, _sample_key(table))
    return None if raw is None else msgspec.msgpack.decode(raw, type=known_type(Sample))


def sampled_table(store: RunStore, table: PublishedTable) -> Table:
    """Return the sample of a table as a table whose rows have their numbers in the whole one.

    Raises
    ------
    UserError
        If it is not stored any more.
    """
    sample = sample_of(store, table)
    if sample is None:
        raise UserError(_BEING_READ.format(name=table.name))
    return as_table(read_table(sample.raw, f"{table.name}.parquet"), sample.positions, table.n_rows)


def class_sizes(store: RunStore, table: PublishedTable, data: LabeledData) -> tuple[int, ...]:
    """Return how many rows of a table each class has, of those that its sample stands for.

    Parameters
    ----------
    store : RunStore
    table : PublishedTable
    data : LabeledData
        Prepared from its sample. The numbers are estimates with another label than that by which
        the sample is stratified, and where rows are left out.
    """
    sample = sample_of(store, table)
    n_classes = len(data.class_names)
    if sample is None:
        return tuple(np.bincount(data.y, minlength=n_classes).tolist())
    places = np.searchsorted(sample.positions, data.row_numbers - 1)
    sizes = np.bincount(data.y, np.array(sample.weights)[places], n_classes)
    return tuple(round(size) for size in sizes.tolist())


def _sample_key(table: PublishedTable) -> str:
    return json.dumps([table.key, table.version])


@dataclass(frozen=True)
class Sample:
    """Some rows of a table, and how many rows each part has.

    Attributes
    ----------
    raw : bytes
        The rows as a Parquet file.
    positions : tuple of int
        Of the rows in the table, ascending from 0.
    lengths : tuple of int
        Rows of each part.
    weights : tuple of float
        How many rows of the table each stands for: of its class, where the table has a label.
    """

    raw: bytes
    positions: tuple[int, ...]
    lengths: tuple[int, ...]
    weights: tuple[float, ...]

    @property
    def n_rows(self) -> int:
        """The number of rows of the table."""
        return sum(self.lengths)


def drawn_sample(opened: OpenedTable, *, n_rows: int = SAMPLE_ROWS) -> Sample:
    """Draw a sample with a share of the rows of each class, but at least 200 if it has them.

    The first pass reads the label column, the second one takes the rows. Both go to the current
    scheduler of Dask, which holds one part a thread in memory.

    Parameters
    ----------
    opened : OpenedTable
    n_rows : int
        About how many; fewer of a wide table.

    Raises
    ------
    UserError
        If a file is damaged, the table has no rows, or not the label that is described.
    """
    dask = import_module("dask")  # an extra
    reader, parts = dask.delayed(opened.reader, traverse=False), opened.parts
    label = label_of(opened)
    counting = dask.delayed(_strata_of)
    strata: list[pd.Series] = list(dask.compute(*[counting(reader, p, label) for p in parts]))
    lengths = [int(counts.sum()) for counts in strata]
    if not sum(lengths):
        raise UserError(_EMPTY.format(name=opened.source.name))
    if len(set().union(*(counts.index for counts in strata))) > MOST_STRATA:
        label = None  # no classes, but a number or a name
        strata = [pd.Series({_NO_STRATUM: length}) for length in lengths]
    most = min(n_rows, max(2, SAMPLE_CELLS // len(opened.reader.columns)))
    drawn = _drawn(strata, most)
    used = [number for number, by_class in enumerate(drawn) if by_class]
    taking = dask.delayed(_taken)
    taken = dask.compute(*[taking(reader, parts[part], label, drawn[part]) for part in used])
    begins = np.cumsum([0, *lengths[:-1]])
    places = [rows + begins[part] for (_, rows), part in zip(taken, used, strict=True)]
    frame = pd.concat([rows for rows, _ in taken], ignore_index=True)
    positions = tuple(int(place) for place in np.concatenate(places))
    weights = _weights(strata, _strata(frame[label or frame.columns[0]], label))
    return Sample(_as_parquet(frame), positions, tuple(lengths), weights)


def label_of(opened: OpenedTable) -> str | None:
    """Return the label column that is described or most likely; None if none is likely."""
    label = opened.source.description.label
    if label is None:
        return next(iter(label_candidates(opened.head)), None)
    if label not in opened.reader.columns:
        columns = ", ".join(map(shortened, opened.reader.columns[:20]))
        name = opened.source.name
        raise UserError(_NO_LABEL.format(name=name, label=label, columns=columns))
    return label


def as_table(table: Table, sample_rows: Sequence[int], n_rows: int) -> Table:
    """Return a table that was read from a sample, whose rows have their numbers in the whole."""
    frame = table.frame.set_axis(np.asarray(sample_rows, dtype=np.int64), axis=0)
    if len(frame) == n_rows:
        return replace(table, frame=frame)
    steps = (*table.steps, sample_sentence(len(frame), n_rows))
    return replace(table, frame=frame, steps=steps)


def sample_sentence(n_sampled: int, n_rows: int) -> str:
    """Return what is done with the sample of a table, and what with all of its rows."""
    return (
        f"Points are a sample of {number(n_sampled)} of {count(n_rows, 'row')}. The densities of a "
        "finished run count all rows."
    )


def _strata_of(reader: PartReader, part: Part, label: str | None) -> pd.Series:
    """Count the rows of a part by class."""
    column = label or reader.columns[0]
    return _strata(reader.read(part, [column])[column], label).value_counts()


def _strata(cells: pd.Series, label: str | None) -> pd.Series:
    """Return the class of each row as text; all are of one without a label."""
    if label is None:
        return pd.Series(_NO_STRATUM, cells.index)
    return cells.astype("str").fillna(_NO_STRATUM)


def _drawn(strata: Sequence[pd.Series], n_rows: int) -> list[dict[str, IntArray]]:
    """Draw the rows of each class that each part gives, counted within class and part."""
    table = pd.concat(strata, axis=1).fillna(0).astype(np.int64).sort_index()
    rng = np.random.default_rng(SEED)
    share = n_rows / int(table.to_numpy().sum())
    least = min(LEAST_OF_CLASS, max(2, n_rows // len(table)))
    drawn: list[dict[str, IntArray]] = [{} for _ in strata]
    for stratum, counts in zip(table.index, table.to_numpy(), strict=True):
        total = int(counts.sum())
        size = min(total, max(round(share * total), least))
        ranks = np.sort(rng.choice(total, size, replace=False, shuffle=False))
        begins = np.cumsum([0, *counts])
        ends = np.searchsorted(ranks, begins)
        for part, of_part in enumerate(drawn):
            if ends[part] < ends[part + 1]:
                of_part[str(stratum)] = ranks[ends[part] : ends[part + 1]] - begins[part]
    return drawn


def _taken(
    reader: PartReader, part: Part, label: str | None, drawn: Mapping[str, IntArray]
) -> tuple[pd.DataFrame, IntArray]:
    """Take the drawn rows of a part, with all columns, and their positions in it."""
    frame = reader.read(part, reader.columns)
    strata = _strata(frame[label or reader.columns[0]], label).to_numpy()
    by_class = [np.flatnonzero(strata == stratum)[ranks] for stratum, ranks in drawn.items()]
    places: IntArray = np.sort(np.concatenate(by_class))
    return frame.iloc[places], places


def _weights(strata: Sequence[pd.Series], drawn: pd.Series) -> tuple[float, ...]:
    """Weight each drawn row by the rows of its class in the table per drawn one."""
    totals = pd.concat(strata, axis=1).fillna(0).sum(axis=1)
    return tuple(drawn.map(totals / drawn.value_counts()).tolist())


def _as_parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()

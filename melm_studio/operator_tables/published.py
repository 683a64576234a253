"""The registered tables as the store has them, for all processes of a studio."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec
import numpy as np

from melm_core.base import UserError, known_type
from melm_studio.operator_tables.sampling import Sample, as_table, sample_sentence
from melm_studio.record import Record, from_json, to_json
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.protocol import RunStore
from melm_studio.runs.store.secret_key import owner_of_user
from melm_studio.tables import LabeledData, Table, read_table

# No visitor has a name with a space.
OPERATOR = "registered tables"
_LIST = "list"

NOT_HERE = (
    "There is no table {key!r} here that you may see. Choose another one, or ask the operator of "
    "this studio."
)
_BEING_READ = "{name} is being read for the first time. Choose it again when that is done."


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

"""The data that the page shows, the files behind them, drawn tables, and data used before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Annotated, Any

import msgspec
import pandas as pd
from msgspec import Meta, Struct
from msgspec.structs import replace

from melm_core.base import UserError
from melm_core.datasets import hidden_drawing
from melm_studio.configuration.settings import Settings
from melm_studio.operator_tables.published import (
    NOT_HERE,
    PublishedTable,
    sampled_table,
    visible_table,
    visible_tables,
)
from melm_studio.planes.captions import title
from melm_studio.reading import Asker, FileReader
from melm_studio.rows.spreadsheet import csv_text
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.run import RunRecord, Table, table_of
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import SAMPLES, count, load_sample, read_table_apart
from melm_studio.tables import Table as FileTable
from melm_studio.validation import Coordinate, Count, InputError, Sha256, Text, read

MOST_REMEMBERED = 8  # data sets, by the browser
FILE_GONE = "{name} is no longer stored here. Drop the file again, or choose a sample."
NO_DATA = "There are no data to run on yet. Drop a CSV file or choose a sample."

CLASSES = ("A", "B", "C")
_LEAST_POINTS, _MOST_POINTS = 5, 600
_RULE = f"a list of at most {_MOST_POINTS} points, each x, y and class"
_ONE_CLASS = "A drawing needs two classes to tell apart. Choose another class and paint that, too."
_FEW = "Class {name} has {points}, and {least} are needed. Paint more of it, or undo it."

Point = tuple[Coordinate, Coordinate, Annotated[int, Meta(ge=0, lt=len(CLASSES))]]
Points = Annotated[
    tuple[Point, ...], Meta(title="The drawing", max_length=_MOST_POINTS, description=_RULE)
]


class ShownData(Struct, frozen=True, forbid_unknown_fields=True):
    """The data set that the page shows, and the source that it was prepared from.

    Attributes
    ----------
    id : str
        Content hash of the prepared data.
    name, label : str
    source : DataSource
        As the user chose it, so its label may be None where `label` was inferred.
    version : str
        Of the files of a table of the operator of which these data are a sample; else empty.
    """

    id: Sha256
    name: Text
    label: Text
    source: DataSource
    version: Text = ""

    @classmethod
    def from_json(cls, values: Any) -> ShownData:
        """Return the data set that JSON values describe.

        Raises
        ------
        InputError
            If there is none, or a value breaks a rule.
        """
        if values is None:
            raise InputError(NO_DATA)
        return read(values, cls, "The data set")

    @property
    def run_source(self) -> DataSource:
        """The source as a run of these data records it: with its label."""
        return replace(self.source, label=self.label)

    @property
    def table(self) -> Table:
        """Identifies the rows, however their features were prepared."""
        return table_of(self.id, self.run_source, self.version)


@dataclass(frozen=True)
class SourceFiles:
    """The samples, uploads and registered tables that one visitor may read."""

    store: RunStore
    owner: str
    settings: Settings
    reader: FileReader
    address: str = ""

    def read(self, source: DataSource) -> FileTable:
        """Read the table of a source; of a registered one, its sample.

        Raises
        ------
        UserError
            If it is no longer stored, or cannot be read.
        StillReadingError
            If it is being read.
        """
        if source.kind == "sample":
            return load_sample(source.key)
        if registered := self.registered(source):
            return sampled_table(self.store, registered)
        stored = self.store.files_of(self.owner)
        if not any((file.kind, file.key) == (FileKind.UPLOAD, source.key) for file in stored):
            raise UserError(FILE_GONE.format(name=source.name))  # it may have been read before
        options = source.read_options
        return self.reader.readings.result(
            (self.owner, source.key, source.name, msgspec.json.encode(options)),
            Asker(self.owner, self.address),
            lambda: read_table_apart(
                self.reader,
                self.uploaded(source),  # held by nobody here while the table comes
                source.name,
                max_rows=self.settings.max_rows,
                max_columns=self.settings.max_columns,
                options=options,
            ),
        )

    def uploaded(self, source: DataSource) -> bytes:
        """Return the file of a source that was uploaded.

        Raises
        ------
        UserError
            If it is no longer stored.
        """
        raw = self.store.get_file(self.owner, FileKind.UPLOAD, source.key)
        if raw is None:
            raise UserError(FILE_GONE.format(name=source.name))
        return raw

    def has(self, source: DataSource) -> bool:
        """Return whether the table of a source can be read."""
        if source.kind == "sample":
            return source.key in SAMPLES
        if source.kind == "table":
            return any(table.key == source.key for table in self.tables() if table.is_ready)
        return self.store.get_file(self.owner, FileKind.UPLOAD, source.key) is not None

    def tables(self) -> list[PublishedTable]:
        """Return the registered tables that the visitor may see."""
        return visible_tables(self.store, self.owner) if self.settings.tables else []

    def registered(self, source: DataSource) -> PublishedTable | None:
        """Return the registered table of a source; None for other data.

        Raises
        ------
        UserError
            If there is none that the visitor may see.
        """
        if source.kind != "table":
            return None
        if not self.settings.tables:
            raise UserError(NOT_HERE.format(key=source.key))
        return visible_table(self.store, self.owner, source.key)


@dataclass(frozen=True)
class RecentRun:
    """A run, and the source of its data."""

    run_id: str
    title: str
    source: DataSource


@dataclass
class RecentData:
    """A sample or file, as it was prepared last, and its runs, newest first."""

    name: str
    source: DataSource
    runs: list[RecentRun] = field(default_factory=list)


def remembered_sources(values: Any) -> list[DataSource]:
    """Return the sources that the browser has stored and that this version can read."""
    sources = []
    for value in values[:MOST_REMEMBERED] if isinstance(values, list) else []:
        with suppress(InputError):
            sources.append(read(value, DataSource, "A data set used before"))
    return sources


def recent_data(sources: Iterable[DataSource], fits: Sequence[RunRecord]) -> list[RecentData]:
    """List the data sets, those stored by the browser first.

    Parameters
    ----------
    sources : sequence of DataSource
        Those that the browser remembers, newest first.
    fits : sequence of RunRecord
        All runs of the visitor, oldest first.
    """
    data_sets: dict[tuple[str, str], RecentData] = {}
    for source in sources:
        data_sets.setdefault(_file(source), RecentData(_name(source), source))
    for run in reversed(fits):
        _add(data_sets, run)
    return list(data_sets.values())


def _add(data_sets: dict[tuple[str, str], RecentData], run: RunRecord) -> None:
    data = data_sets.setdefault(_file(run.source), RecentData(_name(run.source), run.source))
    data.runs.append(RecentRun(run.run_id, title(run), run.source))


def _file(source: DataSource) -> tuple[str, str]:
    return source.kind, source.key


def _name(source: DataSource) -> str:
    if source.kind == "sample":
        return SAMPLES[source.key].label
    return PurePath(source.name).stem if source.kind == "upload" else source.name


class Drawing(Struct, frozen=True, forbid_unknown_fields=True):
    """Points with their classes, the number of rows that they become, and the seed of the noise."""

    points: Points
    n_rows: Annotated[int, Meta(title="The number of rows", ge=1, le=5_000)]
    random_state: Annotated[Count, Meta(title="The random seed")] = 0

    def __post_init__(self) -> None:
        painted = Counter(code for _, _, code in self.points)
        if len(painted) < 2:
            raise InputError(_ONE_CLASS)
        for code, n_points in painted.items():
            if n_points < _LEAST_POINTS:
                points = count(n_points, "dot")
                raise InputError(
                    _FEW.format(name=CLASSES[code], points=points, least=_LEAST_POINTS)
                )

    @property
    def file_name(self) -> str:
        """The name of its table."""
        return f"Drawing of {self.n_rows} rows.csv"

    def csv(self) -> str:
        """The table, by `hidden_drawing`."""
        places, codes = [point[:2] for point in self.points], [point[2] for point in self.points]
        X, y = hidden_drawing(places, codes, self.n_rows, random_state=self.random_state)
        table = pd.DataFrame(X, columns=[f"x{i}" for i in range(1, X.shape[1] + 1)])
        return csv_text(table.assign(**{"class": [CLASSES[code] for code in y]}))

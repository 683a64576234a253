"""Where data come from and how they are prepared, as the page, a link, and a story hold it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import force_setattr, replace

from melm_core.base import UserError
from melm_core.recipe import Recipe, Scaling
from melm_studio.configuration.settings import Settings
from melm_studio.operator_tables.published import (
    NOT_HERE,
    PublishedTable,
    sampled_table,
    visible_table,
    visible_tables,
)
from melm_studio.planes.captions import title
from melm_studio.reading import FileReader
from melm_studio.runs.records.run import RunRecord, Table, table_of
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import (
    MAX_FILTERS,
    MAX_MARKS,
    SAMPLES,
    ClassRules,
    Mark,
    ReadOptions,
    RowFilter,
    RowNumbers,
    Use,
    load_sample,
    read_table_apart,
)
from melm_studio.tables import Table as FileTable
from melm_studio.validation import InputError, Sha256, Text, read, shown

MOST_REMEMBERED = 8  # data sets, by the browser
_MAX_ORDERS, _MAX_LEVELS = 200, 200
_FILE_GONE = "{name} is no longer stored here. Drop the file again, or choose a sample."
NO_DATA = "There are no data to run on yet. Drop a CSV file or choose a sample."


class DataSource(Struct, frozen=True, forbid_unknown_fields=True):
    """A sample, an uploaded file or a table of the operator, and how its columns are used.

    Attributes
    ----------
    kind : str
    key : str
        The name of a sample or a table, or the SHA-256 of an uploaded file.
    name : str
        The name of an uploaded file, or that of a table as visitors read it.
    label : str or None
        The label column; None to infer it.
    standardize : bool
    roles : mapping of str to str
        The use of each column for which the user chose one.
    orders : mapping of str to tuple of str
        The categories of ordered columns from low to high, where the user put them in order.
    classes : ClassRules
        How the values of the label become classes.
    reading : ReadOptions
        How the file is read.
    recipe : Recipe
        How the features are prepared. Its scaling is never "none": `standardize` says that.
    filters : tuple of RowFilter
        The rows of the table that are used, by the values of its columns.
    left_out : tuple of int
        Rows of the file that the user left out, counted from 1 without the header.
    marks : tuple of Mark
        Rows to which the user gave a class or other information, in order.
    """

    kind: Annotated[Literal["sample", "upload", "table"], Meta(title="The kind of data")]
    key: Annotated[Text, Meta(title="The key of the data")]
    name: Annotated[Text, Meta(title="The file name")] = ""
    label: Annotated[str, Meta(title="The label column", min_length=1, max_length=2_000)] | None = (
        None
    )
    standardize: Annotated[bool, Meta(title="The standardize option")] = True
    roles: Annotated[dict[Text, Use], Meta(title="The use of a column")] = msgspec.field(
        default_factory=dict
    )
    classes: Annotated[ClassRules, Meta(title="The rules of the classes")] = ClassRules()
    reading: Annotated[ReadOptions, Meta(title="The options of reading")] = ReadOptions()
    recipe: Annotated[Recipe, Meta(title="The preparation")] = Recipe()
    orders: Annotated[
        dict[Text, Annotated[tuple[Text, ...], Meta(max_length=_MAX_LEVELS)]],
        Meta(title="The order of categories", max_length=_MAX_ORDERS),
    ] = msgspec.field(default_factory=dict)
    filters: Annotated[
        tuple[RowFilter, ...], Meta(title="The list of filters", max_length=MAX_FILTERS)
    ] = ()
    left_out: RowNumbers = ()
    marks: Annotated[
        tuple[Mark, ...], Meta(title="The list of marked rows", max_length=MAX_MARKS)
    ] = ()

    def __post_init__(self) -> None:
        if self.recipe.scaling is Scaling.NONE or not self.standardize:
            force_setattr(self, "standardize", False)
            force_setattr(self, "recipe", replace(self.recipe, scaling=Scaling.UNIT))
        if self.kind == "upload":
            read(self.key, Sha256, "The hash of the file")
            if not self.name:
                raise InputError("The file name is missing. It must be that of the uploaded file.")
            return
        if self.kind == "table":
            force_setattr(self, "name", self.name or self.key)
            return
        force_setattr(self, "name", "")
        if self.key not in SAMPLES:
            raise InputError(
                f"The sample must be one of {', '.join(SAMPLES)}; it is {shown(self.key)}."
            )

    @property
    def full_recipe(self) -> Recipe:
        """The recipe with its scaling, "none" without standardizing."""
        return self.recipe if self.standardize else replace(self.recipe, scaling=Scaling.NONE)

    def with_recipe(self, recipe: Recipe) -> DataSource:
        """Return the same data prepared by another recipe."""
        return replace(self, recipe=recipe, standardize=recipe.scaling is not Scaling.NONE)


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
    def run_source(self) -> dict[str, Any]:
        """The source as a run of these data records it."""
        source: dict[str, Any] = msgspec.to_builtins(replace(self.source, label=self.label))
        return source | ({"version": self.version} if self.version else {})

    @property
    def table(self) -> Table:
        """Identifies the rows, however their features were prepared."""
        return table_of(self.id, self.run_source)


@dataclass(frozen=True)
class SourceFiles:
    """The samples, uploads and registered tables that one visitor may read."""

    store: RunStore
    owner: str
    settings: Settings
    reader: FileReader

    def read(self, source: DataSource) -> FileTable:
        """Read the table of a source; of a registered one, its sample.

        Raises
        ------
        UserError
            If it is no longer stored, or cannot be read.
        """
        if source.kind == "sample":
            return load_sample(source.key)
        if registered := self.registered(source):
            return sampled_table(self.store, registered)
        return read_table_apart(
            self.reader,
            self._uploaded(source),  # held by nobody here while the table comes
            source.name,
            max_rows=self.settings.max_rows,
            max_columns=self.settings.max_columns,
            options=source.reading,
        )

    def _uploaded(self, source: DataSource) -> bytes:
        raw = self.store.get_upload(self.owner, source.key)
        if raw is None:
            raise UserError(_FILE_GONE.format(name=source.name))
        return raw

    def has(self, source: DataSource) -> bool:
        """Whether the table of a source can be read."""
        if source.kind == "sample":
            return source.key in SAMPLES
        if source.kind == "table":
            return any(table.key == source.key for table in self.tables() if table.is_ready)
        return self.store.get_upload(self.owner, source.key) is not None

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


def source_of_run(recorded: Mapping[str, Any]) -> DataSource:
    """Return the source that a run records, which has the version of a table besides."""
    known = DataSource.__struct_encode_fields__
    return read(
        {name: recorded[name] for name in known if name in recorded}, DataSource, "The data"
    )


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
    """List the data sets, those that the browser remembers first.

    Parameters
    ----------
    sources : sequence of DataSource
        Those that the browser remembers, newest first.
    fits : sequence of RunRecord
        All runs of the visitor, oldest first.
    """
    found: dict[tuple[str, str], RecentData] = {}
    for source in sources:
        found.setdefault(_file(source), RecentData(_name(source), source))
    for run in reversed(fits):
        with suppress(InputError):  # recorded by a version that had other samples
            _add(found, run, source_of_run(run.source))
    return list(found.values())


def _add(found: dict[tuple[str, str], RecentData], run: RunRecord, source: DataSource) -> None:
    one = found.setdefault(_file(source), RecentData(_name(source), source))
    one.runs.append(RecentRun(run.run_id, title(run), source))


def _file(source: DataSource) -> tuple[str, str]:
    return source.kind, source.key


def _name(source: DataSource) -> str:
    if source.kind == "sample":
        return SAMPLES[source.key].label
    return PurePath(source.name).stem if source.kind == "upload" else source.name

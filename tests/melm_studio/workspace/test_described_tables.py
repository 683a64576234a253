"""A table is prepared once for all requests that show it."""

from __future__ import annotations

from contextlib import closing
from threading import Event

import pytest
from msgspec.structs import replace

from lab.driver.visitor import shared_reader
from melm_core.base import UserError
from melm_studio.configuration.settings import Settings
from melm_studio.reading import StillReadingError
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.stored_files import REFRESH_AFTER_S, FileKind
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.tables.roles import NO_LABEL
from melm_studio.workspace import described_tables
from melm_studio.workspace.described_tables import DescribedTables
from melm_studio.workspace.workspace import Workspace

CSV = b"x,y,label\n" + b"".join(
    b"%d.5,%d.25,%s\n" % (i % 9, i * i % 7, b"a" if i % 2 else b"b") for i in range(20)
)


@pytest.fixture
def own(tmp_path):
    with closing(DiskRunStore(tmp_path)) as store:
        yield Workspace(store, "ann", Settings(data_dir=tmp_path), shared_reader())


@pytest.fixture
def prepared(monkeypatch):
    """The sources that were prepared."""
    sources = []
    prepare = Workspace.prepare

    def counted(self, table, source):
        sources.append(source)
        return prepare(self, table, source)

    monkeypatch.setattr(Workspace, "prepare", counted)
    return sources


def upload(own) -> DataSource:
    return DataSource(kind="upload", key=own.put_upload(CSV), name="rows.csv")


def test_a_table_that_is_shown_again_is_not_prepared_again(own, prepared):
    tables, source = DescribedTables(), upload(own)
    first = tables.describe(own, source)
    assert tables.describe(own, upload(own)) == first
    assert len(prepared) == 1
    assert own.store.get_file("ann", FileKind.DATA, first.id) is not None
    assert first.labels == ("label", "x", "y", NO_LABEL)
    tables.describe(own, replace(source, standardize=False))
    assert len(prepared) == 2


@pytest.mark.parametrize("kind", list(FileKind))
def test_a_table_that_was_deleted_is_read_anew(own, prepared, kind):
    tables, source = DescribedTables(), upload(own)
    tables.describe(own, source)
    (file,) = [file for file in own.store.files_of("ann") if file.kind is kind]
    own.store.delete_file(file)
    if kind is FileKind.UPLOAD:
        with pytest.raises(UserError, match=r"rows\.csv is no longer stored"):
            tables.describe(own, source)
    else:
        tables.describe(own, source)
        assert len(prepared) == 2


def test_data_about_to_be_forgotten_are_stored_again(own, prepared, monkeypatch):
    tables, source = DescribedTables(), upload(own)
    tables.describe(own, source)
    (touched,) = {file.touched_s for file in own.store.files_of("ann") if file.kind == "data"}
    later = touched + REFRESH_AFTER_S + 1
    monkeypatch.setattr("melm_studio.workspace.described_tables.time.time", lambda: later)
    tables.describe(own, source)
    assert len(prepared) == 2


def test_another_visitor_is_not_given_what_only_one_has(own, prepared):
    tables, source = DescribedTables(), upload(own)
    tables.describe(own, source)
    other = Workspace(own.store, "eve", own.settings, own.reader)
    with pytest.raises(UserError, match="no longer stored"):
        tables.describe(other, source)


def test_a_sample_is_prepared_for_the_first_visitor_and_stored_for_each(own, prepared):
    tables, iris = DescribedTables(), DataSource(kind="sample", key="iris", name="Iris")
    first = tables.describe(own, iris)
    other = Workspace(own.store, "eve", own.settings, own.reader)
    assert tables.describe(other, iris) == first
    assert len(prepared) == 1
    raw = own.store.get_file("ann", FileKind.DATA, first.id)
    assert raw is not None
    assert own.store.get_file("eve", FileKind.DATA, first.id) == raw
    tables.describe(other, replace(iris, standardize=False))
    assert len(prepared) == 2


def test_requests_at_the_same_time_share_one_preparation(own, prepared, monkeypatch):
    tables, source = DescribedTables(), upload(own)
    go_on = Event()
    table_of = Workspace.table

    def slow(self, source):
        assert go_on.wait(30)
        return table_of(self, source)

    monkeypatch.setattr(Workspace, "table", slow)
    with monkeypatch.context() as impatient:
        impatient.setattr(own.reader.preparations, "_patience_s", 0.0)
        for _ in range(2):
            with pytest.raises(StillReadingError):
                tables.describe(own, source)
    go_on.set()
    assert tables.describe(own, source).labels[0] == "label"
    assert len(prepared) == 1


def test_what_cannot_be_read_is_tried_again(own, prepared):
    tables = DescribedTables()
    source = DataSource(kind="upload", key=own.put_upload(b"nothing"), name="rows.csv")
    for _ in range(2):
        with pytest.raises(UserError):
            tables.describe(own, source)


def wide(own, n_columns: int, letters: int, mark: int) -> DataSource:
    """A file whose columns have long names."""
    names = [f"{at:04d}{mark:02d}".ljust(letters, "n") for at in range(n_columns)]
    cells = [[*(str(i * at % 7) for at in range(n_columns)), "ab"[i % 2]] for i in range(8)]
    raw = "\n".join(map(",".join, [[*names, "label"], *cells])).encode()
    return DataSource(kind="upload", key=own.put_upload(raw), name="rows.csv")


@pytest.mark.attack
def test_tables_are_remembered_up_to_a_number_of_bytes(own, prepared, monkeypatch):
    monkeypatch.setattr(described_tables, "MOST_DESCRIBED_BYTES", 100_000)
    tables = DescribedTables()
    sources = [wide(own, 40, 900, mark) for mark in range(4)]  # about 40 kB each
    for source in sources:
        tables.describe(own, source)
    assert len(prepared) == 4
    tables.describe(own, sources[-1])
    assert len(prepared) == 4
    tables.describe(own, sources[0])
    assert len(prepared) == 5


def test_a_table_that_is_larger_than_all_that_is_remembered_is_described(own, monkeypatch):
    monkeypatch.setattr(described_tables, "MOST_DESCRIBED_BYTES", 10_000)
    tables, source = DescribedTables(), wide(own, 40, 900, 0)
    assert len(tables.describe(own, source).labels) == 42
    assert len(tables.describe(own, source).labels) == 42

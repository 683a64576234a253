"""What the operator changes in the folder appears in the store, for whom it is meant."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from melm_core.base.errors import UserError
from melm_studio.operator_tables import keeper
from melm_studio.operator_tables.keeper import TableKeeper
from melm_studio.operator_tables.published import (
    publish,
    published_tables,
    sample_of,
    visible_table,
    visible_tables,
)
from melm_studio.runs.store.secret_key import owner_of_user
from tests.melm_studio.operator_tables.tables import parquet_folder, rows
from tests.melm_studio.runs.helpers import ManualClock


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "tables"
    parquet_folder(folder, 300)
    return folder


@pytest.fixture
def looked(disk_store, folder):
    """Looks at the folder, and returns what is published."""

    def look(**options):
        TableKeeper(disk_store, str(folder), **options).look()
        return published_tables(disk_store)

    return look


def test_a_table_is_published_with_its_size_and_read_once(disk_store, looked, monkeypatch):
    first = looked()["trees"]
    assert (first.n_rows, first.n_columns, first.is_ready) == (300, 6, True)
    monkeypatch.setattr(keeper, "drawn_sample", None)  # it would fail
    assert looked()["trees"] == first
    assert visible_table(disk_store, "anybody", "trees") == first


def test_changed_files_are_read_again_and_the_old_sample_is_deleted(disk_store, folder, looked):
    before = looked()["trees"]
    rows(50, seed=1).to_parquet(folder / "trees/part-3.parquet", index=False)
    after = looked()["trees"]
    assert after.n_rows == 350
    assert after.version != before.version
    assert sample_of(disk_store, before) is None


def test_a_damaged_file_is_named_in_the_menu_until_it_is_replaced(disk_store, folder, looked):
    file = folder / "trees/part-1.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[:100])
    assert "part-1.parquet" in looked()["trees"].problem
    with pytest.raises(UserError, match=r"part-1\.parquet"):
        visible_table(disk_store, "anybody", "trees")
    file.write_bytes(whole)
    assert looked()["trees"].is_ready


def test_a_table_that_is_removed_disappears(disk_store, folder, looked):
    looked()
    (folder / "tables.toml").write_text("")
    assert looked() == {}
    with pytest.raises(UserError, match="no table 'trees' here that you may see"):
        visible_table(disk_store, "anybody", "trees")


def test_a_table_is_seen_by_the_users_that_the_operator_names(disk_store, folder, looked):
    (folder / "tables.toml").write_text('[trees]\npath = "trees"\nvisitors = ["ada"]')
    looked()
    ada, bob = (owner_of_user(disk_store.secret(), name) for name in ("ada", "bob"))
    assert [table.key for table in visible_tables(disk_store, ada)] == ["trees"]
    assert visible_tables(disk_store, bob) == []
    with pytest.raises(UserError, match="that you may see"):
        visible_table(disk_store, bob, "trees")


def test_a_table_that_another_worker_reads_is_left_to_it_for_a_while(disk_store, folder, looked):
    clock = ManualClock(1_000.0)
    looked()
    (table,) = published_tables(disk_store).values()
    publish(disk_store, [replace(table, n_rows=0, n_sampled=0, read_s=clock.time())])
    assert not looked(has_others=True, clock=clock)["trees"].is_ready
    clock.now_s += keeper.TURN_S + 1.0
    assert looked(has_others=True, clock=clock)["trees"].is_ready


def test_a_sample_that_was_deleted_is_drawn_again(disk_store, looked):
    clock = ManualClock(1_000.0)
    (table,) = looked(clock=clock).values()
    for file in disk_store.files_of("registered tables"):
        if file.key != "list":
            disk_store.delete_file(file)
    clock.now_s += keeper.REFRESH_S + 1.0
    looked(clock=clock)
    assert sample_of(disk_store, table) is not None

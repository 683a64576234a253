"""A sample has a share of every class, and its rows are those of the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_core.base.errors import UserError
from melm_studio.operator_tables.parts import dask_scheduler
from melm_studio.operator_tables.published import as_table, drawn_sample
from melm_studio.tables.read import read_table
from tests.melm_studio.operator_tables.tables import opened, parquet_folder, rows


@pytest.fixture(autouse=True)
def threads():
    with dask_scheduler(""):
        yield


def read(sample):
    return as_table(read_table(sample.raw, "trees.parquet"), sample.positions, sample.n_rows).frame


def test_a_sample_has_rows_of_the_table_under_their_own_numbers(tmp_path):
    whole = parquet_folder(tmp_path)
    sample = drawn_sample(opened(tmp_path), n_rows=300)
    found = read(sample)
    assert sample.n_rows == len(whole)
    pd.testing.assert_frame_equal(
        found, whole.loc[found.index], check_names=False, check_column_type=False
    )


def test_a_sample_has_a_share_of_each_class_and_rare_ones_whole(tmp_path):
    whole = parquet_folder(tmp_path, 3_000, rare=0.005)["tree"].value_counts()
    sample = drawn_sample(opened(tmp_path), n_rows=1_000)
    trees = read(sample)["tree"]
    found = trees.value_counts()
    assert found["cedar"] == whole["cedar"]
    assert found["ash"] == pytest.approx(whole["ash"] / 3, abs=1)
    stands_for = pd.Series(sample.weights, trees.index).groupby(trees).sum()
    assert stands_for.to_dict() == pytest.approx(whole.to_dict())


@pytest.mark.slow
def test_the_files_may_be_cut_anyhow_without_another_sample(tmp_path):
    parquet_folder(tmp_path / "one", n_files=1)
    parquet_folder(tmp_path / "many", n_files=7)
    found = [read(drawn_sample(opened(tmp_path / each), n_rows=200)) for each in ("one", "many")]
    pd.testing.assert_frame_equal(*found)


def test_csv_files_are_read_in_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("melm_studio.operator_tables.parts.PART_BYTES", 5_000)
    whole = rows(400)
    whole.loc[7, "age"] = np.nan
    whole.to_csv(tmp_path / "trees.csv", index=False)
    table = opened(tmp_path)
    assert len(table.parts) > 3
    found = read(drawn_sample(table, n_rows=400))
    pd.testing.assert_frame_equal(found, whole, check_names=False, check_column_type=False)


def test_a_label_with_too_many_values_is_not_used(tmp_path):
    whole = rows(900).assign(tree=np.arange(900).astype(str))
    whole.to_parquet(tmp_path / "trees.parquet")
    (tmp_path / "tables.toml").write_text('[trees]\npath = "trees.parquet"\nlabel = "tree"')
    assert len(read(drawn_sample(opened(tmp_path), n_rows=100))) == 100


def test_a_label_that_does_not_exist_is_named(tmp_path):
    parquet_folder(tmp_path)
    (tmp_path / "tables.toml").write_text('[trees]\npath = "trees"\nlabel = "wood"')
    with pytest.raises(UserError, match=r"no column 'wood'.*height"):
        drawn_sample(opened(tmp_path))


def test_a_damaged_file_is_named(tmp_path):
    parquet_folder(tmp_path)
    (tmp_path / "trees/part-1.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(UserError, match=r"part-1\.parquet of the table trees cannot be read"):
        opened(tmp_path)


def test_a_file_with_other_columns_is_named(tmp_path):
    parquet_folder(tmp_path)
    rows(10).drop(columns="tree").to_parquet(tmp_path / "trees/part-1.parquet")
    with pytest.raises(UserError, match=r"part-1\.parquet of the table trees lacks .*tree"):
        drawn_sample(opened(tmp_path))


def test_csv_files_with_columns_in_another_order_are_refused(tmp_path):
    (tmp_path / "trees").mkdir()
    rows(50).to_csv(tmp_path / "trees/a.csv", index=False)
    rows(50).iloc[:, ::-1].to_csv(tmp_path / "trees/b.csv", index=False)
    with pytest.raises(UserError, match=r"first line of b\.csv .* differs"):
        drawn_sample(opened(tmp_path))

"""A folder of Parquet files is read as features and labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_core import MELM, DiscriminantPlane, read_rows
from melm_core.base import UserError
from melm_core.evaluation import Separability

pytest.importorskip("dask.dataframe")

TABLE = pd.DataFrame(np.random.default_rng(0).standard_normal((90, 3)), columns=list("abc"))
TABLE["tree"] = np.tile(["oak", "pine"], 45)
TABLE["note"] = "x"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("parts")
    for number in range(3):
        TABLE[number * 30 : number * 30 + 30].to_parquet(path / f"part-{number}.parquet")
    return path


@pytest.mark.slow
def test_files_of_a_folder_are_one_table_in_the_order_of_their_names(folder):
    X, y = read_rows(folder, label="tree", features=["c", "a"])
    assert X.npartitions == 3
    assert np.array_equal(X.compute(), TABLE[["c", "a"]])
    assert y.compute().tolist() == TABLE["tree"].tolist()
    exact = DiscriminantPlane(1).fit(TABLE[["c", "a"]], TABLE["tree"])
    assert np.allclose(DiscriminantPlane(1).fit(X, y).components_, exact.components_)


def test_a_single_file_is_a_table(folder):
    X, _ = read_rows(folder / "part-1.parquet", label="tree", features=["a"])
    assert np.array_equal(X.compute().a, TABLE.a[30:60])


@pytest.mark.slow
def test_features_and_labels_have_equal_partitions_however_many_columns_are_read(tmp_path):
    # Dask joins partitions of which few columns are read: one label column of eleven.
    X = np.random.default_rng(0).standard_normal((120, 10))
    table = pd.DataFrame(X, columns=[f"x{number}" for number in range(10)])
    table["label"] = np.repeat(["a", "b"], 60)
    table.loc[60:, "x0"] += 3
    for number in range(3):
        table[number::3].to_parquet(tmp_path / f"part-{number}.parquet")
    for features in (None, ["x0", "x4"]):
        rows, labels = read_rows(tmp_path, label="label", features=features)
        plane = MELM(random_state=0).fit(rows, labels)
        points, exact = plane.transform(rows), (rows.compute(), labels.compute())
        assert points.npartitions == 3
        assert np.allclose(points.compute(), plane.transform(exact[0]))
        assert plane.score(rows, labels) == plane.score(*exact)
        mean = Separability.of(points, labels).mean
        assert mean == Separability.of(points.compute(), exact[1]).mean


@pytest.mark.parametrize(
    ("label", "features", "words"),
    [
        ("shrub", None, 'no column \'shrub\'.*it has "a", "b", "c", "tree", "note"'),
        ("tree", ["a", "d"], "no column 'd'"),
        ("tree", None, r'Not numeric.*: "note"\. Name the features'),
        ("tree", [], "no column besides"),
    ],
)
def test_columns_that_do_not_serve_are_named(folder, label, features, words):
    with pytest.raises(UserError, match=words):
        read_rows(folder, label=label, features=features)


def test_what_is_no_table_is_named(tmp_path):
    (tmp_path / "notes.txt").write_text("none")
    for path in (tmp_path / "missing", tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(UserError, match="no folder of Parquet files"):
            read_rows(path, label="tree")

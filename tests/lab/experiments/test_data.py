from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from lab.experiments.data import DATA_SETS, find, load, standardized
from lab.experiments.paper_numbers import TABLE_1
from lab.experiments.records import DEFAULT_DATA

RAW = np.array([[1.0, 10.0], [2.0, 0.0], [4.0, 10.0]])
SCALED = RAW / 10
LABELS = np.array([-1, 1, 1])


def write_csv(path, X):
    pd.DataFrame(X, columns=["a", "b"]).assign(label=LABELS).to_csv(path, index=False)


@pytest.fixture(params=["csv", "libsvm"])
def folder(request, tmp_path):
    if request.param == "csv":
        write_csv(tmp_path / "heart.csv", SCALED)
        write_csv(tmp_path / "heart_raw.csv", RAW)
    else:
        dump_svmlight_file(SCALED, LABELS, str(tmp_path / "heart_scale"))
        dump_svmlight_file(RAW, LABELS, str(tmp_path / "heart"))
    return tmp_path


@pytest.mark.parametrize(("raw", "expected"), [(False, SCALED), (True, RAW)])
def test_both_formats_give_the_same_data(folder, raw, expected):
    table = load(folder, "heart", raw=raw)
    np.testing.assert_array_equal(table.X, expected)
    np.testing.assert_array_equal(table.y, [0, 1, 1])


def test_a_set_of_one_form_is_taken_as_it_is(tmp_path):
    dump_svmlight_file(SCALED, LABELS, str(tmp_path / "sonar_scale"))
    np.testing.assert_array_equal(load(tmp_path, "sonar", raw=True).X, SCALED)


def test_labels_are_coded_in_their_order(tmp_path):
    (tmp_path / "x.csv").write_text("a,label\n1,4\n2,2\n3,9\n")
    assert load(tmp_path, "x").y.tolist() == [1, 0, 2]


@pytest.mark.parametrize(("ending", "pack"), [(".data", bytes), (".data.gz", gzip.compress)])
def test_a_file_of_uci_has_no_header_and_the_class_last(tmp_path, ending, pack):
    # Two rows of covertype have this form: whole numbers, and a cover type from 1 to 7.
    (tmp_path / f"covtype{ending}").write_bytes(pack(b"2596,51,3,0,1,5\n2804,139,9,1,0,2\n"))
    table = load(tmp_path, "covtype")
    np.testing.assert_array_equal(table.X, [[2596, 51, 3, 0, 1], [2804, 139, 9, 1, 0]])
    assert table.y.tolist() == [1, 0]


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "1,2\n3,\n", "1\n2\n"])
def test_a_file_of_uci_with_other_than_numbers_is_refused(tmp_path, text):
    (tmp_path / "covtype.data").write_text(text)
    with pytest.raises(ValueError, match="Add the original file"):
        load(tmp_path, "covtype")


def test_what_is_missing_is_named(tmp_path):
    assert find(tmp_path, "heart") is None
    with pytest.raises(FileNotFoundError, match=r"'heart' is not in .*none of heart\.csv"):
        load(tmp_path, "heart")


def test_a_table_without_labels_is_refused(tmp_path):
    (tmp_path / "heart.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match='no column "label"'):
        load(tmp_path, "heart")


def test_standardized_features_have_unit_variance_and_constant_ones_go():
    X = np.column_stack([RAW, np.ones(3)])
    result = standardized(X)
    assert result.shape == (3, 2)
    np.testing.assert_allclose(result.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(result.std(axis=0), 1)


@pytest.mark.skipif(not DEFAULT_DATA.is_dir(), reason="The data are not in ../shared/data.")
@pytest.mark.parametrize("name", DATA_SETS)
def test_the_ten_data_sets_have_the_size_that_the_paper_says(name):
    for raw in (False, True):
        table = load(DEFAULT_DATA, name, raw=raw)
        paper = TABLE_1[name]
        assert table.X.shape == (paper["N"], paper["d"])
        assert np.bincount(table.y).tolist() == [paper["|X-|"], paper["|X+|"]]

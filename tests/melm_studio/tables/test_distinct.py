"""What is known of all columns at once is what pandas says of each."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from melm_studio.tables import distinct, prepare, read_table
from melm_studio.tables.distinct import Numbers, blocks, clustering, fewest_values, value_codes


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 6, (40, 8)).astype(float), columns=list("abcdefgh"))
    frame["b"] += 0.5
    frame.loc[:5, "c"] = np.nan
    frame["d"] = np.nan
    frame["e"] = np.arange(40.0)
    frame.loc[3, "e"] = np.nan
    frame["f"] = 0.0
    frame.insert(2, "text", pd.Series(list("uvwx") * 10, dtype="str"))
    return frame


@pytest.mark.parametrize("most", [1, 100])
def test_blocks_hold_every_column_once(monkeypatch, most):
    monkeypatch.setattr(distinct, "MOST_AT_ONCE", most)
    columns = np.arange(17)
    assert np.concatenate([columns[one] for one in blocks(12, 17)]).tolist() == columns.tolist()


def test_numbers_are_counted_as_pandas_counts_them(frame):
    found = Numbers.of(frame)
    assert list(found.names) == [name for name in frame if name != "text"]
    for at, name in enumerate(found.names):
        present = frame[name].dropna()
        counts = present.value_counts()
        assert found.n_values[at] == len(counts)
        assert found.n_repeated[at] == (counts > 1).sum()
        assert found.n_missing[at] == frame[name].isna().sum()
        assert found.is_whole[at] == (present % 1 == 0).all()
        np.testing.assert_equal([found.low[at], found.high[at]], [present.min(), present.max()])


def test_only_numbers_that_go_up_by_one_are_counting(frame):
    frame["g"] = np.arange(40.0)[::-1]
    frame["h"] = np.arange(40.0) + 7
    found = Numbers.of(frame)
    counting = [name for name, is_so in zip(found.names, found.is_counting, strict=True) if is_so]
    assert "h" in counting
    assert not {"a", "b", "c", "e", "f", "g"} & set(counting)  # e lacks a number in the middle


def test_codes_are_equal_where_cells_are(frame):
    names = ["text", "c", "a", "d"]
    for codes, name in zip(value_codes(frame, names), names, strict=True):
        expected = pd.factorize(frame[name])[0]
        assert (codes[:, None] == codes).tolist() == (expected[:, None] == expected).tolist()
        assert ((codes == -1) == (expected == -1)).all()


def test_values_are_counted_in_each_class(frame):
    y = np.random.default_rng(1).integers(0, 3, len(frame))
    names = list(frame)
    for fewest, name in zip(fewest_values(value_codes(frame, names), y), names, strict=True):
        assert fewest == min(frame[name][y == one].nunique() for one in range(3))


def test_values_of_one_class_each_are_clustered_and_others_as_much_as_their_shares_say(frame):
    y = np.repeat([0, 1], 20)
    frame["a"] = np.repeat(np.arange(10.0), 4)
    codes = value_codes(frame, ["a", "d", "text"])
    pure, nothing, mixed = clustering(codes, y)
    assert (pure, nothing) == (1.0, 0.0)
    most = pd.crosstab(frame["text"], y).max(axis=1).sum() / 40
    assert mixed == pytest.approx((most - 0.5) / 0.5)


def calls_of_preparing(n_columns):
    rng = np.random.default_rng(0)
    counts = pd.DataFrame(rng.poisson(1.5, (12, n_columns))).add_prefix("otu")
    counts.insert(0, "soil", ["clay", "sand"] * 6)
    raw = counts.to_csv(sep="\t", index=False).encode()
    found = []
    sys.setprofile(lambda frame, event, arg: found.append(event in ("call", "c_call")))
    try:
        prepare(read_table(raw, "counts.tsv"))
    finally:
        sys.setprofile(None)
    return sum(found)


def test_a_column_of_counts_costs_a_few_calls_however_many_there_are():
    calls_of_preparing(50)  # imports
    few, many = calls_of_preparing(600), calls_of_preparing(1_200)
    assert (many - few) / 600 < 250

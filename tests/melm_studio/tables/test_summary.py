"""The figures of Table 1, of any table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from melm_studio.tables.preparation import prepare
from melm_studio.tables.read import Table
from melm_studio.tables.samples import load_sample
from melm_studio.tables.summary import MAX_WORK, most_rows, n_directions, summarize
from tests.melm_core.helpers import labeled_data

DECAYING = (10.0, 5.0, 1.0, 1e-6)


def test_a_sample_is_measured_as_its_table_stands():
    found = summarize(prepare(load_sample("wine")))
    assert (found.n_samples, found.n_features) == (178, 13)
    assert found.class_sizes == (48, 59, 71)
    assert found.density == 1.0
    assert found.n_directions == 10
    assert found.class_directions == (9, 10, 10)
    assert found.n_rows_used == 178


@pytest.mark.parametrize("standardize", [True, False])
def test_zeros_are_counted_in_the_table_however_it_was_scaled(standardize):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(50, 4)) * (rng.uniform(size=(50, 4)) < 0.3)
    frame = pd.DataFrame(features, columns=list("abcd")).assign(label=["x", "y"] * 25)
    found = summarize(prepare(Table("t", frame, ()), standardize=standardize))
    assert found.density == np.mean(features != 0)


@pytest.mark.parametrize(("share", "expected"), [(0.5, 1), (0.95, 2), (0.999, 3)])
def test_directions_are_counted_until_the_share_is_kept(share, expected):
    X = np.random.default_rng(0).normal(size=(5000, 4)) * DECAYING
    assert n_directions(X, share) == expected


def test_more_features_than_rows_give_the_same_count():
    X = np.random.default_rng(0).normal(size=(60, 4)) * DECAYING
    wide = np.hstack([X, np.zeros((60, 100))])
    assert n_directions(wide, 0.95) == n_directions(X, 0.95)


def test_rows_that_are_all_the_same_have_no_directions():
    assert n_directions(np.ones((5, 3)), 0.95) == 0


@given(st.integers(2, 30), st.integers(1, 30), st.floats(0.05, 0.99))
def test_the_count_is_that_of_the_singular_values(n_samples, n_features, share):
    X = np.random.default_rng(n_samples).normal(size=(n_samples, n_features))
    squares = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    kept = np.cumsum(squares) / squares.sum()
    count = n_directions(X, share)
    assert kept[count - 1] >= share - 1e-9
    assert count == 1 or kept[count - 2] < share + 1e-9


def test_a_sample_of_every_class_stands_for_a_table_that_is_too_large():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [3000, 1000])
    data = labeled_data(rng.normal(size=(4000, 4)) * DECAYING, y)
    whole = summarize(data)
    sampled = summarize(data, max_work=4**2 * 400)
    assert (whole.n_rows_used, sampled.n_rows_used) == (4000, 400)
    assert sampled.n_directions == whole.n_directions == 2
    assert sampled.class_sizes == (3000, 1000)


@pytest.mark.parametrize("n_features", [1, 3, 100, 1000, 10_000])
def test_the_work_stays_within_its_bound(n_features):
    n_rows = most_rows(n_features, MAX_WORK)
    assert n_rows * n_features * min(n_rows, n_features) <= 1.001 * MAX_WORK
    assert n_rows >= 400

"""An even share of every class."""

from __future__ import annotations

import numpy as np

from melm_core.base.sampling import stratified_sample


def test_the_whole_share_is_every_row():
    np.testing.assert_array_equal(stratified_sample(np.array([1, 0, 1]), 1.0, 2), [0, 1, 2])


def test_a_sample_of_no_rows_is_empty():
    assert stratified_sample(np.empty(0, dtype=np.int64), 0.1, 2).shape == (0,)


def test_a_sample_takes_the_same_share_of_every_class_and_the_same_rows_each_time():
    y = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [8000, 1500, 500]))
    rows = stratified_sample(y, 0.1, 3)
    assert np.bincount(y[rows]).tolist() == [800, 150, 50]
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(stratified_sample(y, 0.1, 3), rows)


def test_a_sample_leaves_no_class_out():
    y = np.repeat([0, 1, 2], [9996, 3, 1])
    assert np.bincount(y[stratified_sample(y, 0.01, 3)]).tolist() == [100, 2, 1]

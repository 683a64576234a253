from __future__ import annotations

import numpy as np
import pytest

from melm_core.evaluation import duplicate_rows


@pytest.fixture
def distinct():
    rng = np.random.default_rng(0)
    return rng.normal(size=(200, 6)) * 10.0 ** np.arange(-3, 3), np.arange(200) % 4


@pytest.mark.parametrize("noise", [0.0, 1e-11])
def test_copies_and_near_copies_are_grouped_with_their_originals(distinct, noise):
    X, y = distinct
    copies = X[:50] * (1 + noise)
    found = duplicate_rows(np.vstack([X, copies]), np.concatenate([y, y[:50]]))
    np.testing.assert_array_equal(found.groups[200:], found.groups[:50])
    assert (found.n_repeats, found.n_classes) == (50, 4)


def test_distinct_rows_are_groups_of_their_own(distinct):
    found = duplicate_rows(*distinct)
    assert len(set(found.groups.tolist())) == 200
    assert (found.n_repeats, found.n_classes) == (0, 0)


def test_equal_rows_of_different_classes_are_no_duplicates():
    found = duplicate_rows([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]], ["a", "b", "a"])
    assert found.n_repeats == 0


def test_a_sign_of_zero_makes_no_difference():
    assert duplicate_rows([[0.0, 1.0], [-0.0, 1.0], [0.0, 1.0]], [0, 0, 0]).n_repeats == 2

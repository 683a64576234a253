from __future__ import annotations

import numpy as np
import pytest

from melm_core.linalg.class_moments import ClassSecondMoments, centered_rows
from tests.melm_core.helpers import classes

X, CODES = classes(3, 4)
Y = np.array(["ant", "bee", "wasp"])[CODES]


def assert_same(one, other):
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_array_equal(one.counts_, other.counts_)
    np.testing.assert_allclose(one.means_, other.means_, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(one.moments_, other.moments_, rtol=1e-12, atol=1e-14)


def test_each_class_has_the_mean_outer_product_of_its_rows():
    moments = ClassSecondMoments().fit(X, Y)
    assert moments.classes_.tolist() == ["ant", "bee", "wasp"]
    for code, label in enumerate(moments.classes_):
        rows = X[label == Y]
        assert moments.counts_[code] == len(rows)
        np.testing.assert_allclose(moments.means_[code], rows.mean(axis=0))
        expected = np.mean([np.outer(row, row) for row in rows], axis=0)
        np.testing.assert_allclose(moments.moments_[code], expected)


@pytest.mark.parametrize("n_blocks", [2, 7, len(X)])
def test_blocks_of_rows_add_up_to_the_whole_in_any_order(n_blocks):
    order = np.random.default_rng(0).permutation(len(X))
    moments = ClassSecondMoments()
    for block in np.array_split(order, n_blocks):
        moments.partial_fit(X[block], Y[block])
    assert_same(moments, ClassSecondMoments().fit(X, Y))


def test_a_class_may_appear_late_and_between_those_known():
    moments = ClassSecondMoments()
    for label in ("wasp", "ant", "bee"):
        moments.partial_fit(X[label == Y], Y[label == Y])
    assert_same(moments, ClassSecondMoments().fit(X, Y))


def test_fit_forgets_what_was_summed_before():
    moments = ClassSecondMoments().partial_fit(X[:5], Y[:5]).fit(X, Y)
    assert_same(moments, ClassSecondMoments().fit(X, Y))


def test_blocks_of_another_width_are_refused():
    with pytest.raises(ValueError, match="3 features"):
        ClassSecondMoments().partial_fit(X, Y).partial_fit(X[:, :3], Y)


def test_values_whose_squares_overflow_are_refused_by_size():
    with pytest.raises(ValueError, match=r"1e\+200, is too large to be squared"):
        ClassSecondMoments().fit(np.full((4, 2), 1e200), [0, 0, 1, 1])


def test_a_constant_feature_is_exactly_zero_about_its_mean():
    constant = np.full((21, 1), 1 / 3)
    centered = centered_rows(np.hstack([X[:21], constant]))
    np.testing.assert_array_equal(centered[:, 4], 0.0)
    np.testing.assert_allclose(centered[:, :4], X[:21] - X[:21].mean(axis=0), atol=1e-14)

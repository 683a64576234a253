from __future__ import annotations

import numpy as np
import pytest

from melm_core.linalg import class_moments
from melm_core.linalg.class_moments import (
    ClassSecondMoments,
    centered_rows,
    class_covariances,
    class_means,
    covariance_of,
    row_parts,
    rows_by_class,
)
from tests.melm_core.helpers import classes


def test_every_row_is_in_its_class_in_its_order():
    X, y = classes(3, 2)
    for code, rows in enumerate(rows_by_class(X, y)):
        np.testing.assert_array_equal(rows, X[y == code])


def test_means_and_covariances_are_those_of_each_class():
    X, y = classes(3, 4)
    covariances = class_covariances(rows_by_class(X, y))
    for code, (mean, covariance) in enumerate(zip(class_means(X, y), covariances, strict=True)):
        offsets = X[y == code] - mean
        np.testing.assert_allclose(offsets.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(covariance, offsets.T @ offsets / len(offsets), atol=1e-12)


def test_a_feature_that_is_constant_within_a_class_has_no_variance_there():
    tenths = np.full((7, 1), 0.1)  # their mean is not 0.1 to the last digit
    assert (class_covariances([tenths]) == 0).all()


def test_the_covariance_of_one_feature_is_a_matrix():
    assert covariance_of(np.array([[1.0], [3.0]])).tolist() == [[1.0]]


@pytest.fixture
def few_at_once(monkeypatch):
    """Have the moments of more than a few rows added up part by part."""
    monkeypatch.setattr(class_moments, "_MAX_ENTRIES", 20)


@pytest.mark.parametrize("has_weights", [False, True])
def test_the_covariance_of_many_rows_is_that_of_all_at_once(monkeypatch, has_weights):
    X, _ = classes(3, 4)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(X)) if has_weights else None
    at_once = covariance_of(X, weights)
    monkeypatch.setattr(class_moments, "_MAX_ENTRIES", 20)
    np.testing.assert_allclose(covariance_of(X, weights), at_once, rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("few_at_once")
def test_a_constant_feature_has_no_variance_in_many_rows():
    tenths = np.full((70, 1), 0.1)
    assert (class_covariances([tenths]) == 0).all()


@pytest.mark.usefixtures("few_at_once")
def test_every_row_is_in_one_part():
    rows = np.arange(70.0)[:, None] * np.ones(3)
    parts = [rows[part] for part in row_parts(rows)]
    assert max(part.size for part in parts) <= 20
    np.testing.assert_array_equal(np.concatenate(parts), rows)


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

from __future__ import annotations

import numpy as np
import pytest
from sklearn.covariance import LedoitWolf

from melm_core.density.covariances import (
    LEAST_VARIANCE_OF_MEANS,
    ledoit_wolf_share,
    regularized_covariances,
    variance_of_means,
    whitening,
)
from tests.melm_core.helpers import classes


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("shape", [(60, 5), (12, 40), (30, 30)])
def test_the_share_is_that_of_scikit_learn(shape):
    rows = np.random.default_rng(0).standard_normal(shape) * np.arange(1, shape[1] + 1)
    share = ledoit_wolf_share(rows - rows.mean(axis=0), shape[1])
    assert share == pytest.approx(LedoitWolf().fit(rows).shrinkage_, rel=1e-9)


def test_the_share_does_not_change_in_coordinates_of_the_row_space():
    rows = np.random.default_rng(0).standard_normal((12, 40)) * np.arange(1, 41)
    offsets = rows - rows.mean(axis=0)
    left, lengths, _ = np.linalg.svd(offsets, full_matrices=False)
    assert ledoit_wolf_share(left * lengths, 40) == pytest.approx(ledoit_wolf_share(offsets, 40))


def test_class_covariances_are_those_of_ledoit_and_wolf_in_standard_units():
    X, y = classes(3, 6)
    rows = [standardized(X)[y == code] for code in range(3)]
    shapes = regularized_covariances(rows, "ledoit-wolf")
    expected = [LedoitWolf().fit(block).covariance_ for block in rows]
    np.testing.assert_allclose(shapes, expected, atol=1e-12)


def test_units_of_the_features_make_no_difference():
    X, y = classes(2, 4)
    units = np.array([1e-3, 1.0, 7.0, 1e4])
    one, other = (
        regularized_covariances([rows[y == code] for code in (0, 1)], "ledoit-wolf")
        for rows in (X, X * units)
    )
    np.testing.assert_allclose(other, one * np.outer(units, units), rtol=1e-9)


def test_means_add_variance_only_where_the_classes_have_none():
    pooled, between = np.diag([1.0, 2.0, 0.0, 0.0]), np.diag([3.0, 0.0, 4.0, 0.0])
    lift = variance_of_means(pooled, between)
    np.testing.assert_allclose(lift, np.diag([0, 0, 4 * LEAST_VARIANCE_OF_MEANS, 0]), atol=1e-15)
    assert not variance_of_means(np.eye(3), np.eye(3)).any()


def test_a_variance_that_rounding_leaves_below_zero_is_a_null_direction():
    assert whitening(np.diag([4.0, -1e-23])).shape == (2, 1)

from __future__ import annotations

import numpy as np

from melm_core.linalg.class_moments import (
    class_covariances,
    class_means,
    covariance_of,
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

from __future__ import annotations

import numpy as np
import pytest

from melm_core.linalg import class_moments
from melm_core.linalg.class_moments import (
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

"""The randomized solver finds what the exact one does, without moments."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from melm_core import generalized_eigenvectors
from melm_core.gem import GEM, estimator
from melm_core.gem import eigenvectors as exact


@pytest.fixture
def table():
    """Fewer rows than features in each of three classes, along a few strong directions."""
    stream = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    scales = np.geomspace(5.0, 0.1, 50)
    X = np.vstack([stream.normal(size=(30, 50)) * np.roll(scales, 7 * k) + 0.5 for k in range(3)])
    return X, y


@pytest.fixture
def randomized(monkeypatch):
    """Take fifty features for too many."""

    def set_wide():
        monkeypatch.setattr(exact, "WIDE_FEATURES", 20)
        monkeypatch.setattr(estimator, "WIDE_FEATURES", 20)

    return set_wide


@pytest.mark.parametrize("gamma", [0.01, 0.5])
def test_the_leading_eigenvectors_are_those_of_the_moments(table, randomized, gamma):
    X, y = table
    values, vectors = generalized_eigenvectors(X, y, (1, 2), gamma=gamma, n_directions=4)
    randomized()
    found, directions = generalized_eigenvectors(X, y, (1, 2), gamma=gamma, n_directions=4)
    np.testing.assert_allclose(found, values, rtol=1e-8)
    np.testing.assert_allclose(directions, vectors, atol=1e-6 * np.abs(vectors).max())


@pytest.mark.parametrize("denominator", ["second_moment", "covariance"])
@pytest.mark.parametrize("weights", [None, np.tile([1.0, 2.0, 0.0], 30)])
def test_gem_has_the_directions_of_the_moments(table, randomized, denominator, weights):
    X, y = table
    gem = GEM(gamma=0.1, n_directions=3, denominator=denominator)
    expected = gem.fit(X, y, sample_weight=weights).transform(X)
    pairs, offsets = gem.pairs_, gem.offsets_
    randomized()
    found = gem.fit(X, y, sample_weight=weights).transform(X)
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())
    np.testing.assert_array_equal(gem.pairs_, pairs)
    np.testing.assert_allclose(gem.offsets_, offsets, atol=1e-8)


def test_a_fit_of_wide_rows_takes_no_more_memory_than_some_copies_of_them():
    stream = np.random.default_rng(0)
    X = stream.normal(size=(60, 12_000))
    tracemalloc.start()
    try:
        GEM(n_directions=2).fit(X, np.repeat([0, 1], 30))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 12 * X.nbytes  # a second moment alone would be 200 times as large


def test_without_regularization_it_is_refused(table, randomized):
    randomized()
    with pytest.raises(ValueError, match=r"gamma=0 must be above 0 .* Choose one such as 0\.05"):
        GEM(gamma=0).fit(*table)


def test_a_class_of_zeros_is_refused(table, randomized):
    X, y = table
    randomized()
    with pytest.raises(ValueError, match="All rows of class 2 are zero"):
        GEM().fit(np.where(y[:, None] == 2, 0.0, X), y)

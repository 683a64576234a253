"""The bank of shapes draws what it says: units, shares, noise, and a population that stays."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kurtosis

from lab.experiments.honesty.shapes import (
    COLUMNS_PER_FEATURE,
    CORRELATION,
    GROUP_VARIANCE,
    MOST_ROWS_OF_A_GROUP,
    SHAPES,
)

LARGE = 20_000
SHARES = {"90:10": [0.9, 0.1], "five classes": [0.2] * 5}
WIDE = ("wide", "alike features")
every_shape = pytest.mark.parametrize("name", SHAPES)


def large(name, separation=0.0, seed=0, **population):
    n_rows = LARGE // 4 if name in WIDE else LARGE
    return SHAPES[name].draw(n_rows, 5, separation, seed, **population)


def class_means(drawn):
    return np.stack([drawn.X[drawn.y == code].mean(axis=0) for code in np.unique(drawn.y)])


@every_shape
def test_features_have_a_deviation_of_1_within_classes(name):
    drawn = large(name, separation=3.0)
    within = drawn.X - class_means(drawn)[drawn.y]
    assert drawn.X.shape[1] == (5 * COLUMNS_PER_FEATURE if name in WIDE else 5)
    np.testing.assert_allclose(within.std(axis=0), 1.0, atol=0.1)


@every_shape
def test_classes_have_their_shares(name):
    shares = np.bincount(large(name).y) / len(large(name).y)
    np.testing.assert_allclose(shares, SHARES.get(name, [0.5, 0.5]), atol=0.02)


@every_shape
def test_noise_has_no_difference_and_classes_are_as_far_apart_as_asked(name):
    noise, apart = class_means(large(name)), class_means(large(name, separation=3.0))
    error = 0.15 if name == "unequal groups" else 0.1  # of 3,000 patients
    np.testing.assert_allclose(noise - noise[0], 0.0, atol=error)
    distances = np.linalg.norm(apart - apart[0], axis=1)[1:]
    if name == "alike features":  # of a basis, over all channels
        assert (distances > 3.0).all()
    else:
        np.testing.assert_allclose(distances, 3.0, atol=0.3)


@every_shape
def test_the_population_stays_when_other_rows_are_drawn(name):
    first, again, others = (large(name, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.X, again.X)
    assert not np.array_equal(first.X, others.X)
    columns = slice(0, 100, 7)
    correlations = [np.corrcoef(each.X[:, columns].T) for each in (first, others)]
    np.testing.assert_allclose(*correlations, atol=0.1)


@pytest.mark.parametrize("name", ["two factors", "alike features"])
def test_another_population_has_other_loadings(name):
    correlations = [np.corrcoef(large(name, population=own).X.T) for own in (0, 1)]
    assert np.abs(correlations[0] - correlations[1]).max() > 0.3


def test_tails_correlations_and_ties_are_those_of_the_name():
    assert kurtosis(large("t3").X, axis=None) > 5.0
    assert np.mean(large("lognormal").X > 0.0) < 0.4
    between = np.corrcoef(large("correlated").X.T)[np.triu_indices(5, 1)]
    np.testing.assert_allclose(between, CORRELATION, atol=0.03)
    assert len(np.unique(large("ties").X)) < 15
    wide, alike = (SHAPES[name].draw(60, 5, 0.0, 0).X for name in WIDE)
    assert wide.shape[1] > len(wide)
    leading = np.linalg.svd(alike - alike.mean(axis=0), compute_uv=False)
    assert np.square(leading[:6]).sum() > 0.95 * np.square(leading).sum()


def test_patients_have_1_to_12_rows_of_one_class_and_a_part_in_common():
    X, y, groups = large("unequal groups")
    sizes = np.bincount(groups)
    assert set(sizes[sizes > 0]) == set(range(1, MOST_ROWS_OF_A_GROUP + 1))
    order = np.argsort(groups, kind="stable")
    same = np.flatnonzero(np.diff(groups[order]) == 0)
    np.testing.assert_array_equal(y[order][same], y[order][same + 1])
    shared = np.corrcoef(X[order][same, 0], X[order][same + 1, 0])[0, 1]
    assert abs(shared - GROUP_VARIANCE) < 0.05
    assert all(SHAPES[name].draw(20, 2, 0.0, 0).groups is None for name in ("normal", "wide"))

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from melm_core.datasets.generators import five_gaussians, five_mixtures, two_gaussians, two_mixtures

GENERATORS = [five_gaussians, five_mixtures, two_gaussians, two_mixtures]
MANY = 40


def many(generator):
    draws = [generator(seed) for seed in range(MANY)]
    return np.vstack([X for X, _ in draws]), np.concatenate([y for _, y in draws])


@pytest.mark.parametrize("generator", GENERATORS)
def test_the_seed_decides_everything(generator):
    one, again, other = generator(3), generator(3), generator(4)
    np.testing.assert_array_equal(one[0], again[0])
    np.testing.assert_array_equal(one[1], again[1])
    assert one[0].shape != other[0].shape or not np.allclose(one[0], other[0])


@pytest.mark.parametrize(("generator", "n_features"), [(five_gaussians, 20), (five_mixtures, 10)])
def test_the_five_classes_have_200_to_400_rows_each(generator, n_features):
    sizes = [np.bincount(generator(seed)[1]) for seed in range(20)]
    assert {len(row) for row in sizes} == {5}
    assert 200 <= np.min(sizes) < 230
    assert 370 < np.max(sizes) <= 400
    assert generator(0)[0].shape[1] == n_features


@pytest.mark.parametrize(
    ("generator", "sizes"), [(two_gaussians, [200, 100]), (two_mixtures, [300, 200])]
)
def test_the_two_classes_have_the_sizes_of_the_paper(generator, sizes):
    X, y = generator(0)
    assert X.shape == (sum(sizes), 10)
    assert np.bincount(y).tolist() == sizes


def test_the_means_of_the_five_gaussians_lie_on_the_sphere_of_radius_three():
    lengths = []
    for seed in range(10):
        X, y = five_gaussians(seed)
        lengths += [np.linalg.norm(X[y == code].mean(axis=0)) for code in range(5)]
    np.testing.assert_allclose(lengths, 3.0, atol=0.35)


def test_the_spread_of_the_five_gaussians_grows_from_class_to_class():
    X, y = five_gaussians(0)
    widest = [np.linalg.eigvalsh(np.cov(X[y == code].T))[-1] for code in range(5)]
    mean = [np.trace(np.cov(X[y == code].T)) / 20 for code in range(5)]
    np.testing.assert_allclose(mean, [0.5, 1.0, 1.5, 2.0, 2.5], rtol=0.35)
    assert widest == sorted(widest)


def test_the_two_gaussians_differ_in_two_directions_by_the_covariances_of_the_paper():
    X, y = two_gaussians(0)
    for code, expected in ((0, [0.3, 2.0]), (1, [0.3, 4.0])):
        variances = np.linalg.eigvalsh(np.cov(X[y == code].T))
        np.testing.assert_allclose(variances[[0, -1]], expected, rtol=0.35)
        np.testing.assert_allclose(X[y == code].mean(axis=0), 0, atol=0.6)


def test_the_axes_of_the_two_gaussians_are_turned():
    X, y = two_gaussians(0)
    correlations = np.corrcoef(X[y == 1].T) - np.eye(10)
    assert np.abs(correlations).max() > 0.3


def test_the_two_mixtures_have_the_means_and_variances_of_the_paper():
    X, y = many(two_mixtures)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(X[:, 2:].std(axis=0), 1, atol=0.02)
    # Equal shares: variance within plus the variance of the centers.
    np.testing.assert_allclose(X[y == 0, :2].var(axis=0), 0.1 + 8 / 3, rtol=0.03)
    np.testing.assert_allclose(X[y == 1, :2].var(axis=0), [0.5 + 1, 0.5 + 4], rtol=0.03)


def bayes_accuracy(X, y, densities):
    joint = np.column_stack(
        [np.log(np.mean(y == code)) + log for code, log in enumerate(densities)]
    )
    return np.mean(joint.argmax(axis=1) == y)


def test_the_best_possible_accuracy_on_the_two_mixtures_is_that_of_the_specification():
    X, y = many(two_mixtures)
    logs = []
    for variance, centers in ((0.1, [[-2, -2], [0, 0], [2, 2]]), (0.5, [[-1, -2], [1, 2]])):
        parts = [multivariate_normal(c, variance * np.eye(2)).pdf(X[:, :2]) for c in centers]
        logs.append(np.log(np.mean(parts, axis=0)))
    assert bayes_accuracy(X, y, logs) == pytest.approx(0.898, abs=0.015)


def test_the_shares_of_the_five_mixtures_leave_each_gaussian_a_third():
    X, y = five_mixtures(0)
    # A class of two Gaussians three away from the origin is far wider than either of them.
    widest = [np.linalg.eigvalsh(np.cov(X[y == code].T))[-1] for code in range(5)]
    assert min(widest) > 1.0

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from melm_core.density import class_densities, kernel_density
from melm_core.density.class_densities import ClassDensities, density_on_grid
from melm_core.density.covariances import (
    SMALLEST_RELATIVE_VARIANCE,
    automatic_shrinkage,
    bandwidth_factor,
    shrink,
    shrinkage_shares,
    whitening,
    within_class_whitening,
)
from melm_core.density.engines import direct_sums
from melm_core.density.kernel_density import kernel_classes, whitened_kernel_classes
from melm_core.linalg.class_moments import pooled_covariance
from tests.melm_core.helpers import classes, invertible, plane

ROWS = np.random.default_rng(0).normal(size=(700, 2)) @ np.array([[1.0, 0.5], [0.0, 0.8]])
KERNEL = bandwidth_factor(700, 2, 1.0) ** 2 * np.cov(ROWS.T, ddof=0)


@pytest.fixture(params=[0, 10**9], ids=["fourier", "direct"])
def engine(request, monkeypatch):
    """Have all densities summed by one engine."""
    monkeypatch.setattr(class_densities, "DIRECT_EVALUATIONS", request.param)


def variances_of(covariance):
    return np.linalg.eigvalsh(covariance)


def test_the_bandwidth_on_a_line_is_silvermans_rule():
    assert bandwidth_factor(100, 1, 1.0) == pytest.approx((4 / 300) ** 0.2)
    assert bandwidth_factor(100, 2, 0.5) == pytest.approx(0.5 * 100 ** (-1 / 6))


def test_every_class_gets_its_own_covariance_times_its_squared_bandwidth():
    X, y = classes(3, 4)
    kernels = kernel_classes(X, y, n_components=2, gamma=0.7, shrinkage=0.0)
    for code, (rows, covariance) in enumerate(zip(kernels.rows, kernels.covariances, strict=True)):
        np.testing.assert_array_equal(rows, X[y == code])
        expected = bandwidth_factor(len(rows), 2, 0.7) ** 2 * np.cov(rows.T, ddof=0)
        np.testing.assert_allclose(covariance, expected, rtol=1e-12)


def test_projecting_the_kernels_is_the_kernel_of_the_projected_rows():
    X, y = classes(2, 4)
    components = plane(2, 4)
    settings = {"n_components": 2, "shrinkage": 0.3}
    projected = kernel_classes(X, y, **settings).project(components)
    direct_kernels = kernel_classes(X @ components.T, y, **settings)
    np.testing.assert_allclose(projected.covariances, direct_kernels.covariances, atol=1e-12)


def test_the_pooled_covariance_is_the_covariance_of_rows_about_their_class_means():
    X, y = classes(3, 4)
    covariances = [np.cov(X[y == code].T, ddof=0) for code in range(3)]
    centered = X - np.stack([X[y == code].mean(axis=0) for code in range(3)])[y]
    np.testing.assert_allclose(
        pooled_covariance(np.stack(covariances), np.bincount(y).tolist()),
        np.cov(centered.T, ddof=0),
        atol=1e-12,
    )


def test_whitening_makes_the_covariance_the_identity():
    covariance = invertible(5) @ invertible(5).T
    W = whitening(covariance)
    np.testing.assert_allclose(W.T @ covariance @ W, np.eye(5), atol=1e-12)


def test_whitening_does_not_mistake_small_units_for_null_directions():
    units = np.array([1e-6, 1.0, 1e6])
    covariance = np.corrcoef(np.random.default_rng(0).normal(size=(3, 50))) * np.outer(units, units)
    W = whitening(covariance)
    assert W.shape == (3, 3)
    np.testing.assert_allclose(W.T @ covariance @ W, np.eye(3), atol=1e-9)


def test_whitening_drops_the_directions_without_variance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.ones(40)])
    covariance = np.cov(X.T, ddof=0)
    W = whitening(covariance)
    assert W.shape == (5, 3)
    np.testing.assert_allclose(W.T @ covariance @ W, np.eye(3), atol=1e-10)


def test_whitening_of_nothing_keeps_no_direction():
    assert whitening(np.zeros((3, 3))).shape == (3, 0)


def test_rows_whitened_within_the_classes_have_unit_pooled_covariance():
    X, y = classes(3, 4)
    white = X @ within_class_whitening(X, y)
    covariances = np.stack([np.cov(white[y == code].T, ddof=0) for code in range(3)])
    pooled = pooled_covariance(covariances, np.bincount(y).tolist())
    np.testing.assert_allclose(pooled, np.eye(4), atol=1e-12)


def test_well_conditioned_classes_are_not_shrunk():
    covariance = np.diag([SMALLEST_RELATIVE_VARIANCE, 1.0, 3.0])
    assert automatic_shrinkage(covariance[None], np.eye(3)).tolist() == [0.0]
    assert automatic_shrinkage(np.diag([0.5, 1.0])[None], np.eye(2)).tolist() == [0.0]


@pytest.mark.parametrize("smallest", [0.0, 1e-8, 0.005])
def test_automatic_shrinkage_lifts_the_smallest_relative_variance_to_the_constant(smallest):
    M = invertible(3)
    pooled, covariance = M.T @ M, M.T @ np.diag([smallest, 0.8, 2.0]) @ M
    shares = shrinkage_shares(covariance[None], pooled, "auto")
    (mixed,) = shrink(covariance[None], pooled, shares)
    W = whitening(pooled)
    assert variances_of(W.T @ mixed @ W)[0] == pytest.approx(SMALLEST_RELATIVE_VARIANCE, rel=1e-8)


def test_automatic_shrinkage_leaves_the_other_classes_alone():
    pooled = np.eye(2)
    covariances = np.stack([np.diag([0.0, 1.0]), np.diag([0.5, 2.0])])
    flat, round_ = shrink(covariances, pooled, shrinkage_shares(covariances, pooled, "auto"))
    np.testing.assert_array_equal(round_, np.diag([0.5, 2.0]))
    assert flat[0, 0] > 0


def test_full_shrinkage_gives_every_class_the_pooled_covariance():
    X, y = classes(2, 3)
    covariances = np.stack([np.cov(X[y == code].T, ddof=0) for code in (0, 1)])
    pooled = np.eye(3)
    np.testing.assert_allclose(shrink(covariances, pooled, np.ones(2)), np.stack([pooled, pooled]))
    np.testing.assert_array_equal(shrink(covariances, pooled, np.zeros(2)), covariances)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("gamma", [1.0, 5.0])
def test_log_densities_by_fourier_agree_with_the_direct_sum_into_the_tails(k, gamma, monkeypatch):
    X, y = classes(2, k)
    kernels = kernel_classes(X, y, n_components=k, gamma=gamma)
    points = np.vstack([X, X + 3.0, 4.0 * X])
    exact = kernels.log_densities(points)
    monkeypatch.setattr(class_densities, "DIRECT_EVALUATIONS", 0)
    np.testing.assert_allclose(kernels.log_densities(points), exact, rtol=0, atol=1e-6)
    assert exact.min() < exact.max() - 20


@pytest.mark.parametrize("distance", [12.0, 1e3, 1e30])
def test_log_densities_of_points_all_far_away_agree_with_the_direct_sum(distance, monkeypatch):
    monkeypatch.setattr(class_densities, "DIRECT_EVALUATIONS", 0)
    points = 0.5 * ROWS + distance
    logs = ClassDensities((ROWS,), KERNEL[None]).log_densities(points)[:, 0]
    np.testing.assert_allclose(logs, direct_sums.log_density(points, ROWS, KERNEL), rtol=1e-9)


@pytest.mark.parametrize("distance", [1.0, pytest.param(30.0, marks=pytest.mark.slow), 3_000.0])
def test_the_most_likely_class_is_that_of_the_largest_density(distance, monkeypatch):
    monkeypatch.setattr(class_densities, "DIRECT_EVALUATIONS", 0)
    X, y = classes(n_classes=3, n_features=2)
    known = kernel_density.kernel_classes(X, y, n_components=2, gamma=0.3)
    points = distance * np.random.default_rng(5).normal(size=(300, 2))
    expected = known.log_densities(points).argmax(axis=1)
    found = known.most_likely(points)
    np.testing.assert_array_equal(found, expected)


def test_the_density_on_a_grid_is_the_density_at_its_points(engine):
    x, y = np.linspace(-3, 3, 11), np.linspace(-2, 4, 7)
    values = density_on_grid(x, y, ROWS, KERNEL)
    assert values.shape == (7, 11)
    expected = [
        [np.exp(direct_sums.log_density(np.array([[u, v]]), ROWS, KERNEL)[0]) for u in x] for v in y
    ]
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-8 * values.max())


def test_the_density_on_a_grid_integrates_to_one(engine):
    axis = np.linspace(-7, 7, 141)
    mass = density_on_grid(axis, axis, ROWS, KERNEL).sum() * (axis[1] - axis[0]) ** 2
    assert mass == pytest.approx(1, abs=1e-8)


@pytest.mark.parametrize("has_weights", [False, True])
def test_whitening_many_rows_takes_less_memory_than_two_copies(has_weights):
    stream = np.random.default_rng(0)
    X, y = stream.normal(size=(200_000, 20)), np.arange(200_000) % 2
    weights = stream.uniform(0.5, 2.0, len(X)) if has_weights else None
    tracemalloc.start()
    whitened_kernel_classes(X, y, n_components=2, weights=weights)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.9 * X.nbytes

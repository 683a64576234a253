from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal

from melm_core.density.engines import direct_sums
from melm_core.density.engines.direct_sums import (
    BLOCK_CENTERS,
    CENTERS_ENTRIES,
    FLATTEST_KERNEL,
    gaussian_sums,
    inverse_root,
    log_density,
    log_potential,
)
from tests.melm_core.helpers import assert_gradient, finite_differences, invertible

A = np.random.default_rng(0).normal(size=(9, 2))
B = np.random.default_rng(1).normal(size=(7, 2)) + 1
C = np.array([[0.5, 0.2], [0.2, 0.3]])


def potential_value(a=A, b=B, covariance=C) -> float:
    return log_potential(a, b, covariance).value


def test_the_potential_is_the_mean_of_a_normal_density_over_all_pairs():
    normal = multivariate_normal(np.zeros(2), C)
    mean = np.mean([normal.pdf(a - b) for a in A for b in B])
    assert potential_value() == pytest.approx(np.log(mean), rel=1e-12)


def test_the_derivatives_by_the_points_agree_with_finite_differences():
    potential = log_potential(A, B, C)
    assert_gradient(potential.by_first, finite_differences(lambda a: potential_value(a=a), A))
    assert_gradient(potential.by_second, finite_differences(lambda b: potential_value(b=b), B))


def test_the_derivative_by_the_covariance_agrees_with_finite_differences():
    def by_root(root):
        return potential_value(covariance=root @ root.T)

    root = np.linalg.cholesky(C)
    by_covariance = log_potential(A, B, C).by_covariance
    np.testing.assert_allclose(by_covariance, by_covariance.T, atol=1e-14)
    assert_gradient(2 * by_covariance @ root, finite_differences(by_root, root))


def test_swapping_the_samples_swaps_the_derivatives():
    one, other = log_potential(A, B, C), log_potential(B, A, C)
    assert one.value == pytest.approx(other.value, rel=1e-13)
    np.testing.assert_allclose(one.by_first, other.by_second, atol=1e-13)
    np.testing.assert_allclose(one.by_covariance, other.by_covariance, atol=1e-13)


@pytest.mark.parametrize("n_rows", [1, 7, 64, 65, 700])
def test_pairs_within_one_sample_are_summed_once_and_count_twice(n_rows):
    rows = np.random.default_rng(n_rows).normal(size=(n_rows, 2))
    once = log_potential(rows, rows, C)
    twice = log_potential(rows, rows.copy(), C)
    assert once.value == pytest.approx(twice.value, rel=1e-13)
    np.testing.assert_allclose(once.by_first, twice.by_first, rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(once.by_second, twice.by_second, rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(once.by_covariance, twice.by_covariance, rtol=1e-11, atol=1e-14)


def test_kernels_that_all_underflow_still_have_their_potential():
    apart = np.array([1e3, 0.0])
    assert np.exp(-0.5 * apart @ np.linalg.inv(C) @ apart) == 0
    single = log_potential(A[:1], A[:1] + apart, C)
    exact = multivariate_normal(np.zeros(2), C).logpdf(apart)
    assert single.value == pytest.approx(exact, rel=1e-12)
    np.testing.assert_allclose(single.by_first[0], np.linalg.solve(C, apart), rtol=1e-10)


@pytest.mark.parametrize("entries", [1, 10])
def test_the_size_of_the_blocks_does_not_matter(entries, monkeypatch):
    whole, density = log_potential(A, B, C), log_density(A, B, C)
    monkeypatch.setattr(direct_sums, "BLOCK_ENTRIES", entries)
    blocked = log_potential(A, B, C)
    assert blocked.value == pytest.approx(whole.value, rel=1e-13)
    np.testing.assert_allclose(blocked.by_first, whole.by_first, atol=1e-13)
    np.testing.assert_allclose(blocked.by_second, whole.by_second, atol=1e-13)
    np.testing.assert_allclose(blocked.by_covariance, whole.by_covariance, atol=1e-13)
    np.testing.assert_allclose(log_density(A, B, C), density, rtol=1e-13)


def test_the_density_is_the_mean_of_the_kernels():
    means = [np.mean([multivariate_normal(b, C).pdf(a) for b in B]) for a in A]
    np.testing.assert_allclose(log_density(A, B, C), np.log(means), rtol=1e-12)


def test_the_density_far_from_every_row_keeps_its_logarithm():
    point = np.array([[1e4, -1e4]])
    exact = multivariate_normal(B[0], C).logpdf(point[0])
    np.testing.assert_allclose(log_density(point, B[:1], C), exact, rtol=1e-10)


def test_the_inverse_root_inverts_the_covariance():
    covariance = invertible(4) @ invertible(4).T
    root, log_norm = inverse_root(covariance)
    np.testing.assert_allclose(root @ root.T @ covariance, np.eye(4), atol=1e-12)
    assert log_norm == pytest.approx(
        multivariate_normal(np.zeros(4), covariance).logpdf(np.zeros(4))
    )


def test_a_flat_kernel_is_widened_to_the_smallest_relative_variance():
    root, _ = inverse_root(np.diag([4.0, 0.0]))
    np.testing.assert_allclose(np.linalg.inv(root @ root.T), np.diag([4.0, 4.0 * FLATTEST_KERNEL]))


def test_a_kernel_without_any_width_keeps_everything_finite():
    none = np.zeros((2, 2))
    for a, b in ((A, A), (A, B), (np.full((30, 2), 0.1), np.full((4, 2), 0.7))):
        potential = log_potential(a, b, none)
        assert np.isfinite(potential.value)
        assert np.isfinite(potential.by_first).all()
        assert np.isfinite(potential.by_second).all()
        assert np.isfinite(potential.by_covariance).all()
        assert np.isfinite(log_density(a, b, none)).all()


@pytest.mark.parametrize("n_centers", [1, 100, BLOCK_CENTERS, 2 * BLOCK_CENTERS + 7])
def test_the_blocks_of_centers_do_not_change_the_sums(n_centers):
    rng = np.random.default_rng(0)
    centers, X = rng.normal(size=(n_centers, 3)), rng.normal(size=(70, 3))
    columns = rng.normal(size=(n_centers, 2))
    expected = np.exp(-cdist(X, centers, "sqeuclidean") / 2) @ columns
    np.testing.assert_allclose(gaussian_sums(X, centers, 1.0, columns), expected, atol=1e-11)


def test_the_blocks_of_rows_do_not_change_the_sums():
    rng = np.random.default_rng(0)
    centers, columns = rng.normal(size=(80, 3)), rng.normal(size=(80, 2))
    few = gaussian_sums(centers, centers, 1.0, columns)
    times = 2 * CENTERS_ENTRIES // len(centers) ** 2 + 1  # more than two blocks
    many = gaussian_sums(np.tile(centers, (times, 1)), centers, 1.0, columns)
    np.testing.assert_allclose(many, np.tile(few, (times, 1)), atol=1e-12)

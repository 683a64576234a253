from __future__ import annotations

import numpy as np
import pytest

from melm_core.density.covariances import bandwidth_factor
from melm_core.density.engines import direct_sums, nufft


def cloud(n_rows: int, k: int, gamma: float = 1.0, n_outliers: int = 0):
    """Return rows, points among and around them, and the kernel of the rows."""
    rng = np.random.default_rng(k)
    rows = rng.normal(size=(n_rows, k)) @ rng.normal(size=(k, k)) + 5.0
    kernel = bandwidth_factor(n_rows, k, gamma) ** 2 * np.cov(rows.T, ddof=0).reshape(k, k)
    rows[:n_outliers] += 50.0 * rows.std(axis=0)
    points = np.vstack([rows[:60], rows[:60] + rng.normal(size=(60, k))])
    return points, rows, kernel


def exact_density(points, rows, kernel):
    return np.exp(direct_sums.log_density(points, rows, kernel))


@pytest.fixture
def no_direct_sum(monkeypatch):
    """Make sure that the Fourier sum is what answers."""

    def refuse(*arguments):
        raise AssertionError("The direct sum was asked.")

    monkeypatch.setattr(direct_sums, "log_density", refuse)


@pytest.mark.parametrize(
    ("k", "gamma", "n_outliers"),
    [(1, 1.0, 0), (2, 1.0, 0), (3, 1.0, 0), (1, 0.1, 3), (1, 1.0, 3), (2, 1.0, 3), (2, 0.3, 0)],
)
def test_the_fourier_sum_agrees_with_the_direct_sum(k, gamma, n_outliers, request):
    points, rows, kernel = cloud(800, k, gamma, n_outliers)
    exact = exact_density(points, rows, kernel)
    request.getfixturevalue("no_direct_sum")
    density = nufft.density(points, rows, kernel)
    np.testing.assert_allclose(density, exact, rtol=0, atol=1e-8 * exact.max())
    assert density.min() >= 0


def test_the_density_at_a_single_row_is_the_kernel():
    row, kernel = np.zeros((1, 2)), np.diag([0.5, 2.0])
    points = np.array([[0.0, 0.0], [1.0, -1.0]])
    np.testing.assert_allclose(
        nufft.density(points, row, kernel), exact_density(points, row, kernel), rtol=1e-8
    )


@pytest.mark.parametrize(("k", "gamma"), [(2, 1e-3), (3, 0.03)])
def test_a_kernel_too_narrow_for_its_span_is_summed_directly(k, gamma):
    points, rows, kernel = cloud(300, k, gamma)
    np.testing.assert_array_equal(
        nufft.density(points, rows, kernel), exact_density(points, rows, kernel)
    )


def test_more_than_three_components_are_summed_directly():
    points, rows, kernel = cloud(200, 4, gamma=10.0)
    np.testing.assert_array_equal(
        nufft.density(points, rows, kernel), exact_density(points, rows, kernel)
    )


@pytest.mark.parametrize("distance", [1e6, 1e30])
def test_points_out_of_all_proportion_have_no_density(distance):
    _, rows, kernel = cloud(300, 2)
    points = np.full((3, 2), distance)
    np.testing.assert_array_equal(nufft.density(points, rows, kernel), 0)

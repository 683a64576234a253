from __future__ import annotations

import numpy as np
import pytest

from melm_core.kernel_machines.mixture_moments import (
    gaussian_moments,
    mixture_covariance,
    mixture_moments,
)

LINE = np.linspace(-15, 15, 6001)
STEP = LINE[1] - LINE[0]


def gaussian(x, mean, variance):
    return np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


@pytest.mark.parametrize("mean", [-1.3, 0.0, 2.0])
@pytest.mark.parametrize("variance", [0.2, 1.7])
def test_the_moments_to_order_eight_are_the_integrals(mean, variance):
    density = gaussian(LINE, mean, variance)
    expected = [STEP * (density @ LINE**k) for k in range(9)]
    moments = gaussian_moments(np.array([mean]), np.array(variance), 8)
    np.testing.assert_allclose(moments[:, 0], expected, rtol=1e-11, atol=1e-11)


def test_the_first_four_moments_are_those_of_the_paper():
    mu, v = 0.7, 0.3
    expected = [1, mu, mu**2 + v, mu * (mu**2 + 3 * v), mu**4 + 6 * mu**2 * v + 3 * v**2]
    np.testing.assert_allclose(gaussian_moments(np.array(mu), np.array(v), 4), expected)


@pytest.mark.parametrize("weights", [[0.2, 0.5, 0.3], [1.5, -0.9, 0.4]], ids=["positive", "signed"])
def test_the_moments_of_a_mixture_are_the_integrals(weights):
    positions = np.array([[-1.0, 0.3], [0.5, 2.0], [2.0, -1.0]])
    variances = np.array([0.4, 0.9])
    moments = mixture_moments(positions, np.array(weights), variances, 8)
    for axis, variance in enumerate(variances):
        bumps = gaussian(LINE, positions[:, axis, None], variance)
        expected = [STEP * (weights @ bumps @ LINE**k) for k in range(9)]
        np.testing.assert_allclose(moments[:, axis], expected, rtol=1e-10, atol=1e-10)


def test_gaussians_of_their_own_widths_have_the_moments_of_the_integrals():
    positions, weights = np.array([[-1.0], [0.5], [2.0]]), np.array([0.2, 0.5, 0.3])
    variances = np.array([[0.4], [0.9], [0.1]])
    moments = mixture_moments(positions, weights, variances, 8)
    density = weights @ gaussian(LINE, positions, variances)
    expected = [STEP * (density @ LINE**k) for k in range(9)]
    np.testing.assert_allclose(moments[:, 0], expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_mean_and_covariance_of_a_mixture_agree_with_its_moments(shift):
    rng = np.random.default_rng(0)
    centers, weights = rng.normal(size=(7, 3)), rng.dirichlet(np.ones(7))
    mean, covariance = mixture_covariance(centers + shift, weights, np.full(7, 0.36))
    np.testing.assert_allclose(mean - shift, weights @ centers, atol=1e-9)
    moments = mixture_moments(centers - weights @ centers, weights, np.full(3, 0.36), 2)
    np.testing.assert_allclose(np.diag(covariance), moments[2], rtol=1e-8)
    np.testing.assert_allclose(
        covariance - 0.36 * np.eye(3), np.cov(centers.T, aweights=weights, ddof=0), atol=1e-8
    )


def test_equal_centers_have_the_covariance_of_one_bump():
    _, covariance = mixture_covariance(np.full((5, 2), 0.1), np.full(5, 0.2), np.full(5, 4.0))
    np.testing.assert_array_equal(covariance, 4.0 * np.eye(2))

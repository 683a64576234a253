from __future__ import annotations

import numpy as np
import pytest

from melm_core.kernel_machines.maximum_entropy import (
    HALF_WIDTH,
    log_integrals,
    matched_multipliers,
    maximum_entropy,
    moment_system,
    multiplier_estimates,
)
from melm_core.kernel_machines.separable_sum import mixture_moments

LINE = np.linspace(-HALF_WIDTH, HALF_WIDTH, 20_001)
STEP = LINE[1] - LINE[0]
QUARTICS = [(0.3, -0.2, 0.1, -0.25), (0.0, 0.5, 0.0, -0.25), (-0.4, -0.3, 0.05, -0.1)]


def density(multipliers):
    values = np.exp(np.polynomial.polynomial.polyval(LINE, [0.0, *multipliers]))
    return values / (values.sum() * STEP)


def moments_of(values, order):
    return np.array([STEP * (values @ LINE**k) for k in range(order + 1)])[:, None]


def standardized(values):
    """Return a density in units of its standard deviation about its mean, as moments."""
    mean = STEP * (values @ LINE)
    width = np.sqrt(STEP * (values @ (LINE - mean) ** 2))
    scaled = (LINE - mean) / width
    return np.array([STEP * (values @ scaled**k) for k in range(9)])[:, None], mean, width


def in_units(multipliers, mean, width):
    """Return the multipliers of the same polynomial as a function of (x - mean) / width."""
    polynomial = np.polynomial.Polynomial([0.0, *multipliers])
    return polynomial(np.polynomial.Polynomial([mean, width])).coef[1:]


def mixture(order=8):
    rng = np.random.default_rng(1)
    positions, weights = rng.uniform(-1, 1, size=(6, 3)), rng.dirichlet(np.ones(6))
    positions -= weights @ positions
    variance = 0.3
    widths = np.sqrt(weights @ positions**2 + variance)
    positions, variances = positions / widths, variance / widths**2
    bumps = np.exp(-((LINE - positions.T[:, :, None]) ** 2) / (2 * variances[:, None, None]))
    values = np.einsum("i,din->dn", weights, bumps) / np.sqrt(2 * np.pi * variances)[:, None]
    return mixture_moments(positions, weights, variances, order), values


def super_gaussian():
    """Return moments of two centered Gaussians of different widths."""
    narrow, wide = 0.5, 1.75
    k = np.arange(5)
    even = np.array([1.0, 1.0, 3.0, 15.0, 105.0])
    moments = np.zeros((9, 1))
    moments[::2, 0] = even * (0.6 * narrow**k + 0.4 * wide**k)
    return moments


def test_the_system_is_the_expectation_of_integrals_and_derivatives():
    moments, values = mixture()
    theta, eta = moment_system(moments, 4)
    for axis in range(3):
        for i in range(1, 5):
            integral = LINE ** (i + 1) / (i + 1)
            expected = [
                STEP * (values[axis] @ (integral * k * LINE ** (k - 1))) for k in range(1, 5)
            ]
            np.testing.assert_allclose(theta[axis, i - 1], expected, atol=1e-9)
            assert eta[axis, i - 1] == pytest.approx(STEP * (values[axis] @ LINE**i), abs=1e-9)


def test_the_estimates_solve_the_integration_by_parts():
    moments, _ = mixture()
    theta, eta = moment_system(moments, 4)
    estimates = multiplier_estimates(moments, 4)
    np.testing.assert_allclose(np.einsum("dik,dk->di", theta, estimates), -eta, atol=1e-9)


@pytest.mark.parametrize("multipliers", QUARTICS)
def test_the_estimates_recover_a_quartic_of_any_mean(multipliers):
    moments = moments_of(density(multipliers), 8)
    np.testing.assert_allclose(multiplier_estimates(moments, 4)[0], multipliers, atol=1e-8)


@pytest.mark.parametrize(("mean", "variance"), [(0.0, 1.0), (0.8, 0.5), (-2.0, 1.5)])
def test_the_estimates_of_a_gaussian_are_its_own(mean, variance):
    moments = mixture_moments(np.array([[mean]]), np.ones(1), np.array([variance]), 8)
    expected = [mean / variance, -0.5 / variance, 0.0, 0.0]
    np.testing.assert_allclose(multiplier_estimates(moments, 4)[0], expected, atol=1e-8)


@pytest.mark.parametrize("method", ["exact", "paper"])
@pytest.mark.parametrize("multipliers", QUARTICS)
def test_both_methods_recover_a_member_of_the_family(method, multipliers):
    values = density(multipliers)
    moments, mean, width = standardized(values)
    found = maximum_entropy(moments, method=method)
    assert found.fallbacks == ("none",)
    np.testing.assert_allclose(found.multipliers[0], in_units(multipliers, mean, width), atol=1e-8)
    peak = np.interp(mean, LINE, values) * width
    assert np.exp(found.log_normalizers[0]) == pytest.approx(peak, rel=1e-6)


@pytest.mark.parametrize("order", [2, 4, 6])
def test_the_exact_method_matches_the_moments(order):
    moments, _ = mixture(2 * order)
    found = maximum_entropy(moments, order=order)
    for axis in range(3):
        reached = int(found.orders[axis])
        values = density(found.multipliers[axis])
        expected = moments_of(values, reached)[:, 0]
        np.testing.assert_allclose(moments[: reached + 1, axis], expected, atol=1e-9)


def test_no_density_of_these_moments_has_more_entropy():
    moments, values = mixture()
    found = maximum_entropy(moments)
    for axis in range(3):
        own, other = density(found.multipliers[axis]), values[axis]
        entropies = [-STEP * np.sum(p * np.log(np.maximum(p, 1e-300))) for p in (own, other)]
        assert entropies[0] > entropies[1]


def test_the_variance_of_the_papers_second_order_is_as_derived():
    moments, _ = mixture()
    found = maximum_entropy(moments, order=2, method="paper")
    for axis in range(3):
        third, fourth = moments[3, axis], moments[4, axis]
        variance = (fourth - third**2) / 3
        assert -0.5 / found.multipliers[axis, 1] == pytest.approx(variance, rel=1e-9)
    np.testing.assert_allclose(maximum_entropy(moments, order=2).multipliers, [[0, -0.5]] * 3)


@pytest.mark.parametrize("method", ["exact", "paper"])
@pytest.mark.parametrize("order", [2, 4])
def test_every_density_integrates_to_one(method, order):
    moments, _ = mixture()
    found = maximum_entropy(moments, order=order, method=method)
    total = found.log_normalizers + log_integrals(found.multipliers)
    np.testing.assert_allclose(total, 0, atol=1e-12)


@pytest.mark.parametrize("method", ["exact", "paper"])
def test_heavier_tails_than_a_gaussian_fall_back_by_two_and_say_so(method):
    found = maximum_entropy(super_gaussian(), method=method)
    assert found.orders.tolist() == [2]
    np.testing.assert_array_equal(found.multipliers[0, 2:], 0)
    assert found.multipliers[0, 1] < 0
    assert "order 4" in found.fallbacks[0] or "multiplier 4" in found.fallbacks[0]


@pytest.mark.parametrize("method", ["exact", "paper"])
def test_a_gaussian_stays_one_at_every_order(method):
    moments = mixture_moments(np.zeros((1, 1)), np.ones(1), np.ones(1), 16)
    for order in (2, 4, 6, 8):
        found = maximum_entropy(moments, order=order, method=method)
        expected = np.pad([0, -0.5], (0, order - 2))
        np.testing.assert_allclose(found.multipliers[0], expected, atol=1e-8)
        assert found.log_normalizers[0] == pytest.approx(-0.5 * np.log(2 * np.pi), abs=1e-8)


def test_each_density_is_found_alone():
    moments, _ = mixture()
    together = matched_multipliers(np.tile(moments, 100), 4)
    for axis in range(3):
        alone = matched_multipliers(moments[:, axis : axis + 1], 4)[0]
        np.testing.assert_allclose(together[axis::3], np.tile(alone, (100, 1)), atol=1e-9)


def test_impossible_moments_have_no_multipliers():
    moments = np.array([[1.0], [0.0], [1.0], [0.0], [0.5]])  # a kurtosis below one
    assert np.isnan(matched_multipliers(moments, 4)).all()


@pytest.mark.parametrize("order", [1, 3, 0, -2, 2.5, True])
def test_odd_and_low_orders_are_refused(order):
    with pytest.raises(ValueError, match=f"order={order}"):
        maximum_entropy(mixture()[0], order=order)


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="method='best' must be one of 'exact', 'paper'"):
        maximum_entropy(mixture()[0], method="best")

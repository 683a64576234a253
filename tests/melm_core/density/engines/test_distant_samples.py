from __future__ import annotations

import numpy as np
import pytest

from melm_core.density.engines import distant_samples
from melm_core.density.engines.direct_sums import log_potential
from melm_core.density.engines.distant_samples import (
    near_log_potential,
    saddle_point,
    tilted_log_potential,
    tilted_log_value,
)
from tests.melm_core.helpers import finite_differences, invertible


def samples(k: int, distance: float):
    """Return two samples that many kernel widths apart along every axis, and the kernel."""
    rng = np.random.default_rng(k)
    a, b = rng.normal(size=(40, k)), rng.normal(size=(30, k)) + distance
    mixing = invertible(k)
    return a @ mixing, b @ mixing, mixing.T @ mixing


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("distance", [0.0, 4.0, 20.0, 100.0])
def test_the_tilted_sum_is_the_direct_sum(distance, k):
    a, b, covariance = samples(k, distance)
    found, exact = tilted_log_potential(a, b, covariance), log_potential(a, b, covariance)
    assert found.value == pytest.approx(exact.value, rel=1e-10)
    assert tilted_log_value(a, b, covariance) == pytest.approx(exact.value, rel=1e-10)
    for name in ("by_first", "by_second", "by_covariance"):
        expected = getattr(exact, name)
        np.testing.assert_allclose(
            getattr(found, name), expected, rtol=0, atol=1e-9 * np.abs(expected).max()
        )


def test_exchanging_the_samples_exchanges_the_derivatives():
    a, b, covariance = samples(2, 10.0)
    one, other = tilted_log_potential(a, b, covariance), tilted_log_potential(b, a, covariance)
    assert one.value == pytest.approx(other.value, rel=1e-12)
    np.testing.assert_allclose(one.by_first, other.by_second, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.by_covariance, other.by_covariance, rtol=0, atol=1e-9)


@pytest.mark.parametrize("distance", [0.0, 5.0, 50.0])
def test_the_tilted_means_meet_at_the_saddle_point(distance):
    u, v, _ = samples(2, distance)

    def bound(row):
        m = row[0]
        sums = np.logaddexp.reduce(u @ m) + np.logaddexp.reduce(-v @ m)
        return float(sums + 0.5 * m @ m)

    shift = saddle_point(u, v)
    gradient = finite_differences(bound, shift[None])
    assert np.abs(gradient).max() < 1e-2
    for nearby in np.random.default_rng(0).normal(size=(20, 1, 2)):
        assert bound(shift[None] + 0.1 * nearby) > bound(shift[None])


def test_points_of_negligible_weight_change_nothing(monkeypatch):
    a, b, covariance = samples(2, 20.0)
    with_few = tilted_log_potential(a, b, covariance)
    monkeypatch.setattr(distant_samples, "NEGLIGIBLE_WEIGHT", 0.0)
    with_all = tilted_log_potential(a, b, covariance)
    assert with_few.value == pytest.approx(with_all.value, rel=1e-13)
    np.testing.assert_allclose(with_few.by_first, with_all.by_first, rtol=0, atol=1e-9)


RNG = np.random.default_rng(0)
WEIGHTS = [1.0 + np.arange(n) % 3 for n in (300, 200)]


@pytest.mark.parametrize("sampled", [20, 1_000])
@pytest.mark.parametrize("weights", [(None, None), WEIGHTS])
@pytest.mark.parametrize("distance", [0.0, 4.0, 100.0])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_value_and_derivatives_agree(k, distance, weights, sampled, monkeypatch):
    monkeypatch.setattr(distant_samples, "_SAMPLED", sampled)
    mixing = invertible(k)
    a, b = RNG.normal(size=(300, k)) @ mixing, (RNG.normal(size=(200, k)) + distance) @ mixing
    kernel = 0.01 * mixing.T @ mixing
    samples = (a, b, kernel, *weights)
    found, exact = near_log_potential(*samples), log_potential(*samples)
    # The derivative by the covariance is a difference of terms as large as the kernel's inverse.
    rounding = 1e-13 * np.abs(np.linalg.inv(kernel)).max()
    assert found.value == pytest.approx(exact.value, rel=1e-11)
    for name in ("by_first", "by_second", "by_covariance"):
        expected = getattr(exact, name)
        np.testing.assert_allclose(
            getattr(found, name), expected, rtol=0, atol=1e-10 * np.abs(expected).max() + rounding
        )


@pytest.mark.parametrize("most", [1, 30])  # known of few rows, and counted
def test_of_many_near_pairs_there_is_no_sum(most, monkeypatch):
    monkeypatch.setattr(distant_samples, "MOST_PAIRS", most)
    a, b = RNG.normal(size=(2, 20, 2))
    assert near_log_potential(a, b, np.eye(2)) is None

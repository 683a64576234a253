"""Potentials of distant samples, summed over near pairs, are those over all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.density.engines import near_pairs
from melm_core.density.engines.direct_sums import log_potential
from melm_core.density.engines.near_pairs import near_log_potential
from tests.melm_core.helpers import invertible

RNG = np.random.default_rng(0)
WEIGHTS = [1.0 + np.arange(n) % 3 for n in (300, 200)]


@pytest.mark.parametrize("sampled", [20, 1_000])
@pytest.mark.parametrize("weights", [(None, None), WEIGHTS])
@pytest.mark.parametrize("distance", [0.0, 4.0, 100.0])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_value_and_derivatives_agree(k, distance, weights, sampled, monkeypatch):
    monkeypatch.setattr(near_pairs, "_SAMPLED", sampled)
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
    monkeypatch.setattr(near_pairs, "MOST_PAIRS", most)
    a, b = RNG.normal(size=(2, 20, 2))
    assert near_log_potential(a, b, np.eye(2)) is None

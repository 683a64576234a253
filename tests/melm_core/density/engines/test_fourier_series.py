from __future__ import annotations

import numpy as np
import pytest

from melm_core.density.engines import distant_samples, fourier_series
from melm_core.density.engines.direct_sums import DirectPotentials
from melm_core.density.engines.distant_samples import tilted_log_potential
from melm_core.density.engines.fourier_series import FourierPotentials, fourier_box
from melm_core.density.engines.nufft import LOOSE_TOLERANCE
from tests.melm_core.helpers import invertible


def projected(n_classes: int, k: int):
    """Return the rows of overlapping classes, none of them nearly flat, and their kernels."""
    rng = np.random.default_rng(k)
    sizes = (23, 17, 29, 14)[:n_classes]
    rows = [
        rng.normal(size=(n, k)) @ invertible(k, seed) + rng.normal(size=k)
        for seed, n in enumerate(sizes)
    ]
    kernels = [0.3 * np.cov(part.T, ddof=0).reshape(k, k) for part in rows]
    return rows, np.stack(kernels)


def weights(n_classes: int):
    return np.triu(np.random.default_rng(1).normal(size=(n_classes, n_classes)))


def assert_same(one, other, share: float) -> None:
    """Compare values and all derivatives, relative to the largest entry."""
    scale = np.abs(other.log_values).max()
    np.testing.assert_allclose(one.log_values, other.log_values, rtol=0, atol=share * scale)
    chosen = weights(len(one.log_values))
    points, covariances = one.weighted_derivatives(chosen)
    exact_points, exact_covariances = other.weighted_derivatives(chosen)
    for found, exact in zip(points, exact_points, strict=True):
        np.testing.assert_allclose(found, exact, rtol=0, atol=share * np.abs(exact).max())
    np.testing.assert_allclose(
        covariances, exact_covariances, rtol=0, atol=share * np.abs(exact_covariances).max()
    )


@pytest.mark.parametrize(("n_classes", "k"), [(2, 1), (4, 2), (2, 3)])
def test_the_transforms_agree_with_the_sum_over_pairs(n_classes, k):
    rows, covariances = projected(n_classes, k)
    near = FourierPotentials(rows, covariances)
    assert_same(near, DirectPotentials(rows, covariances), share=1e-10)


@pytest.mark.parametrize(
    ("k", "sigmas"),
    [
        *((k, sigmas) for k in (1, 2) for sigmas in (3.0, 100.0)),
        *(
            pytest.param(k, sigmas, marks=pytest.mark.slow)
            for k, sigmas in ((1, 8.0), (1, 20.0), (2, 8.0), (3, 4.0))
        ),
    ],
)
@pytest.mark.parametrize("far_direct_pairs", [0, 300_000])
def test_classes_far_apart_keep_their_digits(far_direct_pairs, k, sigmas, monkeypatch):
    monkeypatch.setattr(fourier_series, "FAR_DIRECT_PAIRS", far_direct_pairs)
    rows, covariances = projected(3, k)
    rows[1] = rows[1] + sigmas * rows[0].std(axis=0)
    assert_same(
        FourierPotentials(rows, covariances), DirectPotentials(rows, covariances), share=1e-8
    )


@pytest.mark.parametrize("sigmas", [0.0, 4.0, 8.0, 40.0])
def test_looser_transforms_are_accurate_enough_to_climb_at_any_distance(sigmas):
    rows, kernels = projected(2, 2)
    rows[1] = rows[1] + sigmas * np.sqrt(kernels[0].max())
    loose = FourierPotentials(rows, kernels, tolerance=LOOSE_TOLERANCE)
    assert_same(loose, DirectPotentials(rows, kernels), 1e-6)


@pytest.mark.parametrize(
    ("far_direct_pairs", "near_pairs_at_most", "n_tilted"),
    [(0, 0, 2), (0, 100, 0), (300_000, 0, 0)],
)
def test_far_pairs_are_tilted_where_they_are_too_many_to_sum(
    far_direct_pairs, near_pairs_at_most, n_tilted, monkeypatch
):
    tilted = []

    def counted(*samples):
        tilted.append(samples)
        return tilted_log_potential(*samples)

    monkeypatch.setattr(fourier_series, "tilted_log_potential", counted)
    monkeypatch.setattr(fourier_series, "FAR_DIRECT_PAIRS", far_direct_pairs)
    monkeypatch.setattr(distant_samples, "MOST_PAIRS", near_pairs_at_most)
    rows, covariances = projected(3, 2)
    rows[1] = rows[1] + 40.0 * rows[0].std(axis=0)
    FourierPotentials(rows, covariances)
    assert len(tilted) == n_tilted


@pytest.mark.slow
def test_a_gap_that_is_wide_beside_the_kernels_leaves_all_digits(monkeypatch):
    monkeypatch.setattr(fourier_series, "FAR_DIRECT_PAIRS", 0)
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=(300, 2)), rng.normal(size=(200, 2)) + 5.0]
    kernels = np.stack([0.02**2 * np.eye(2)] * 2)  # tilted sums have no neighbors, and no logarithm
    assert_same(FourierPotentials(rows, kernels), DirectPotentials(rows, kernels), share=1e-8)


def test_the_mean_kernel_is_white_in_the_box():
    rows, covariances = projected(3, 2)
    root, widths, box = fourier_box(rows, covariances)
    np.testing.assert_allclose(2.0 * widths.mean(axis=0), np.eye(2), atol=1e-12)
    for part in rows:
        assert (np.abs(part @ root - box.middle) < 0.5 * box.lengths).all()


def test_pairs_without_weight_do_not_pull():
    rows, covariances = projected(3, 2)
    only_last = np.zeros((3, 3))
    only_last[2, 2] = 1.0
    points, by_covariances = FourierPotentials(rows, covariances).weighted_derivatives(only_last)
    for code in (0, 1):
        np.testing.assert_array_equal(points[code], 0)
        np.testing.assert_array_equal(by_covariances[code], 0)
    assert np.abs(points[2]).max() > 0

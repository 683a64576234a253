from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from melm_core.density.engines.direct_sums import gaussian_sums
from melm_core.kernel_machines.machine import KernelMachine
from melm_core.kernel_machines.modes import (
    MeanShiftResult,
    farthest_points,
    find_modes,
    mean_shift,
    merge_modes,
)
from tests.melm_core.helpers import finite_differences, plane

SIX = np.array([[-3.0], [-1.2], [0.0], [0.9], [2.5], [4.0]])
SIGNED = np.array([1.0, -0.7, 1.3, 0.4, -1.1, 0.6])


def machine(seed=0, n=60, n_features=2, bandwidth=0.5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, n_features)), rng.normal(size=n), bandwidth


def blobs():
    """Return four tight groups of 20 centers far apart, of signs 1, -1, 1, -1."""
    rng = np.random.default_rng(0)
    middles = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]])
    centers = np.repeat(middles, 20, axis=0) + 0.1 * rng.normal(size=(80, 2))
    return centers, np.repeat([1.0, -1.0, 2.0, -0.5], 20), 1.0


OWN_WIDTHS = np.array([0.5, 0.4, 0.6, 0.3, 0.7, 0.8])


@pytest.mark.parametrize("bandwidth", [0.3, 0.5, 0.8, OWN_WIDTHS], ids=str)
def test_the_modes_on_a_line_are_where_a_dense_grid_has_them(bandwidth):
    def height(x):
        return gaussian_sums(np.reshape(x, (-1, 1)), SIX, bandwidth, SIGNED[:, None])[:, 0]

    grid = np.linspace(-5, 6, 20_001)
    size = np.abs(height(grid))
    tops = np.flatnonzero((size[1:-1] > size[:-2]) & (size[1:-1] > size[2:])) + 1
    expected = [
        minimize_scalar(
            lambda x: -abs(height(x)[0]),
            bounds=(grid[top - 1], grid[top + 1]),
            method="bounded",
            options={"xatol": 1e-9},
        ).x
        for top in tops
    ]
    modes = find_modes(SIX, SIGNED, bandwidth)
    np.testing.assert_allclose(np.sort(modes.locations[:, 0]), expected, atol=1e-6)
    np.testing.assert_allclose(modes.values, height(modes.locations), rtol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_the_sum_never_falls_in_size_and_keeps_its_sign(seed):
    centers, weights, bandwidth = machine(seed)
    before = gaussian_sums(centers, centers, bandwidth, weights[:, None])[:, 0]
    for max_iter in (1, 2, 3, 5, 8, 13, 100, 1_000):
        values = mean_shift(centers, centers, weights, bandwidth, max_iter=max_iter).values
        assert (values * before > 0).all()
        assert (np.abs(values) >= (1 - 1e-10) * np.abs(before)).all()
        before = values


@pytest.mark.parametrize("seed", range(3))
def test_the_values_are_those_at_the_ends(seed):
    centers, weights, bandwidth = machine(seed)
    ascent = mean_shift(centers, centers, weights, bandwidth)
    values = KernelMachine(centers, weights, bandwidth).decision_function(ascent.points)
    np.testing.assert_allclose(ascent.values, values, rtol=1e-9)


@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_every_converged_end_is_a_stationary_point(n_features):
    centers, weights, bandwidth = machine(1, n_features=n_features)
    function = KernelMachine(centers, weights, bandwidth)
    ascent = mean_shift(centers, centers, weights, bandwidth)
    assert ascent.is_converged.all()
    for point, value in list(zip(ascent.points, ascent.values, strict=True))[::10]:
        slope = finite_differences(lambda x: function.decision_function(x[None])[0], point)
        np.testing.assert_allclose(slope, 0, atol=1e-7 * abs(value))


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_thrown_out_of_reach(seed):
    centers, weights, bandwidth = machine(seed)
    points = mean_shift(centers, centers, weights, bandwidth).points
    nearest = np.linalg.norm(points[:, None] - centers, axis=2).min(axis=1)
    assert nearest.max() < 3 * bandwidth


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
def test_kernels_of_their_own_widths_lead_up_to_stationary_points(seed):
    centers, weights, _ = machine(seed)
    widths = np.random.default_rng(seed).uniform(0.2, 1.0, size=len(centers))
    function = KernelMachine(centers, weights, widths)
    ascent = mean_shift(centers, centers, weights, widths)
    before = function.decision_function(centers)
    assert ascent.is_converged.all()
    assert (ascent.values * before > 0).all()
    assert (np.abs(ascent.values) >= (1 - 1e-10) * np.abs(before)).all()
    assert ascent.widths.min() >= widths.min() * (1 - 1e-12)
    assert ascent.widths.max() <= widths.max() * (1 + 1e-12)
    for point, value in list(zip(ascent.points, ascent.values, strict=True))[::10]:
        slope = finite_differences(lambda x: function.decision_function(x[None])[0], point)
        np.testing.assert_allclose(slope, 0, atol=1e-7 * abs(value))


def test_a_narrow_bump_on_a_wide_one_is_a_mode_of_its_own():
    centers, weights = np.array([[0.0], [0.6]]), np.array([1.0, 0.2])
    modes = find_modes(centers, weights, np.array([10.0, 0.01]))
    assert len(modes.locations) == 2
    np.testing.assert_allclose(np.sort(modes.locations[:, 0]), [0.0, 0.6], atol=1e-3)


def test_separated_blobs_are_one_mode_each_of_their_sign():
    centers, weights, bandwidth = blobs()
    modes = find_modes(centers, weights, bandwidth)
    assert len(modes.locations) == 4
    for blob in range(4):
        labels = modes.labels[20 * blob : 20 * (blob + 1)]
        assert len(set(labels)) == 1
        assert np.sign(modes.values[labels[0]]) == np.sign(weights[20 * blob])


@pytest.mark.slow
def test_fewer_starts_than_centers_find_the_same_blobs():
    centers, weights, bandwidth = blobs()
    every, few = (find_modes(centers, weights, bandwidth, max_starts=n) for n in (80, 8))
    pairs = set(zip(every.labels.tolist(), few.labels.tolist(), strict=True))
    assert len(pairs) == 4
    for one, other in pairs:
        np.testing.assert_allclose(few.locations[other], every.locations[one], atol=1e-8)


@pytest.mark.slow
def test_the_modes_turn_with_the_data():
    centers, weights, bandwidth = machine()
    turn = plane(2, 2)
    one = find_modes(centers, weights, bandwidth)
    other = find_modes(3 * centers @ turn + 7, weights, 3 * bandwidth)
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_allclose(3 * one.locations @ turn + 7, other.locations, atol=1e-6)


def test_a_start_at_which_weights_cancel_stays_there():
    centers = np.array([[0.0], [0.0], [5.0]])
    ascent = mean_shift(centers, centers, np.array([1.0, -1.0, 1e-9]), 0.5)
    assert np.isfinite(ascent.points).all()
    np.testing.assert_allclose(ascent.points[2], 5.0)


@pytest.mark.slow
def test_a_start_at_which_weights_nearly_cancel_finds_its_mode_all_the_same():
    centers = np.array([[0.0], [1e-3], [0.5]])
    weights = np.array([1.0, -1.0, 1e-12])
    ascent = mean_shift(centers, centers, weights, 0.5)
    assert ascent.is_converged.all()
    np.testing.assert_allclose(np.abs(ascent.points[:, 0]), 0.5, atol=1e-2)


def test_exactly_cancelling_weights_leave_a_mode_without_a_sign():
    centers = np.zeros((2, 1))
    modes = find_modes(centers, np.array([1.0, -1.0]), 0.5)
    np.testing.assert_array_equal(modes.values, 0)
    np.testing.assert_array_equal(modes.labels, 0)


def test_ends_are_linked_in_chains_but_not_across_signs():
    points = np.array([[0.0], [0.9], [1.8], [2.7], [9.0]])
    values = np.array([1.0, 1.0, 1.0, -1.0, 1.0])
    groups = merge_modes(
        MeanShiftResult(points, values, np.ones(5), np.ones(5, dtype=bool), 1), 1.0
    )
    assert groups[0] == groups[1] == groups[2]
    assert len(set(groups.tolist())) == 3


@pytest.mark.parametrize("n_points", [1, 5, 20])
def test_chosen_points_cover_the_others(n_points):
    points = np.random.default_rng(0).normal(size=(200, 2))
    chosen = farthest_points(points, n_points)
    distances = np.linalg.norm(points[:, None] - points[chosen], axis=2)
    reach = distances.min(axis=1).max()
    between = distances[chosen] + 1e9 * np.eye(n_points)
    assert len(set(chosen.tolist())) == n_points
    assert between.min() >= reach


def test_all_points_are_chosen_where_they_are_few_or_equal():
    np.testing.assert_array_equal(farthest_points(np.arange(6.0).reshape(3, 2), 3), [0, 1, 2])
    assert len(farthest_points(np.ones((50, 2)), 10)) == 1

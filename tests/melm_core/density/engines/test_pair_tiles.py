from __future__ import annotations

import numpy as np
import pytest

from melm_core.density.engines.direct_sums import DirectPotentials
from melm_core.density.engines.pair_tiles import PairTiles, block_length

COUNTS = np.array([70, 9, 33])
# Coordinates keep fewer digits beside a large distance between the classes.
TOLERANCES = {np.float32: 2e-5, np.float64: 1e-9}
LOST_BY_DISTANCE = {0.5: 1.0, 80.0: 100.0}
each_precision = pytest.mark.parametrize("precision", TOLERANCES)


def projected(n_components: int, *, apart: float = 1.0, n_planes: int = 3):
    """Return rows and kernels of three classes in several planes."""
    rng = np.random.default_rng(n_components)
    planes = [
        [rng.normal(size=(count, n_components)) + apart * code for code, count in enumerate(COUNTS)]
        for _ in range(n_planes)
    ]
    roots = 0.5 * rng.normal(size=(n_planes, len(COUNTS), n_components, n_components))
    kernels = roots @ roots.swapaxes(-1, -2) + 0.2 * np.eye(n_components)
    return planes, kernels


def tiled(planes, kernels, precision):
    tiles = PairTiles(COUNTS, precision)
    points = np.stack([tiles.pad(rows).T for rows in planes])
    return tiles, tiles.potentials(points, kernels)


def assert_same_derivatives(tiles, potentials, planes, kernels, tolerance: float) -> None:
    weights = np.random.default_rng(0).normal(size=(len(planes), 3, 3))
    by_points, by_kernels = potentials.weighted_derivatives(weights)
    for number, rows in enumerate(planes):
        direct = DirectPotentials(rows, kernels[number])
        expected_points, expected_kernels = direct.weighted_derivatives(weights[number])
        scale = max(np.abs(expected).max() for expected in expected_points)
        for code, expected in enumerate(expected_points):
            found = by_points[number][:, tiles.rows_of(code)].T
            np.testing.assert_allclose(found, expected, atol=tolerance * scale)
        size = np.abs(expected_kernels).max()
        np.testing.assert_allclose(by_kernels[number], expected_kernels, atol=tolerance * size)


@each_precision
@pytest.mark.parametrize("n_components", [1, 2, 4])
@pytest.mark.parametrize("apart", LOST_BY_DISTANCE, ids=["near", "underflown"])
def test_tiles_sum_what_the_sums_over_pairs_of_rows_do(n_components, apart, precision):
    planes, kernels = projected(n_components, apart=apart)
    tiles, potentials = tiled(planes, kernels, precision)
    tolerance = TOLERANCES[precision] * LOST_BY_DISTANCE[apart]
    for number, rows in enumerate(planes):
        expected = DirectPotentials(rows, kernels[number]).log_values
        np.testing.assert_allclose(potentials.log_values[number], expected, rtol=tolerance)
    assert_same_derivatives(tiles, potentials, planes, kernels, 10 * tolerance)


@each_precision
def test_a_plane_has_the_same_bits_whatever_planes_are_beside_it(precision):
    planes, kernels = projected(2, n_planes=9)
    weights = np.random.default_rng(1).normal(size=(9, 3, 3))
    _, together = tiled(planes, kernels, precision)
    _, alone = tiled(planes[4:5], kernels[4:5], precision)
    np.testing.assert_array_equal(together.log_values[4:5], alone.log_values)
    of_all = together.weighted_derivatives(weights)
    of_one = alone.weighted_derivatives(weights[4:5])
    for derivatives, expected in zip(of_all, of_one, strict=True):
        np.testing.assert_array_equal(derivatives[4:5], expected)


@pytest.mark.parametrize("counts", [[2, 2], [5, 1_000], [180] * 10, [20] * 40, [3_000, 7]])
def test_blocks_are_no_longer_than_the_cache_allows_nor_than_the_largest_class(counts):
    length = block_length(np.array(counts))
    assert 1 <= length <= min(360, max(counts) + 8)

"""Kernel sums over weighted rows are those over repeated rows, in every engine."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.density import ClassDensities
from melm_core.density.engines.direct_sums import DirectPotentials, log_potential
from melm_core.density.engines.distant_samples import tilted_log_potential
from melm_core.density.engines.fourier_series import FourierPotentials
from melm_core.density.engines.pair_tiles import PairTiles

RNG = np.random.default_rng(0)
COUNTS = np.array([13, 20])
ROWS = [RNG.normal(size=(count, 2)) + np.array([code, 0.0]) for code, count in enumerate(COUNTS)]
WEIGHTS = [RNG.integers(1, 4, count).astype(float) for count in COUNTS]
KERNELS = np.array([[[0.3, 0.1], [0.1, 0.4]], [[0.2, 0.0], [0.0, 0.5]]])
SHARES = np.array([[1.0, -2.0], [0.0, 0.5]])


def repeated(code):
    return np.repeat(ROWS[code], WEIGHTS[code].astype(int), axis=0)


def sums_of_repeated(by_points):
    """Derivatives by copies of a row add up to that by the row."""
    return [
        np.add.reduceat(part, np.r_[0, np.cumsum(own)[:-1]].astype(int))
        for part, own in zip(by_points, WEIGHTS, strict=True)
    ]


@pytest.fixture(scope="module")
def expected():
    potentials = DirectPotentials([repeated(0), repeated(1)], KERNELS)
    by_points, by_covariances = potentials.weighted_derivatives(SHARES)
    return potentials.log_values, sums_of_repeated(by_points), by_covariances


@pytest.mark.parametrize("engine", [DirectPotentials, FourierPotentials])
def test_potentials_and_their_derivatives(engine, expected):
    potentials = engine(ROWS, KERNELS, WEIGHTS)
    by_points, by_covariances = potentials.weighted_derivatives(SHARES)
    np.testing.assert_allclose(potentials.log_values, expected[0], atol=1e-8)
    for one, other in zip(by_points, expected[1], strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)
    np.testing.assert_allclose(by_covariances, expected[2], atol=1e-8)


@pytest.mark.parametrize("offset", [0.0, 400.0])
def test_potentials_of_several_planes_in_tiles(offset):
    shift = [np.zeros(2), np.array([offset, 0.0])]  # so far that the kernel values underflow
    rows = [part + by for part, by in zip(ROWS, shift, strict=True)]
    tiles = PairTiles(COUNTS, weights=WEIGHTS)
    points = tiles.pad(rows).T[None]
    potentials = tiles.potentials(points, KERNELS[None])
    direct = DirectPotentials(rows, KERNELS, WEIGHTS)
    np.testing.assert_allclose(potentials.log_values[0], direct.log_values, rtol=1e-10)
    by_points, by_covariances = potentials.weighted_derivatives(SHARES[None])
    of_points, of_covariances = direct.weighted_derivatives(SHARES)
    for code in range(2):
        tiled = by_points[0][:, tiles.rows_of(code)].T
        np.testing.assert_allclose(tiled, of_points[code], atol=1e-9)
    np.testing.assert_allclose(by_covariances[0], of_covariances, atol=1e-9)


def test_the_potential_of_distant_classes_by_tilting():
    far = ROWS[1] + np.array([60.0, 0.0])
    arguments = (ROWS[0], far, KERNELS.sum(axis=0), *WEIGHTS)
    tilted, direct = tilted_log_potential(*arguments), log_potential(*arguments)
    assert tilted.value == pytest.approx(direct.value, rel=1e-10)
    np.testing.assert_allclose(tilted.by_first, direct.by_first, atol=1e-8)
    np.testing.assert_allclose(tilted.by_second, direct.by_second, atol=1e-8)


@pytest.mark.parametrize("n_points", [30, 40_000])  # summed directly, and by transforms
def test_densities(n_points):
    points = RNG.normal(size=(n_points, 2))
    weighted = ClassDensities(tuple(ROWS), KERNELS, weights=tuple(WEIGHTS))
    again = ClassDensities((repeated(0), repeated(1)), KERNELS)
    logs = weighted.log_densities(points)
    np.testing.assert_allclose(logs, again.log_densities(points), atol=1e-4)
    sure = np.abs(logs[:, 0] - logs[:, 1]) > 1e-3
    assert (weighted.most_likely(points) == logs.argmax(axis=1))[sure].all()

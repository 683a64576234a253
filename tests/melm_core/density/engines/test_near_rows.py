"""Densities summed over near rows are those summed over all."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.density.engines import near_rows
from melm_core.density.engines.direct_sums import log_density
from melm_core.density.engines.near_rows import NearRows

RNG = np.random.default_rng(0)
WEIGHTS = 1.0 + np.arange(700) % 3


def rows_of(n_components: int) -> np.ndarray:
    """Correlated rows, one of them far from all others."""
    mixing = np.eye(n_components) + 0.5
    return np.concatenate(
        [RNG.standard_normal((699, n_components)) @ mixing, np.full((1, n_components), 40.0)]
    )


def covariance_of(rows: np.ndarray) -> np.ndarray:
    return 0.04 * np.atleast_2d(np.cov(rows[:-1].T))


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("factor", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_densities_agree_with_sums_over_all_rows(n_components, factor, weights, monkeypatch):
    monkeypatch.setattr(near_rows, "_BLOCK_PAIRS", 1000)  # several blocks
    rows = rows_of(n_components)
    kernel = covariance_of(rows)
    points = np.concatenate([rows[::3], 1.3 * rows[::5], np.full((2, n_components), -1e3)])
    found = NearRows.of(rows, kernel, weights).density(points, factor**2 * kernel)
    expected = np.exp(log_density(points, rows, factor**2 * kernel, weights))
    origin = np.zeros((1, n_components))
    peak = float(np.exp(log_density(origin, origin, factor**2 * kernel))[0])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * peak)


def test_a_kernel_of_another_shape_is_summed_too():
    rows = rows_of(2)
    near = NearRows.of(rows, covariance_of(rows))
    kernel = np.array([[0.5, -0.2], [-0.2, 0.1]])
    expected = np.exp(log_density(rows, rows, kernel))
    np.testing.assert_allclose(near.density(rows, kernel), expected, rtol=1e-9)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("factor", [0.1, 1.0, 5.0])
def test_a_grid_holds_the_densities_at_its_nodes(factor, weights):
    rows = rows_of(2)
    kernel = factor**2 * covariance_of(rows)
    near = NearRows.of(rows, covariance_of(rows), weights)
    x, y, found = near.density_on_grid(kernel, 30, 3.0)
    nodes = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2) @ np.linalg.inv(near.root)
    expected = near.density(nodes, kernel).reshape(30, 30)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * expected.max())


def test_the_number_of_pairs_falls_with_the_kernel_width():
    rows = rows_of(2)
    near = NearRows.of(rows, covariance_of(rows))
    wide, narrow = (near.n_pairs(rows, f**2 * covariance_of(rows)) for f in (10.0, 0.1))
    assert wide == pytest.approx(len(rows) ** 2, rel=0.2)
    assert narrow < wide / 20

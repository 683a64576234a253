from __future__ import annotations

import numpy as np
import pytest

from melm_core.kernel_machines.independent_axes import fourth_cumulants, independent_axes
from melm_core.kernel_machines.mixture_moments import mixture_covariance
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import invertible, plane


def mixture(seed=0, n_features=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(6, n_features)), rng.dirichlet(np.ones(6))


def lattice(turn):
    """Return centers on a lattice of 3 by 2 unequal spacings and weights, turned."""
    first, second = np.meshgrid([0.0, 1.0, 2.5], [0.0, 0.8], indexing="ij")
    weights = np.outer([0.2, 0.5, 0.3], [0.35, 0.65])
    return np.column_stack([first.ravel(), second.ravel()]) @ turn, weights.ravel()


def test_the_cumulants_are_those_of_the_density_by_quadrature():
    centers, weights = mixture()
    bandwidth = 0.7
    line = np.linspace(-9, 9, 401)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    squares = np.square(grid[:, None] - centers).sum(axis=2)
    density = np.exp(-squares / (2 * bandwidth**2)) @ weights
    density /= density.sum()
    centered = grid - density @ grid
    R = (centered * density[:, None]).T @ centered
    lengths = np.square(centered).sum(axis=1)
    Q = (centered * (density * lengths)[:, None]).T @ centered - R * np.trace(R) - 2 * R @ R
    np.testing.assert_allclose(mixture_covariance(centers, weights, bandwidth)[1], R, atol=1e-9)
    np.testing.assert_allclose(fourth_cumulants(centers, weights), Q, atol=1e-9)


@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_the_axes_make_the_covariance_white_and_the_cumulants_diagonal(n_features):
    centers, weights = mixture(n_features=n_features)
    _, covariance = mixture_covariance(centers, weights, 0.5)
    cumulants = fourth_cumulants(centers, weights)
    axes = independent_axes(covariance, cumulants)
    np.testing.assert_allclose(axes @ covariance @ axes.T, np.eye(n_features), atol=1e-10)
    diagonal = axes @ cumulants @ axes.T
    np.testing.assert_allclose(diagonal, np.diag(np.diag(diagonal)), atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_the_axes_of_a_turned_lattice_are_its_rotation(seed):
    turn = plane(2, 2, seed)
    centers, weights = lattice(turn)
    _, covariance = mixture_covariance(centers, weights, 0.6)
    axes = independent_axes(covariance, fourth_cumulants(centers, weights))
    for row in turn:
        angles = [principal_angles(axis[None], row[None])[0] for axis in axes]
        assert min(angles) < 1e-6


def test_linearly_mixed_independent_sources_are_unmixed():
    # Without bumps the sources may be mixed by any matrix, not only turned.
    mixing = invertible(2)
    centers, weights = lattice(mixing)
    _, covariance = mixture_covariance(centers, weights, 0.0)
    axes = independent_axes(covariance, fourth_cumulants(centers, weights))
    gains = np.abs(mixing @ axes.T)
    np.testing.assert_allclose(np.sort(gains, axis=1)[:, 0], 0, atol=1e-8)


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_a_gaussian_gets_its_principal_axes(spread):
    covariance = np.diag([1.0 + spread, 1.0, 3.0])
    axes = independent_axes(covariance, np.zeros((3, 3)))
    np.testing.assert_allclose(axes @ covariance @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(axes @ axes.T, np.diag(np.diag(axes @ axes.T)), atol=1e-12)

from __future__ import annotations

import numpy as np
import pytest

from melm_core.kernel_machines.independent_axes import (
    dependence,
    fourth_cumulants,
    independent_axes,
    least_dependent_axes,
)
from melm_core.kernel_machines.separable_sum import mixture_covariance
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import finite_differences, invertible, plane

WIDTHS = np.array([0.5, 0.7, 0.7, 1.2, 0.4, 0.9])
SAME = np.full(6, 0.6)


def mixture(seed=0, n_features=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(6, n_features)), rng.dirichlet(np.ones(6))


def lattice(turn):
    """Return centers on a lattice of 3 by 2 unequal spacings and weights, turned."""
    first, second = np.meshgrid([0.0, 1.0, 2.5], [0.0, 0.8], indexing="ij")
    weights = np.outer([0.2, 0.5, 0.3], [0.35, 0.65])
    return np.column_stack([first.ravel(), second.ravel()]) @ turn, weights.ravel()


@pytest.mark.parametrize("widths", [SAME, WIDTHS], ids=["one width", "own widths"])
def test_the_cumulants_are_those_of_the_density_by_quadrature(widths):
    centers, weights = mixture()
    line = np.linspace(-9, 9, 401)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    squares = np.square(grid[:, None] - centers).sum(axis=2)
    density = np.exp(-squares / (2 * widths**2)) @ (weights / widths**2)
    density /= density.sum()
    centered = grid - density @ grid
    R = (centered * density[:, None]).T @ centered
    lengths = np.square(centered).sum(axis=1)
    Q = (centered * (density * lengths)[:, None]).T @ centered - R * np.trace(R) - 2 * R @ R
    np.testing.assert_allclose(mixture_covariance(centers, weights, widths**2)[1], R, atol=1e-9)
    np.testing.assert_allclose(fourth_cumulants(centers, weights, widths**2), Q, atol=1e-8)


@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_the_axes_make_the_covariance_white_and_the_cumulants_diagonal(n_features):
    centers, weights = mixture(n_features=n_features)
    _, covariance = mixture_covariance(centers, weights, np.full(6, 0.25))
    cumulants = fourth_cumulants(centers, weights, np.full(6, 0.25))
    axes = independent_axes(covariance, cumulants)
    np.testing.assert_allclose(axes @ covariance @ axes.T, np.eye(n_features), atol=1e-10)
    diagonal = axes @ cumulants @ axes.T
    np.testing.assert_allclose(diagonal, np.diag(np.diag(diagonal)), atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_the_axes_of_a_turned_lattice_are_its_rotation(seed):
    turn = plane(2, 2, seed)
    centers, weights = lattice(turn)
    _, covariance = mixture_covariance(centers, weights, SAME**2)
    axes = independent_axes(covariance, fourth_cumulants(centers, weights, SAME**2))
    for row in turn:
        angles = [principal_angles(axis[None], row[None])[0] for axis in axes]
        assert min(angles) < 1e-6


def test_linearly_mixed_independent_sources_are_unmixed():
    # Without bumps the sources may be mixed by any matrix, not only turned.
    mixing = invertible(2)
    centers, weights = lattice(mixing)
    _, covariance = mixture_covariance(centers, weights, np.zeros(6))
    axes = independent_axes(covariance, fourth_cumulants(centers, weights, np.zeros(6)))
    gains = np.abs(mixing @ axes.T)
    np.testing.assert_allclose(np.sort(gains, axis=1)[:, 0], 0, atol=1e-8)


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_a_gaussian_gets_its_principal_axes(spread):
    covariance = np.diag([1.0 + spread, 1.0, 3.0])
    axes = independent_axes(covariance, np.zeros((3, 3)))
    np.testing.assert_allclose(axes @ covariance @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(axes @ axes.T, np.diag(np.diag(axes @ axes.T)), atol=1e-12)


def offsets_of(centers, weights):
    return centers - weights @ centers


@pytest.mark.parametrize("widths", [SAME, WIDTHS], ids=["one width", "own widths"])
def test_the_dependence_has_the_gradient_of_finite_differences(widths):
    centers, weights = mixture(n_features=3)
    axes, offsets = invertible(3), offsets_of(centers, weights)
    _, gradient = dependence(axes, offsets, weights, widths**2)
    slopes = finite_differences(
        lambda flat: dependence(flat.reshape(3, 3), offsets, weights, widths**2)[0], axes.ravel()
    )
    np.testing.assert_allclose(gradient.ravel(), slopes, atol=1e-6)


def test_the_dependence_is_the_divergence_from_the_product_by_quadrature():
    centers, weights = mixture()
    turn = plane(2, 2)
    line = np.linspace(-9, 9, 601)
    step = line[1] - line[0]

    def mean_log_ratio(axes):
        turned = offsets_of(centers, weights) @ axes.T
        parts = [
            np.exp(-np.square(line[:, None] - turned[:, d]) / (2 * WIDTHS**2)) / WIDTHS
            for d in range(2)
        ]
        joint = (parts[1] * weights) @ parts[0].T / (2 * np.pi)
        marginals = [part @ weights / np.sqrt(2 * np.pi) for part in parts]
        product = np.outer(marginals[1], marginals[0])
        kept = joint > 1e-300
        return step**2 * np.sum(joint[kept] * np.log(joint[kept] / product[kept]))

    values = [
        dependence(axes, offsets_of(centers, weights), weights, WIDTHS**2)[0]
        for axes in (np.eye(2), turn)
    ]
    wanted = [mean_log_ratio(axes) for axes in (np.eye(2), turn)]
    assert values[0] - values[1] == pytest.approx(wanted[0] - wanted[1], abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_least_dependent_axes_are_no_worse_than_the_cumulants(seed):
    centers, weights = mixture(seed, n_features=3)
    offsets = offsets_of(centers, weights)
    _, covariance = mixture_covariance(centers, weights, SAME**2)
    start = independent_axes(covariance, fourth_cumulants(centers, weights, SAME**2))
    found = least_dependent_axes(offsets, weights, SAME**2, start)
    np.testing.assert_allclose(np.diag(found @ covariance @ found.T), 1, atol=1e-10)
    reached, begun = (dependence(axes, offsets, weights, SAME**2)[0] for axes in (found, start))
    assert reached < begun


@pytest.mark.parametrize("seed", range(3))
def test_the_least_dependent_axes_of_a_turned_lattice_are_its_rotation(seed):
    turn = plane(2, 2, seed)
    centers, weights = lattice(turn)
    offsets = offsets_of(centers, weights)
    found = least_dependent_axes(offsets, weights, SAME**2, np.eye(2))
    for row in turn:
        assert min(principal_angles(axis[None], row[None])[0] for axis in found) < 1e-3


def test_a_single_gaussian_keeps_its_axes():
    start = invertible(2)
    found = least_dependent_axes(np.zeros((1, 2)), np.ones(1), np.ones(1), start)
    np.testing.assert_array_equal(found, start)

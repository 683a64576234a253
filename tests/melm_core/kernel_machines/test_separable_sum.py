from __future__ import annotations

import numpy as np
import pytest

from melm_core.kernel_machines.separable_sum import (
    dependence,
    fourth_cumulants,
    gaussian_moments,
    independent_axes,
    least_dependent_axes,
    mixture_covariance,
    mixture_moments,
    separable_sum,
)
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import finite_differences, invertible, plane

WIDTHS = np.array([0.5, 0.7, 0.7, 1.2, 0.4, 0.9])
SAME = np.full(6, 0.6)


def groups(seed=0, n_features=2):
    rng = np.random.default_rng(seed)
    centers, weights = rng.normal(size=(15, n_features)), rng.uniform(0.2, 1.0, size=15)
    return centers, weights, np.ones(15), [np.arange(6), np.arange(6, 14), np.array([14])]


def own_widths(seed=0):
    centers, weights, _, members = groups(seed)
    return centers, weights, np.random.default_rng(seed).uniform(0.5, 1.5, size=15), members


KERNELS = pytest.mark.parametrize("kernels", [groups, own_widths])


@pytest.mark.parametrize("n_features", [1, 2, 4])
@pytest.mark.parametrize("method", ["exact", "paper"])
def test_single_bumps_are_themselves(n_features, method):
    centers, weights, _, _ = groups(n_features=n_features)
    widths = np.random.default_rng(2).uniform(0.5, 1.5, size=15)
    singles = [np.array([i]) for i in range(15)]
    found = separable_sum(centers, weights, widths, singles, method=method)
    X = np.random.default_rng(1).normal(size=(50, n_features))
    squares = np.square(X[:, None] - centers).sum(axis=2)
    expected = weights * np.exp(-squares / (2 * widths**2))
    np.testing.assert_allclose(found.component_values(X), expected, rtol=1e-8)


@pytest.mark.parametrize("method", ["exact", "paper"])
@pytest.mark.parametrize("order", [2, 4, 6])
@KERNELS
def test_the_integral_of_a_component_is_that_of_its_bumps(kernels, method, order):
    centers, weights, widths, members = kernels()
    found = separable_sum(centers, weights, widths, members, order=order, method=method)
    line = np.linspace(-12, 12, 401)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    integrals = found.component_values(grid).sum(axis=0) * (line[1] - line[0]) ** 2
    expected = [2 * np.pi * (weights * widths**2)[which].sum() for which in members]
    np.testing.assert_allclose(integrals, expected, rtol=1e-6)


@KERNELS
def test_the_exact_components_have_mean_and_covariance_of_their_bumps(kernels):
    centers, weights, widths, members = kernels()
    found = separable_sum(centers, weights, widths, members)
    line = np.linspace(-12, 12, 401)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    values = found.component_values(grid)
    for which, density in zip(members, (values / values.sum(axis=0)).T, strict=True):
        masses = (weights * widths**2)[which]
        shares = masses / masses.sum()
        mean = density @ grid
        np.testing.assert_allclose(mean, shares @ centers[which], atol=1e-8)
        spread = (grid - mean) * density[:, None]
        offsets = centers[which] - mean
        expected = (offsets * shares[:, None]).T @ offsets
        expected += (shares @ widths[which] ** 2) * np.eye(2)
        np.testing.assert_allclose(spread.T @ (grid - mean), expected, atol=1e-8)


def test_along_the_least_dependent_axes_the_variances_are_those_of_the_bumps():
    centers, weights, widths, members = own_widths()
    found = separable_sum(centers, weights, widths, members, axes="divergence")
    for which, axes in zip(members, found.axes, strict=True):
        shares = (weights * widths**2)[which] / (weights * widths**2)[which].sum()
        offsets = (centers[which] - shares @ centers[which]) @ axes.T
        own = np.outer(widths[which] ** 2, np.square(axes).sum(axis=1))
        np.testing.assert_allclose(shares @ (np.square(offsets) + own), 1.0, atol=1e-8)


def test_the_sum_is_that_of_the_components_whatever_the_number_of_rows():
    found = separable_sum(*groups())
    X = np.random.default_rng(1).normal(size=(20_000, 2))
    amplitudes = np.array([1.0, -1.0, 0.3])
    together = found.values(X, amplitudes)
    np.testing.assert_allclose(together, found.component_values(X) @ amplitudes, atol=1e-12)
    np.testing.assert_allclose(together[:7], found.values(X[:7], amplitudes), atol=1e-12)


def test_a_mapped_sum_is_the_sum_at_mapped_rows():
    found = separable_sum(*groups())
    linear, origin = invertible(2), np.array([3.0, -4.0])
    X = origin + np.random.default_rng(1).normal(size=(30, 2))
    mapped = found.mapped(linear, origin)
    expected = found.component_values((X - origin) @ linear)
    np.testing.assert_allclose(mapped.component_values(X), expected, rtol=1e-10)


def test_rows_far_away_are_zero_and_finite():
    values = separable_sum(*groups()).component_values(np.full((2, 2), 1e6))
    assert (values < 1e-200).all()
    assert (values >= 0).all()


LINE = np.linspace(-15, 15, 6001)
STEP = LINE[1] - LINE[0]


def gaussian(x, mean, variance):
    return np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)


@pytest.mark.parametrize("mean", [-1.3, 0.0, 2.0])
@pytest.mark.parametrize("variance", [0.2, 1.7])
def test_the_moments_to_order_eight_are_the_integrals(mean, variance):
    density = gaussian(LINE, mean, variance)
    expected = [STEP * (density @ LINE**k) for k in range(9)]
    moments = gaussian_moments(np.array([mean]), np.array(variance), 8)
    np.testing.assert_allclose(moments[:, 0], expected, rtol=1e-11, atol=1e-11)


def test_the_first_four_moments_are_those_of_the_paper():
    mu, v = 0.7, 0.3
    expected = [1, mu, mu**2 + v, mu * (mu**2 + 3 * v), mu**4 + 6 * mu**2 * v + 3 * v**2]
    np.testing.assert_allclose(gaussian_moments(np.array(mu), np.array(v), 4), expected)


@pytest.mark.parametrize("weights", [[0.2, 0.5, 0.3], [1.5, -0.9, 0.4]], ids=["positive", "signed"])
def test_the_moments_of_a_mixture_are_the_integrals(weights):
    positions = np.array([[-1.0, 0.3], [0.5, 2.0], [2.0, -1.0]])
    variances = np.array([0.4, 0.9])
    moments = mixture_moments(positions, np.array(weights), variances, 8)
    for axis, variance in enumerate(variances):
        bumps = gaussian(LINE, positions[:, axis, None], variance)
        expected = [STEP * (weights @ bumps @ LINE**k) for k in range(9)]
        np.testing.assert_allclose(moments[:, axis], expected, rtol=1e-10, atol=1e-10)


def test_gaussians_of_their_own_widths_have_the_moments_of_the_integrals():
    positions, weights = np.array([[-1.0], [0.5], [2.0]]), np.array([0.2, 0.5, 0.3])
    variances = np.array([[0.4], [0.9], [0.1]])
    moments = mixture_moments(positions, weights, variances, 8)
    density = weights @ gaussian(LINE, positions, variances)
    expected = [STEP * (density @ LINE**k) for k in range(9)]
    np.testing.assert_allclose(moments[:, 0], expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_mean_and_covariance_of_a_mixture_agree_with_its_moments(shift):
    rng = np.random.default_rng(0)
    centers, weights = rng.normal(size=(7, 3)), rng.dirichlet(np.ones(7))
    mean, covariance = mixture_covariance(centers + shift, weights, np.full(7, 0.36))
    np.testing.assert_allclose(mean - shift, weights @ centers, atol=1e-9)
    moments = mixture_moments(centers - weights @ centers, weights, np.full(3, 0.36), 2)
    np.testing.assert_allclose(np.diag(covariance), moments[2], rtol=1e-8)
    np.testing.assert_allclose(
        covariance - 0.36 * np.eye(3), np.cov(centers.T, aweights=weights, ddof=0), atol=1e-8
    )


def test_equal_centers_have_the_covariance_of_one_bump():
    _, covariance = mixture_covariance(np.full((5, 2), 0.1), np.full(5, 0.2), np.full(5, 4.0))
    np.testing.assert_array_equal(covariance, 4.0 * np.eye(2))


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

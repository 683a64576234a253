from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from melm_core.density.kernel_density import kernel_classes
from melm_core.rotations.density_models import (
    FLAT_CLASS_SHRINKAGE,
    gaussian_per_class,
    kernels_per_class,
    mixture_per_class,
    regularize_flat,
)
from melm_core.rotations.objective import PosteriorObjective, checked_priors
from tests.melm_core.helpers import assert_gradient, classes, finite_differences, plane

FAMILIES = {
    "gaussian": lambda X, y, m: gaussian_per_class(X, y),
    "mixture": lambda X, y, m: mixture_per_class(X, y, n_components=m, n_mixture=3, random_state=0),
    "kde": lambda X, y, m: kernels_per_class(X, y, n_components=m, gamma=0.7),
}


def family(name, m=2, n_classes=3):
    X, y = classes(n_classes, 5)
    return FAMILIES[name](X, y, m), X, y


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("name", FAMILIES)
def test_the_gradient_of_the_objective_agrees_with_central_differences(name, m):
    densities, _, y = family(name, m)
    objective = PosteriorObjective(densities, y, checked_priors(None, y))
    W = np.random.default_rng(m).normal(size=(m, 5))
    _, gradient = objective(W)
    assert_gradient(gradient, finite_differences(lambda at: objective(at)[0], W))


@pytest.mark.parametrize("name", FAMILIES)
def test_any_weights_are_pulled_back(name):
    densities, _, y = family(name)
    weights = np.random.default_rng(0).normal(size=(len(y), 3))
    W = np.random.default_rng(1).normal(size=(2, 5))
    gradient = densities.project(W).pull_back(weights)
    expected = finite_differences(
        lambda at: float((weights * densities.project(at).log_values).sum()), W
    )
    assert_gradient(gradient, expected)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_objective_depends_on_the_span_only(name):
    densities, _, y = family(name)
    objective = PosteriorObjective(densities, y, checked_priors(None, y))
    W = plane(2, 5)
    turned = np.array([[2.0, 1.0], [-0.5, 1.5]]) @ W
    assert objective(turned)[0] == pytest.approx(objective(W)[0], abs=1e-10)


@pytest.mark.parametrize("name", FAMILIES)
def test_in_the_plane_the_densities_at_the_rows_are_those_of_the_search(name):
    densities, X, _ = family(name)
    W = plane(2, 5)
    np.testing.assert_allclose(
        densities.in_plane(W).log_densities(X @ W.T), densities.project(W).log_values, rtol=1e-10
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_the_densities_have_mass_one(name):
    densities, _, _ = family(name, m=1)
    W = plane(1, 5)
    line = np.linspace(-60, 60, 20_001)
    mass = np.exp(densities.in_plane(W).log_densities(line[:, None])).sum(axis=0)
    np.testing.assert_allclose(mass * (line[1] - line[0]), 1.0, rtol=1e-6)


def test_the_kernel_densities_are_those_of_melm_in_its_affine_invariant_form():
    densities, X, y = family("kde")
    W = plane(2, 5)
    classes_of = kernel_classes(X, y, n_components=2, gamma=0.7, shrinkage="auto")
    projected = classes_of.project(W)
    np.testing.assert_allclose(densities.project(W).log_values, projected.log_densities(X @ W.T))


def test_a_mixture_of_one_is_the_gaussian():
    X, y = classes(3, 5)
    one = mixture_per_class(X, y, n_components=2, n_mixture=1, random_state=0)
    np.testing.assert_allclose(
        one.project(plane(2, 5)).log_values,
        gaussian_per_class(X, y).project(plane(2, 5)).log_values,
        rtol=1e-12,
    )


def test_a_mixture_is_the_weighted_sum_of_its_gaussians():
    densities, X, _ = family("mixture")
    gaussians = densities.gaussians.project(plane(2, 5))
    Z = X @ plane(2, 5).T
    terms = np.column_stack(
        [
            share + multivariate_normal(mean, covariance).logpdf(Z)
            for share, mean, covariance in zip(
                gaussians.log_shares(), gaussians.means, gaussians.covariances, strict=True
            )
        ]
    )
    owners = gaussians.owners()
    expected = np.column_stack([logsumexp(terms[:, owners == c], axis=1) for c in range(3)])
    np.testing.assert_allclose(gaussians.log_densities(Z), expected, rtol=1e-9)
    for code in range(3):
        assert np.exp(gaussians.log_shares()[owners == code]).sum() == pytest.approx(1.0)


def test_two_clusters_a_class_are_found_by_the_mixture():
    rng = np.random.default_rng(0)
    corner = rng.choice([-3.0, 3.0], size=200)
    X = np.column_stack([corner, rng.normal(size=200)]) + rng.normal(scale=0.3, size=(200, 2))
    y = (np.arange(200) % 2).astype(np.int64)
    mixture = mixture_per_class(X, y, n_components=1, n_mixture=2, random_state=0)
    means = np.sort(mixture.gaussians.means[:, 0].reshape(2, 2), axis=1)
    np.testing.assert_allclose(means, [[-3.0, 3.0]] * 2, atol=0.3)


def test_a_small_class_has_as_many_gaussians_as_its_rows_can_fill():
    X, y = classes(2, 4)
    X, y = X[:28], y[:28]  # 23 rows and 5
    mixture = mixture_per_class(X, y, n_components=2, n_mixture=3, random_state=0)
    assert mixture.gaussians.owners().tolist().count(1) == 1
    assert np.isfinite(regularize_flat(mixture).project(plane(2, 4)).log_values).all()


def test_classes_that_vary_in_every_direction_stay_as_they_are():
    densities = gaussian_per_class(*classes(3, 5))
    np.testing.assert_array_equal(
        regularize_flat(densities).gaussians.covariances, densities.gaussians.covariances
    )


def test_a_flat_class_gets_a_small_share_of_the_pooled_spread_and_the_others_nothing():
    X, y = classes(3, 5)
    X = np.where((y == 1)[:, None] & (np.arange(5) == 2), 4.0, X)
    densities = gaussian_per_class(X, y)
    lifted = regularize_flat(densities).gaussians.covariances
    np.testing.assert_array_equal(lifted[[0, 2]], densities.gaussians.covariances[[0, 2]])
    pooled = np.average(densities.gaussians.covariances, axis=0, weights=np.bincount(y))
    relative = np.linalg.eigvals(np.linalg.solve(pooled, lifted[1])).real
    assert relative.min() == pytest.approx(FLAT_CLASS_SHRINKAGE, rel=1e-6)

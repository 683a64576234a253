"""A fit to rows of whole weights is a fit to rows that are repeated as often."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.density.covariances import fixed_axes
from melm_core.density.kernel_density import whitened_kernel_classes
from melm_core.linalg import principal_angles
from melm_core.melm import MELM, divergence_and_gradient
from tests.melm_core.helpers import classes, invertible, plane

N_FEATURES = {"tall": 5, "wide": 90}
each_shape = pytest.mark.parametrize("n_features", N_FEATURES.values(), ids=N_FEATURES)


def weighted_and_repeated(n_features):
    """The same rows twice: with weights from 0 to 3, shuffled, and repeated so often."""
    X, y = classes(3, n_features)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, len(y))
    order = rng.permutation(len(y))
    return (X[order], y[order], weights[order]), (np.repeat(X, weights, 0), np.repeat(y, weights))


@each_shape
@pytest.mark.parametrize("shrinkage", ["ledoit-wolf", "auto", 0.3, 0.0])
def test_whitening_densities_objective_and_gradient_are_those_of_repeated_rows(
    n_features, shrinkage
):
    (X, y, weights), repeated = weighted_and_repeated(n_features)
    kept = weights > 0
    settings = {"n_components": 2, "shrinkage": shrinkage}
    own, whitener = whitened_kernel_classes(X[kept], y[kept], weights=weights[kept], **settings)
    other, expected = whitened_kernel_classes(*repeated, **settings)
    np.testing.assert_allclose(whitener, expected, atol=1e-9 * np.abs(expected).max())

    at = plane(2, whitener.shape[1])
    value, gradient = divergence_and_gradient(own, at)
    expected_value, expected_gradient = divergence_and_gradient(other, at)
    assert value == pytest.approx(expected_value, rel=1e-10)
    largest = np.abs(expected_gradient).max()
    np.testing.assert_allclose(gradient, expected_gradient, atol=1e-9 * largest)

    points = plane(2, 2) @ at
    np.testing.assert_allclose(
        own.project(at).log_densities(points @ at.T),
        other.project(at).log_densities(points @ at.T),
        rtol=1e-9,
    )


@each_shape
def test_a_given_plane_leads_to_the_plane_of_repeated_rows(n_features):
    (X, y, weights), repeated = weighted_and_repeated(n_features)
    melm = MELM().set_search(init=plane(2, n_features)[None], tol=1e-13)
    own = melm.fit(X, y, sample_weight=weights).components_
    expected = melm.fit(*repeated).components_
    # Sums in another order differ in their last digits, and an optimum is known to their root.
    np.testing.assert_allclose(own, expected, atol=2e-6)


@each_shape
def test_random_starts_are_those_of_repeated_rows(n_features):
    (X, y, weights), repeated = weighted_and_repeated(n_features)
    melm = MELM(n_init=9, random_state=0).set_search(max_iter=1)
    own = melm.fit(X, y, sample_weight=weights).start_results_
    for one, other in zip(own, melm.fit(*repeated).start_results_, strict=True):
        assert principal_angles(one.components, other.components)[-1] < 1e-3


def test_white_coordinates_have_the_same_axes_whatever_computed_them():
    whitener = invertible(6)[:, :4]
    turned = whitener @ np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    np.testing.assert_allclose(
        turned @ fixed_axes(turned), whitener @ fixed_axes(whitener), atol=1e-12
    )

"""Families of class densities of one's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone

from melm_core import principal_angles
from melm_core.rotations import ClassFamily, DifferentiableFamily, RotationPlane
from melm_core.rotations.class_families import family_per_class
from melm_core.rotations.density_models import gaussian_per_class
from melm_core.rotations.objective import PosteriorObjective, checked_priors
from tests.melm_core.helpers import assert_gradient, classes, plane


class Gaussian:
    def log_density(self, rows, points):
        covariance = np.cov(rows.T, ddof=0).reshape(2 * rows.shape[1:])
        return multivariate_normal.logpdf(points, rows.mean(axis=0), covariance).reshape(-1)


class Laplace:
    """A product over the coordinates, with its derivatives."""

    def log_density(self, rows, points):
        center, width = np.mean(rows, axis=0), np.sqrt(np.var(rows, axis=0))
        # A smooth Laplace density, up to a constant: sqrt(1 + t^2) for |t|.
        t = (points - center) / width
        return (-np.sqrt(1 + t**2) - np.log(width)).sum(axis=1)


class LaplaceWithDerivatives(Laplace):
    def derivatives(self, rows, points, weights):
        center, width = np.mean(rows, axis=0), np.sqrt(np.var(rows, axis=0))
        t = (points - center) / width
        pull = weights[:, None] * t / np.sqrt(1 + t**2)
        by_points = -pull / width
        by_width = ((pull * t).sum(axis=0) - weights.sum()) / width
        by_rows = (pull.sum(axis=0) / width + by_width * (rows - center) / width) / len(rows)
        return by_rows, by_points


def objectives(family, m=2):
    X, y = classes(3, 4)
    return PosteriorObjective(family_per_class(X, y, family), y, checked_priors(None, y)), X, y


@pytest.mark.parametrize("m", [1, 2])
def test_a_gaussian_of_ones_own_has_the_value_and_gradient_of_the_built_in_one(m):
    own, X, y = objectives(Gaussian())
    built_in = PosteriorObjective(gaussian_per_class(X, y), y, own.priors)
    for (value, gradient), (expected, of_expected) in [(own(plane(m, 4)), built_in(plane(m, 4)))]:
        assert value == pytest.approx(expected, abs=1e-10)
        assert_gradient(gradient, of_expected)


def test_derivatives_that_are_given_agree_with_the_differences():
    assert isinstance(LaplaceWithDerivatives(), DifferentiableFamily)
    assert not isinstance(Laplace(), DifferentiableFamily)
    (_, given), (_, taken) = (
        objectives(family)[0](plane(2, 4)) for family in (LaplaceWithDerivatives(), Laplace())
    )
    assert_gradient(given, taken)


def test_derivatives_that_are_given_are_used():
    class Counted(LaplaceWithDerivatives):
        calls = 0

        def derivatives(self, rows, points, weights):
            Counted.calls += 1
            return super().derivatives(rows, points, weights)

    objectives(Counted())[0](plane(2, 4))
    assert Counted.calls == 3


@pytest.mark.slow
def test_rotations_find_the_plane_of_the_built_in_gaussian():
    X, y = classes(2, 4)
    found = [
        RotationPlane(1, density=density, solver="lbfgs", n_init=4, random_state=0).fit(X, y)
        for density in ("gaussian", Gaussian())
    ]
    assert found[1].objective_ == pytest.approx(found[0].objective_, abs=1e-6)
    angles = principal_angles(found[1].components_, found[0].components_)
    assert angles.max() < 0.01
    np.testing.assert_allclose(found[1].predict_proba(X), found[0].predict_proba(X), atol=1e-3)


def test_a_product_density_predicts_in_the_frame_that_was_found():
    X, y = classes(2, 4)
    model = clone(RotationPlane(density=LaplaceWithDerivatives(), n_init=2, random_state=0))
    model.fit(X, y)
    assert -model.log_loss(X, y) == pytest.approx(model.objective_, abs=1e-9)


@pytest.mark.parametrize("density", ["normal", Gaussian, 3, None])
def test_what_is_no_family_is_refused(density):
    X, y = classes(2, 4)
    with pytest.raises(ValueError, match=r"density=.* must be one of 'gaussian', 'mixture', 'kde'"):
        RotationPlane(density=density).fit(X, y)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.zeros((n, 1)), r"returned the shape \(\d+, 1\).*one number for each point"),
        (lambda n: np.full(n, -np.inf), "returned -inf at a row.*return finite logarithms"),
    ],
)
def test_what_a_family_may_not_return_is_said(answer, message):
    class Broken:
        def log_density(self, rows, points):
            return answer(len(points))

    assert isinstance(Broken(), ClassFamily)
    X, y = classes(2, 4)
    with pytest.raises(ValueError, match=message):
        RotationPlane(density=Broken(), n_init=1).fit(X, y)

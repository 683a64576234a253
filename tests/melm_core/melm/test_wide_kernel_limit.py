"""The limit of wide kernels: every class as one Gaussian."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from melm_core.density.kernel_density import whitened_kernel_classes
from melm_core.linalg.planes import principal_angles
from melm_core.melm.objective import divergence_and_gradient
from melm_core.melm.search import wide_kernel_objective, wide_kernel_optima
from tests.melm_core.helpers import (
    assert_gradient,
    assert_orthonormal,
    classes,
    finite_differences,
    plane,
)


def value_and_gradient(classes, multiclass: str, components):
    values, gradients = wide_kernel_objective(classes, multiclass)(components[None])
    return values[0], gradients[0]


def prepared(n_classes: int = 3, n_features: int = 5):
    return whitened_kernel_classes(*classes(n_classes, n_features), n_components=2)[0]


@pytest.mark.parametrize("multiclass", ["mean", "softmin", "ovr"])
def test_the_gradient_agrees_with_finite_differences(multiclass):
    objective = partial(value_and_gradient, prepared(), multiclass)
    components = plane(2, 5)
    assert_gradient(
        objective(components)[1], finite_differences(lambda V: objective(V)[0], components)
    )


def test_for_two_classes_the_value_is_that_of_the_two_gaussians():
    known = prepared(2)
    components = plane(2, 5)
    means = [rows.mean(axis=0) @ components.T for rows in known.rows]
    spreads = [
        components @ (np.cov(rows.T, ddof=0) + kernel) @ components.T
        for rows, kernel in zip(known.rows, known.covariances, strict=True)
    ]

    def log_potential(a: int, b: int) -> float:
        return multivariate_normal(means[b], spreads[a] + spreads[b]).logpdf(means[a])

    expected = log_potential(0, 0) + log_potential(1, 1) - 2.0 * log_potential(0, 1)
    value, _ = value_and_gradient(known, "mean", components)
    assert value == pytest.approx(expected, rel=1e-7)


def test_the_divergence_of_ever_wider_kernels_tends_to_it():
    gaps = []
    for factor in (3.0, 30.0, 300.0):
        wide = prepared().widened(factor)
        limit, _ = value_and_gradient(wide, "mean", plane(2, 5))
        value, _ = divergence_and_gradient(wide, plane(2, 5), multiclass="mean")
        gaps.append(abs(value / limit - 1.0))
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-3


def test_the_optima_are_distinct_and_the_best_comes_first():
    wide = prepared().widened(1.5)
    objective = partial(value_and_gradient, wide, "softmin")
    planes = [plane(2, 5, seed) for seed in range(12)]
    found = wide_kernel_optima(wide, planes, multiclass="softmin", max_planes=4)
    values = [objective(components)[0] for components in found]
    assert values == sorted(values, reverse=True)
    assert values[0] >= max(objective(components)[0] for components in planes)
    assert np.abs(objective(found[0])[1]).max() < 1e-2  # the search is cut short
    for index, components in enumerate(found):
        assert_orthonormal(components)
        for other in found[:index]:
            assert principal_angles(components, other)[-1] >= 0.3


def test_no_more_optima_are_given_than_asked_for():
    planes = [plane(2, 5, seed) for seed in range(6)]
    assert len(wide_kernel_optima(prepared(), planes, multiclass="mean", max_planes=1)) == 1

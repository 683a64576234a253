from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from melm_core.density import whitened_kernel_classes
from melm_core.melm import AGGREGATES, MELMObjective, divergence_and_gradient


def iris(gamma: float):
    X, y = load_iris(return_X_y=True)
    classes, _ = whitened_kernel_classes(X, y, n_components=2, gamma=gamma)
    return classes, np.random.default_rng(0).normal(size=(5, 2, 4))


@pytest.mark.parametrize(("precision", "tolerance"), [(np.float32, 1e-4), (np.float64, 1e-9)])
@pytest.mark.parametrize("multiclass", AGGREGATES)
@pytest.mark.parametrize("gamma", [0.25, 1.0])
def test_it_is_the_divergence_of_each_plane(multiclass, gamma, precision, tolerance):
    classes, planes = iris(gamma)
    values, gradients = MELMObjective(classes, multiclass, precision).values_and_gradients(planes)
    for plane, value, gradient in zip(planes, values, gradients, strict=True):
        expected, by_components = divergence_and_gradient(
            classes, plane, engine="direct", multiclass=multiclass
        )
        assert value == pytest.approx(expected, rel=tolerance)
        scale = np.abs(by_components).max()
        np.testing.assert_allclose(gradient, by_components, atol=tolerance * scale)


def test_widened_kernels_are_those_of_widened_classes():
    classes, planes = iris(1.0)
    value, _ = MELMObjective(classes, "softmin").widened(1.7).values_and_gradients(planes)
    expected, _ = MELMObjective(classes.widened(1.7), "softmin").values_and_gradients(planes)
    np.testing.assert_allclose(value, expected, rtol=1e-12)


def batch_size(n_per_class: int) -> int:
    X = np.random.default_rng(0).normal(size=(2 * n_per_class, 3))
    y = np.repeat([0, 1], n_per_class)
    classes, _ = whitened_kernel_classes(X, y, n_components=2, gamma=1.0)
    return MELMObjective(classes, "mean").batch_size


def test_fewer_planes_go_together_the_more_rows_they_have():
    few, some, many = (batch_size(n) for n in (50, 700, 2_000))
    assert few > some > many == 1

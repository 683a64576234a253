from __future__ import annotations

import numpy as np
import pytest

from melm_core.linalg.planes import features_used, in_standard_units, principal_angles
from tests.melm_core.helpers import assert_orthonormal, invertible, plane


def test_the_plane_is_the_same_whatever_the_units_of_the_features():
    X = np.random.default_rng(0).normal(size=(50, 6)) @ invertible(6)
    units = np.array([1.0, 1e3, 1e-2, 7.0, 0.3, 20.0])
    components = plane(2, 6)
    one = in_standard_units(components, X.std(axis=0))
    other = in_standard_units(components / units, (X * units).std(axis=0))
    assert_orthonormal(one)
    np.testing.assert_allclose(principal_angles(one, other), 0, atol=1e-12)


def test_standardized_features_are_in_standard_units_already():
    components = plane(2, 6)
    np.testing.assert_allclose(in_standard_units(components, np.ones(6)), components, atol=1e-14)


@pytest.mark.parametrize("n_features", [2, 5, 40])
def test_features_that_weigh_the_same_all_count(n_features):
    circle = 2 * np.pi * np.arange(n_features) / n_features + 0.1
    components = np.array([np.cos(circle), np.sin(circle)])
    components /= np.linalg.norm(components, axis=1)[:, None]
    assert features_used(components) == pytest.approx(n_features)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_a_plane_of_axes_uses_as_many_features_as_it_has_axes(n_components):
    assert features_used(np.eye(7)[:n_components]) == pytest.approx(n_components)


def test_the_features_used_do_not_depend_on_the_frame():
    components = plane(3, 8)
    turned = plane(3, 3, seed=1) @ components
    assert features_used(turned) == pytest.approx(features_used(components))

"""More features than rows: the same planes, without matrices of features by features."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from melm_core.baselines.class_pca import ClassPCAPlane, PerClassPCAPlane
from melm_core.density import kernel_classes, kernel_density
from melm_core.linalg import principal_angles
from melm_core.linalg.smaller_tables import row_space
from melm_core.melm.objective import divergence_and_gradient
from melm_core.methods import METHODS
from tests.melm_core.helpers import EVERY_METHOD, assert_gradient, finite_differences, plane

N_FEATURES = 2_500


def wide(n_rows: int, n_features: int):
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % 2
    X = rng.standard_normal((n_rows, n_features)) * rng.uniform(0.5, 2.0, n_features) + 5.0
    X[:, :20] += 2.0 * y[:, None]
    return X, y


@pytest.mark.parametrize("method", EVERY_METHOD, ids=METHODS)
def test_no_method_forms_a_matrix_of_features_by_features(method):
    X, y = wide(24, N_FEATURES)
    estimator = method.estimator({"n_components": 2, "random_state": 0, "n_init": 2})
    if "max_iter" in estimator.get_params():
        estimator.set_params(max_iter=250)
    tracemalloc.start()
    try:
        projected = estimator.fit(X, y).transform(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert np.isfinite(projected).all()
    assert peak < 0.5 * N_FEATURES**2 * X.itemsize


@pytest.mark.parametrize(
    "plane", [ClassPCAPlane(), ClassPCAPlane(class_weight="balanced"), PerClassPCAPlane()], ids=str
)
def test_the_plane_is_that_of_the_coordinates_in_the_row_space(plane):
    X, y = wide(20, 60)
    space = row_space(X - X.mean(axis=0), 2)
    within = plane.fit(space.rows, y).components_
    assert principal_angles(space.lift(within), plane.fit(X, y).components_).max() < 1e-7


@pytest.mark.parametrize("shrinkage", [0.3, "ledoit-wolf"])
def test_projected_kernels_are_those_of_whole_covariances(shrinkage, monkeypatch):
    X, y = wide(16, 30)
    V = plane(2, 30)
    few = kernel_classes(X, y, n_components=2, shrinkage=shrinkage).project(V)
    monkeypatch.setattr(kernel_density, "is_wide", lambda *_: False)
    whole = kernel_classes(X, y, n_components=2, shrinkage=shrinkage).project(V)
    np.testing.assert_allclose(few.covariances, whole.covariances, rtol=1e-8)
    np.testing.assert_allclose(np.vstack(few.rows), np.vstack(whole.rows), atol=1e-9)


@pytest.mark.parametrize("shrinkage", [0.3, "ledoit-wolf"])
def test_the_gradient_of_the_divergence_agrees_with_finite_differences(shrinkage):
    X, y = wide(16, 30)
    classes, V = kernel_classes(X, y, n_components=2, shrinkage=shrinkage), plane(2, 30)
    _, gradient = divergence_and_gradient(classes, V)
    expected = finite_differences(lambda at: divergence_and_gradient(classes, at)[0], V)
    assert_gradient(gradient, expected)

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine
from sklearn.decomposition import KernelPCA

from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.methods.wrappers.principal_components import KernelPCAProjection
from tests.melm_core.helpers import classes

each_projection = pytest.mark.parametrize(
    "projection", [KernelPCAProjection, KernelFisherDiscriminant]
)


def gram(projection):
    """Return the scalar products of the axes in feature space."""
    squares = cdist(projection.X_fit_, projection.X_fit_, "sqeuclidean")
    kernel = np.exp(-squares / (2 * projection.bandwidth_**2))
    axes = getattr(projection, "axes_", projection.dual_coef_)
    return axes @ kernel @ axes.T


@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_kernel_pca_is_that_of_scikit_learn(n_components):
    X, _ = classes(3, 4)
    found = KernelPCAProjection(n_components).fit(X)
    expected = KernelPCA(n_components, kernel="rbf", gamma=0.5 / found.bandwidth_**2).fit(X)
    new = X + 0.2
    np.testing.assert_allclose(
        np.abs(found.transform(new)), np.abs(expected.transform(new)), atol=1e-9
    )
    np.testing.assert_allclose(found.variances_, expected.eigenvalues_ / len(X))


def test_kernel_pca_does_not_look_at_the_labels():
    X, y = classes(3, 4)
    one, other = (KernelPCAProjection().fit(X, labels).dual_coef_ for labels in (y, None))
    np.testing.assert_array_equal(one, other)


@each_projection
@pytest.mark.parametrize("n_components", [1, 2, 4])
def test_the_axes_are_orthonormal_in_feature_space(projection, n_components):
    X, y = classes(3, 4)
    found = projection(n_components).fit(X, y)
    np.testing.assert_allclose(gram(found), np.eye(n_components), atol=1e-8)


@each_projection
def test_the_coordinates_of_the_rows_have_mean_zero(projection):
    X, y = classes(3, 4)
    np.testing.assert_allclose(projection().fit_transform(X, y).mean(axis=0), 0, atol=1e-10)


@each_projection
def test_more_components_than_features_are_no_obstacle(projection):
    X, y = classes(2, 2)
    Z = projection(6).fit_transform(X, y)
    assert np.linalg.matrix_rank(Z) == 6


@each_projection
def test_coordinates_beyond_the_directions_of_feature_space_are_zero(projection):
    X, _ = classes(2, 2)
    Z = projection(5).fit_transform(X[:4], np.arange(4) % 2)
    assert np.linalg.matrix_rank(Z) == 3
    np.testing.assert_array_equal(Z[:, 3:], 0.0)


@each_projection
def test_constant_data_are_one_point(projection):
    y = np.arange(10) % 2
    Z = projection().fit_transform(np.full((10, 3), 0.1), y)
    np.testing.assert_array_equal(Z, np.zeros((10, 2)))


def test_kernel_pca_of_many_rows_is_fitted_on_some_of_them():
    X = np.random.default_rng(0).normal(size=(1000, 4))
    found = KernelPCAProjection(max_rows=100).fit(X)
    assert found.X_fit_.shape == (100, 4)
    assert found.transform(X).shape == (1000, 2)


@each_projection
def test_all_rows_up_to_the_limit_count(projection):
    X, y = load_wine(return_X_y=True)
    found = projection(max_rows=len(X)).fit(X, y)
    np.testing.assert_array_equal(found.sample_indices_, np.arange(len(X)))


@each_projection
def test_the_largest_coordinate_of_each_axis_is_positive(projection):
    X, y = classes(3, 4)
    Z = projection().fit_transform(X, y)
    assert (Z.max(axis=0) >= -Z.min(axis=0)).all()

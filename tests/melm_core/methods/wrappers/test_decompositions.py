from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.distance import cdist
from scipy.stats import norm
from sklearn.datasets import load_wine
from sklearn.decomposition import NMF, PCA, FactorAnalysis, KernelPCA

from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.linalg.planes import principal_angles
from melm_core.methods.wrappers.decompositions import (
    FactorAnalysisPlane,
    IndependentComponentsPlane,
    KernelPCAProjection,
    NonNegativePlane,
    negentropies,
)
from tests.melm_core.helpers import classes, invertible

each_projection = pytest.mark.parametrize(
    "projection", [KernelPCAProjection, KernelFisherDiscriminant]
)

each_iteration = pytest.mark.parametrize(
    "method", [IndependentComponentsPlane, FactorAnalysisPlane, NonNegativePlane]
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


def angle(one, other) -> float:
    return float(principal_angles(one, other).max())


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def mixed_sources(seed: int):
    """Return mixtures of six sources, and the plane that shows the two that are not Gaussian."""
    rng = np.random.default_rng(seed)
    sources = rng.normal(size=(5000, 6))
    sources[:, 0] = rng.choice([-1.0, 1.0], size=5000)
    sources[:, 1] = rng.laplace(size=5000)
    mixing = invertible(6, seed)
    return sources @ mixing, np.linalg.inv(mixing).T[:2]


def noisy_factors(seed: int):
    """Return six features of two factors and two of strong noise, the factor plane, the noise."""
    rng = np.random.default_rng(seed)
    loadings = rng.normal(size=(2, 8)) * [1, 1, 1, 1, 1, 1, 0, 0]
    noise = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 6.0, 9.0])
    X = rng.normal(size=(5000, 2)) @ loadings + noise * rng.normal(size=(5000, 8))
    return X, loadings, noise


@pytest.mark.parametrize("seed", range(3))
def test_the_sources_that_are_not_gaussian_are_found_where_pca_does_not_find_them(seed):
    X, truth = mixed_sources(seed)
    found = IndependentComponentsPlane(n_sources=6, random_state=0).fit(X)
    assert angle(found.components_, truth) < 0.15
    assert angle(PCA(2).fit(X).components_, truth) > 0.5


def test_the_first_source_is_the_one_of_the_largest_negentropy():
    X, truth = mixed_sources(0)
    found = IndependentComponentsPlane(n_sources=6, random_state=0).fit(X)
    assert angle(found.components_[:1], truth[:1]) < 0.1
    assert len(found.negentropies_) == 6
    assert (np.diff(found.negentropies_) <= 0).all()


def test_as_many_sources_as_components_are_the_principal_plane_of_the_correlations():
    X = standardized(load_wine().data)
    found = IndependentComponentsPlane(n_sources=2, random_state=0).fit(X)
    assert angle(found.components_, PCA(2).fit(X).components_) < 1e-7


@pytest.mark.parametrize(("n_rows", "n_sources"), [(83, 4), (20, 2), (10, 2)])
def test_few_rows_are_separated_into_few_sources(n_rows, n_sources):
    X, _ = classes(4, 6)
    found = IndependentComponentsPlane(random_state=0).fit(X[:n_rows])
    assert len(found.negentropies_) == n_sources


def test_the_units_of_the_features_do_not_matter_to_independent_components():
    X = standardized(load_wine().data)
    units = 10.0 ** np.linspace(-2, 2, X.shape[1])
    one, other = (
        IndependentComponentsPlane(random_state=0).fit(data).components_ for data in (X, X * units)
    )
    assert angle(one / units, other) < 1e-6


def test_the_negentropy_of_a_coin_is_the_squared_gap_to_a_gaussian():
    coin = np.array([[-1.0], [1.0]])
    gaussian, _ = quad(lambda x: np.log(np.cosh(x)) * norm.pdf(x), -12, 12)
    assert negentropies(coin)[0] == pytest.approx((np.log(np.cosh(1.0)) - gaussian) ** 2, rel=1e-6)


def test_the_negentropy_of_a_gaussian_is_zero():
    quantiles = norm.ppf((np.arange(20_000) + 0.5) / 20_000)[:, None]
    assert negentropies(quantiles)[0] < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_the_factor_plane_is_found_under_noise_that_misleads_pca(seed):
    X, loadings, _ = noisy_factors(seed)
    found = FactorAnalysisPlane().fit(X)
    assert found.converged_
    assert angle(found.components_, loadings) < 0.25
    assert angle(PCA(2).fit(X).components_, loadings) > 1.0


def test_the_noise_of_each_feature_is_estimated_in_its_units():
    X, _, noise = noisy_factors(0)
    found = FactorAnalysisPlane().fit(X)
    np.testing.assert_allclose(np.sqrt(found.noise_variance_), noise, rtol=0.1)


def test_the_factor_plane_is_that_of_scikit_learn_on_all_rows():
    X = standardized(load_wine().data)
    expected = FactorAnalysis(2, tol=1e-8, max_iter=5000, svd_method="lapack").fit(X)
    found = FactorAnalysisPlane(tol=1e-10, max_iter=5000).fit(X)
    assert angle(found.components_, expected.components_) < 1e-3


def test_the_loadings_scale_with_the_units_of_the_features():
    X, _, _ = noisy_factors(0)
    units = np.array([1e-3, 1.0, 10.0, 1e4, 0.5, 7.0, 2.0, 3.0])
    one, other = (FactorAnalysisPlane().fit(data).components_ for data in (X, X * units))
    assert angle(one * units, other) < 1e-6


def test_features_that_share_nothing_have_the_principal_plane():
    X = np.linalg.qr(np.random.default_rng(0).normal(size=(200, 5)))[0]
    X = np.linalg.qr(X - X.mean(axis=0))[0] * np.array([5.0, 1.0, 2.0, 3.0, 4.0])
    found = FactorAnalysisPlane().fit(X)
    assert found.n_found_ == 0
    assert angle(found.components_, np.eye(5)[[0, 4]]) < 1e-7


@pytest.mark.parametrize("shift", [-100.0, 1e3])
def test_the_non_negative_plane_does_not_change_when_the_features_are_shifted(shift):
    X, _ = classes(3, 5)
    one, other = (
        NonNegativePlane(random_state=0).fit(data).components_
        for data in (X, X + shift * np.arange(1, 6))
    )
    assert angle(one, other) < 1e-6


def test_the_non_negative_plane_is_that_of_scikit_learn_on_the_shifted_data():
    X, _ = classes(3, 5)
    shifted = X - X.min(axis=0)
    expected = NMF(2, init="nndsvda", random_state=0, max_iter=2000).fit(shifted / shifted.max())
    found = NonNegativePlane(random_state=0).fit(X)
    assert angle(found.components_, expected.components_) < 1e-10
    assert found.n_iter_ == expected.n_iter_


def test_the_parts_are_non_negative_and_span_the_plane():
    X, _ = classes(3, 5)
    found = NonNegativePlane(random_state=0).fit(X)
    assert (found.parts_ >= 0).all()
    assert angle(found.parts_, found.components_) < 1e-10


def test_data_that_are_sums_of_two_parts_have_the_plane_of_the_parts():
    rng = np.random.default_rng(0)
    parts = np.array([[1.0, 2.0, 0.0, 0.0, 1.0], [0.0, 0.0, 3.0, 1.0, 1.0]])
    weights = np.vstack([np.zeros(2), rng.uniform(size=(50, 2))])
    found = NonNegativePlane(random_state=0).fit(weights @ parts + 5.0)
    assert angle(found.components_, parts) < 1e-3


@each_iteration
def test_an_iteration_that_is_cut_short_says_so_and_does_not_warn(method):
    X, _ = classes(3, 5)
    found = method(max_iter=2).fit(X)
    assert found.n_iter_ == 2
    assert not found.converged_


@each_iteration
def test_constant_data_need_no_iteration(method):
    found = method().fit(np.full((10, 3), 0.1))
    assert (found.n_found_, found.n_iter_, found.converged_) == (0, 0, True)


@each_iteration
def test_data_along_a_line_have_one_direction_that_is_completed(method):
    line = np.array([1.0, 2.0, 3.0, 0.0])
    found = method().fit(np.outer(np.random.default_rng(0).normal(size=30), line))
    assert found.n_found_ == 1
    if method is not IndependentComponentsPlane:  # many filters show the one source equally
        assert angle(found.components_[:1], line[None]) < 1e-6

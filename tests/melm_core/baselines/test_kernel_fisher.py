from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh, null_space
from scipy.spatial.distance import cdist, pdist
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_circles
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant, kernel_space
from melm_core.density.engines.direct_sums import gaussian_sums
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import classes


def centered_kernel(X, bandwidth):
    kernel = np.exp(-cdist(X, X, "sqeuclidean") / (2 * bandwidth**2))
    centring = np.eye(len(X)) - 1 / len(X)
    return centring @ kernel @ centring


def indicators(y):
    """Return the projection onto the class means, (n_samples, n_samples)."""
    memberships = (y[:, None] == np.unique(y)).astype(float)
    return memberships / memberships.sum(axis=0) @ memberships.T


def assert_proportional(one, other):
    """Compare up to sign and length; one row a function."""
    for a, b in zip(one, other, strict=True):
        a, b = a - a.mean(), b - b.mean()
        assert abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b) == pytest.approx(1, abs=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("regularization", [1e-3, 0.1])
def test_the_discriminants_solve_the_generalised_eigenproblem(n_classes, regularization):
    X, y = classes(n_classes, 4)
    model = KernelFisherDiscriminant(regularization=regularization).fit(X, y)
    kernel = centered_kernel(X, model.bandwidth_)
    total = kernel @ kernel / len(X)
    between = kernel @ indicators(y) @ kernel / len(X)
    ridge = regularization * np.trace(kernel) / len(X)
    basis = null_space(np.ones((1, len(X))))  # weights that sum to zero
    ratios, weights = eigh(
        basis.T @ between @ basis, basis.T @ (total - between + ridge * kernel) @ basis
    )
    expected = kernel @ basis @ weights[:, ::-1][:, : n_classes - 1]
    assert_proportional(model.discriminants(X).T, expected.T)
    np.testing.assert_allclose(ratios[: -(n_classes - 1)], 0, atol=1e-6)


def test_two_classes_are_a_kernel_ridge_regression_on_the_labels():
    X, y = classes(2, 4)
    model = KernelFisherDiscriminant(regularization=0.01).fit(X, y)
    kernel = centered_kernel(X, model.bandwidth_)
    ridge = KernelRidge(alpha=0.01 * np.trace(kernel), kernel="precomputed")
    expected = ridge.fit(kernel, y - y.mean()).predict(kernel)
    assert_proportional([model.decision_function(X)], [expected])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_huge_bandwidth_gives_the_linear_discriminants(n_classes):
    X, y = classes(n_classes, 4)
    model = KernelFisherDiscriminant(bandwidth=1e5, regularization=1e-7).fit(X, y)
    linear = LinearDiscriminantAnalysis().fit_transform(X, y)
    for values, expected in zip(model.discriminants(X).T, linear.T, strict=True):
        assert abs(np.corrcoef(values, expected)[0, 1]) > 0.9999


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_values_are_the_written_sum_of_kernels(n_classes):
    X, y = classes(n_classes, 4)
    model = KernelFisherDiscriminant().fit(X, y)
    new = X[:7] + 0.3
    distances = np.square(new[:, None] - model.X_fit_).sum(axis=2)
    kernels = np.exp(-distances / (2 * model.bandwidth_**2))
    assert model.dual_coef_.shape == (n_classes - 1, len(model.X_fit_))
    expected = kernels @ model.dual_coef_.T + model.intercept_
    np.testing.assert_allclose(model.discriminants(new), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_unit_is_the_regularized_spread_within_the_classes(n_classes):
    X, y = classes(n_classes, 4)
    model = KernelFisherDiscriminant(regularization=0.01).fit(X, y)
    values = model.discriminants(X)
    offsets = values - indicators(y) @ values
    kernel = centered_kernel(X, model.bandwidth_)
    lengths = model.dual_coef_ @ kernel @ model.dual_coef_.T  # of the directions, in feature space
    ridge = 0.01 * np.trace(kernel) / len(X)
    regularized = offsets.T @ offsets / len(X) + ridge * lengths
    np.testing.assert_allclose(regularized, np.eye(n_classes - 1), atol=1e-8)


def test_the_threshold_of_two_classes_lies_halfway_between_their_means():
    X, y = classes(2, 4)
    model = KernelFisherDiscriminant().fit(X, y)
    values = model.decision_function(X)
    first, second = (values[y == code].mean() for code in (0, 1))
    assert first < 0 < second
    assert first == pytest.approx(-second)
    np.testing.assert_array_equal(model.predict(X), (values > 0).astype(int))


def test_naming_the_classes_the_other_way_round_turns_the_sign():
    X, y = classes(2, 4)
    one, other = (KernelFisherDiscriminant().fit(X, labels) for labels in (y, 1 - y))
    np.testing.assert_allclose(one.decision_function(X), -other.decision_function(X), atol=1e-9)


def test_a_row_belongs_to_the_class_of_the_nearest_mean():
    X, y = classes(4, 4)
    names = np.array(["a", "b", "c", "d"])
    model = KernelFisherDiscriminant().fit(X, names[y])
    values = model.discriminants(X)
    means = np.stack([values[y == code].mean(axis=0) for code in range(4)])
    np.testing.assert_allclose(model.class_means_, means, atol=1e-6)
    np.testing.assert_array_equal(model.predict(X), names[cdist(values, means).argmin(axis=1)])
    assert model.decision_function(X).shape == (len(X), 4)


def test_the_classifier_does_not_depend_on_the_number_of_coordinates():
    X, y = classes(4, 4)
    few, many = (KernelFisherDiscriminant(n).fit(X, y) for n in (1, 6))
    np.testing.assert_array_equal(few.decision_function(X), many.decision_function(X))
    np.testing.assert_allclose(few.transform(X)[:, 0], many.transform(X)[:, 0])


def test_the_first_axis_of_two_classes_is_the_kernel_fisher_discriminant():
    X, y = classes(2, 4)
    found = KernelFisherDiscriminant().fit(X, y)
    assert found.n_discriminants_ == 1
    decision = found.decision_function(X)
    assert abs(np.corrcoef(found.transform(X)[:, 0], decision)[0, 1]) == pytest.approx(1)


def test_three_classes_have_the_plane_of_their_discriminants():
    X, y = classes(3, 4)
    found = KernelFisherDiscriminant().fit(X, y)
    assert found.n_discriminants_ == 2
    assert principal_angles(found.axes_, found.dual_coef_).max() < 1e-6


def test_the_second_axis_of_two_classes_takes_the_largest_variance_that_is_left():
    X, y = classes(2, 4)
    found = KernelFisherDiscriminant().fit(X, y)
    kernel = np.exp(-cdist(X, X, "sqeuclidean") / (2 * found.bandwidth_**2))
    centring = np.eye(len(X)) - 1 / len(X)
    first, second = found.transform(X).T
    left = centring @ kernel @ centring - np.outer(first, first)
    values, axes = np.linalg.eigh(left)
    assert second @ second == pytest.approx(values[-1])
    assert abs(axes[:, -1] @ second) == pytest.approx(np.linalg.norm(second))


def test_rings_that_no_line_separates_are_told_apart():
    X, y = make_circles(200, noise=0.05, factor=0.4, random_state=0)
    model = KernelFisherDiscriminant().fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) == 1
    first = model.transform(X)[:, 0]
    inner, outer = first[y == 1], first[y == 0]
    assert inner.min() > outer.max() or outer.min() > inner.max()
    assert LinearDiscriminantAnalysis().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) < 0.7


@pytest.mark.parametrize(
    ("load", "n_rows", "least"),
    [
        (load_iris, 150, 0.95),
        (load_wine, 178, 0.95),
        (load_breast_cancer, 569, 0.95),
        (load_digits, 600, 0.9),
    ],
    ids=["iris", "wine", "breast cancer", "digits"],
)
def test_the_samples_are_classified_well_out_of_sample(load, n_rows, least):
    X, y = load(return_X_y=True)
    model = make_pipeline(StandardScaler(), KernelFisherDiscriminant())
    assert cross_val_score(model, X[:n_rows], y[:n_rows]).mean() > least


def test_the_median_bandwidth_is_the_median_distance_of_different_rows():
    X, y = classes(2, 4)
    assert KernelFisherDiscriminant().fit(X, y).bandwidth_ == np.median(pdist(X))
    assert KernelFisherDiscriminant(bandwidth_scale=2).fit(X, y).bandwidth_ == 2 * np.median(
        pdist(X)
    )
    twice = KernelFisherDiscriminant().fit(np.tile(X[:2], (20, 1)), np.arange(40) % 2)
    assert twice.bandwidth_ == np.linalg.norm(X[0] - X[1])


def test_classes_of_the_same_rows_have_no_discriminant():
    X, _ = classes(2, 4)
    model = KernelFisherDiscriminant().fit(np.tile(X, (2, 1)), np.repeat([0, 1], len(X)))
    assert model.n_discriminants_ == 0
    np.testing.assert_array_equal(model.decision_function(X), 0.0)


def test_many_rows_are_represented_by_some_of_every_class():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [900, 90, 10])
    X = rng.normal(size=(1000, 4)) + 6.0 * np.eye(3, 4)[y]
    model = KernelFisherDiscriminant(max_rows=200).fit(X, y)
    np.testing.assert_array_equal(np.bincount(y[model.sample_indices_]), [180, 18, 2])
    np.testing.assert_array_equal(model.X_fit_, X[model.sample_indices_])
    assert model.score(X, y) > 0.97


def test_principal_coordinates_have_the_distances_of_feature_space():
    X, _ = classes(2, 4)
    space = kernel_space(X, 1.5)
    kernel = np.exp(-cdist(X, X, "sqeuclidean") / (2 * 1.5**2))
    np.testing.assert_allclose(
        cdist(space.coordinates, space.coordinates, "sqeuclidean"), 2 - 2 * kernel, atol=1e-9
    )
    np.testing.assert_allclose(
        space.coordinates.T @ space.coordinates / len(X), np.diag(space.variances), atol=1e-12
    )


def test_functions_of_the_space_have_its_coordinates_at_the_rows():
    X, _ = classes(2, 4)
    space = kernel_space(X, 1.5)
    weights, intercepts = space.functions(np.eye(3, len(space.variances)))
    values = gaussian_sums(X, X, 1.5, weights.T) + intercepts
    np.testing.assert_allclose(values, space.coordinates[:, :3], atol=1e-12)
    np.testing.assert_allclose(weights.sum(axis=1), 0, atol=1e-10)

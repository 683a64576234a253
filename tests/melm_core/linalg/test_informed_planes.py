from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from melm_core.density.covariances import within_class_whitening
from melm_core.linalg.class_moments import (
    class_covariances,
    class_means,
    class_totals,
    covariance_of,
    moments_of_classes,
    rows_by_class,
)
from melm_core.linalg.informed_planes import (
    complete,
    fisher_discriminants,
    informed_planes,
    principal_directions,
    scatter_directions,
)
from melm_core.linalg.planes import orthonormalize, principal_angles
from tests.melm_core.helpers import assert_orthonormal, classes, plane


def white(n_classes: int, n_features: int):
    X, y = classes(n_classes, n_features)
    centered = X - X.mean(axis=0)
    return centered @ within_class_whitening(centered, y), y


def moments(X, y):
    """Means, covariances and numbers of rows of the classes."""
    return (*moments_of_classes(rows_by_class(X, y)), class_totals(y))


def discriminants(X, y, n_components: int):
    return fisher_discriminants(class_means(X, y), class_totals(y), n_components)


def informed(n_components: int):
    return informed_planes(*moments(*white(3, 6)), n_components)


@pytest.mark.parametrize(("n_components", "n_informed"), [(1, 6), (2, 8), (3, 6), (4, 3), (5, 2)])
def test_there_are_a_few_informed_planes(n_components, n_informed):
    assert len(informed(n_components)) == n_informed


def test_informed_planes_combine_the_discriminant_and_the_scatter_directions():
    X, y = white(2, 6)
    scatter = scatter_directions(class_covariances(rows_by_class(X, y)), 3)
    pairs = combinations(np.vstack([discriminants(X, y, 1), scatter]), 2)
    for components, pair in zip(informed_planes(*moments(X, y), 2)[2:], pairs, strict=True):
        assert principal_angles(components, np.stack(pair)).max() < 1e-12


def test_a_discriminant_along_a_scatter_direction_spans_no_plane_with_it():
    corners = np.array(list(product([-1.0, 1.0], repeat=3)))
    X = np.vstack([corners, corners * [2.0, 1.0, 1.0] + [3.0, 0.0, 0.0]])
    y = np.repeat([0, 1], 8)
    planes = informed_planes(*moments(X @ within_class_whitening(X, y), y), 2)
    assert 2 < len(planes) < 8
    for components in planes:
        assert_orthonormal(components)


def test_the_scatter_direction_is_where_the_class_variances_differ():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), np.arange(400) % 2
    X[y == 0, 2] *= 3.0
    W = within_class_whitening(X, y)
    found = scatter_directions(class_covariances(rows_by_class(X @ W, y)), 3)
    assert_orthonormal(found)
    assert principal_angles(found[:1] @ W.T, np.eye(5)[[2]]).max() < 0.15


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_every_informed_plane_is_orthonormal(n_components):
    for components in informed(n_components):
        assert components.shape == (n_components, 6)
        assert_orthonormal(components)


@pytest.mark.parametrize("n_components", [1, 2, 4])
def test_principal_components_are_those_of_scikit_learn(n_components):
    X, _ = classes(2, 5)
    found = principal_directions(covariance_of(X), n_components)
    assert_orthonormal(found)
    expected = PCA(n_components).fit(X).components_
    np.testing.assert_allclose(np.abs(np.sum(found * expected, axis=1)), 1, rtol=1e-10)


def test_principal_components_of_one_feature_are_the_feature():
    np.testing.assert_array_equal(np.abs(principal_directions(np.array([[2.0]]), 1)), [[1.0]])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_fisher_discriminants_span_those_of_scikit_learn(n_classes):
    X, y = white(n_classes, 5)
    found = discriminants(X, y, n_classes - 1)
    assert_orthonormal(found)
    scalings = LinearDiscriminantAnalysis(solver="svd").fit(X, y).scalings_.T[: n_classes - 1]
    assert principal_angles(found, scalings).max() < 1e-7


def test_the_strongest_discriminant_comes_first_large_classes_counting_more():
    X, y = white(3, 5)
    first = LinearDiscriminantAnalysis(solver="svd").fit(X, y).scalings_.T[:1]
    for n_components in (1, 2):
        found = discriminants(X, y, n_components)
        assert principal_angles(found[:1], first).max() < 1e-7


def test_there_are_fewer_discriminants_than_classes():
    X, y = white(3, 5)
    assert len(discriminants(X, y, 4)) == 2
    assert len(discriminants(X, y, 1)) == 1


def test_classes_on_a_line_have_one_discriminant():
    X, y = white(3, 5)
    means = np.stack([X[y == code].mean(axis=0) for code in range(3)])
    X = X - means[y] + np.outer([0.0, 1.0, 5.0], np.ones(5))[y]
    assert len(discriminants(X, y, 2)) == 1


def test_without_any_feature_there_is_no_discriminant():
    assert len(discriminants(np.empty((6, 0)), np.arange(6) % 2, 2)) == 0


def test_completion_adds_the_largest_variance_that_is_left():
    X, _ = classes(2, 5)
    given = plane(1, 5)
    completed = complete(given, X, 2)
    assert_orthonormal(completed)
    np.testing.assert_allclose(completed[0], given[0], atol=1e-12)
    rest = X - (X @ given.T) @ given
    expected = PCA(1).fit(rest).components_
    assert abs(float(completed[1] @ expected[0])) == pytest.approx(1, rel=1e-10)


def test_completion_of_nothing_is_the_principal_plane():
    X, _ = classes(2, 5)
    completed = complete(np.empty((0, 5)), X, 2)
    assert principal_angles(completed, PCA(2).fit(X).components_).max() < 1e-10


def test_a_complete_plane_stays():
    X, _ = classes(2, 5)
    given = orthonormalize(plane(2, 5))
    np.testing.assert_allclose(complete(given, X, 2), given, atol=1e-14)


@pytest.mark.parametrize("direction", [0, 1, 2])
def test_completion_finds_a_direction_where_the_data_leave_nothing(direction):
    given = np.eye(3)[[direction]]
    completed = complete(given, np.outer(np.arange(7.0), given), 2)
    assert completed.shape == (2, 3)
    assert_orthonormal(completed)

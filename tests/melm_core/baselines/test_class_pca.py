from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.decomposition import PCA

from melm_core.baselines.class_pca import ClassPCAPlane, PerClassPCAPlane
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import classes

Balanced = partial(ClassPCAPlane, class_weight="balanced")
each_class_pca = pytest.mark.parametrize("method", [ClassPCAPlane, Balanced, PerClassPCAPlane])


def angle(one, other) -> float:
    return float(principal_angles(one, other).max())


def within_classes(X, y):
    return X - np.stack([X[y == code].mean(axis=0) for code in np.unique(y)])[y]


def balanced(n_classes: int, n_features: int, n_rows: int = 14):
    X, y = classes(n_classes, n_features)
    rows = np.concatenate([np.flatnonzero(y == code)[:n_rows] for code in range(n_classes)])
    return X[rows], y[rows]


def exact(variances, seed: int = 0):
    """Return rows of mean zero whose covariance is diagonal with these variances."""
    rng = np.random.default_rng(seed)
    centered = rng.normal(size=(20, len(variances)))
    white, _ = np.linalg.qr(centered - centered.mean(axis=0))
    return white * np.sqrt(len(white) * np.asarray(variances))


def labeled(*variances):
    """Return one class for each list of variances, with means apart."""
    X = np.concatenate([exact(values, c) + 3.0 * c for c, values in enumerate(variances)])
    return X, np.repeat(np.arange(len(variances)), 20)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_class_pca_is_the_pca_of_the_rows_about_their_class_means(n_classes):
    X, y = classes(n_classes, 6)
    expected = PCA(2).fit(within_classes(X, y)).components_
    np.testing.assert_allclose(np.abs(ClassPCAPlane().fit(X, y).components_), np.abs(expected))


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_balanced_class_pca_has_the_axes_of_the_plain_sum_of_covariances(n_classes):
    X, y = classes(n_classes, 6)
    total = sum(np.cov(X[y == code].T, ddof=0) for code in range(n_classes))
    expected = np.linalg.eigh(total)[1].T[::-1][:2]
    np.testing.assert_allclose(np.abs(Balanced().fit(X, y).components_), np.abs(expected))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_with_and_without_weights_agree_for_classes_of_equal_size(n_classes):
    X, y = balanced(n_classes, 6)
    planes = [method().fit(X, y).components_ for method in (ClassPCAPlane, Balanced)]
    assert angle(*planes) < 1e-7


def test_with_and_without_weights_differ_for_classes_of_unequal_size():
    X, y = labeled([5, 1, 3], [1, 6, 3])
    often = np.concatenate([X, *[X[y == 0]] * 9]), np.concatenate([y, *[y[y == 0]] * 9])
    weighted, plain = (method(1).fit(*often).components_ for method in (ClassPCAPlane, Balanced))
    assert angle(weighted, np.eye(3)[:1]) < 1e-6
    assert angle(plain, np.eye(3)[1:2]) < 1e-6


def test_rows_of_a_class_given_twice_change_nothing_without_weights():
    X, y = classes(3, 5)
    more = np.concatenate([X, X[y == 1]]), np.concatenate([y, y[y == 1]])
    one, other = (Balanced().fit(*data).components_ for data in ((X, y), more))
    np.testing.assert_allclose(one, other, atol=1e-10)


@each_class_pca
def test_the_class_means_do_not_matter(method):
    X, y = classes(3, 5)
    apart = X + 10 * np.random.default_rng(0).normal(size=(3, 5))[y]
    one, other = (method().fit(data, y).components_ for data in (X, apart))
    np.testing.assert_allclose(one, other, atol=1e-10)


@each_class_pca
def test_the_plane_turns_with_the_data(method):
    X, y = classes(3, 5)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    one, other = (method().fit(data, y).components_ for data in (X, X @ turn))
    assert angle(one @ turn, other) < 1e-7


@each_class_pca
def test_features_constant_within_the_classes_that_separate_them_come_first(method):
    X, y = labeled([2, 0, 0], [3, 0, 0])
    X[y == 1, 2] += 50
    fitted = method().fit(X, y)
    assert fitted.n_class_axes_ == 2
    assert abs(fitted.components_[0, 0]) < 1e-12
    assert angle(fitted.components_[1:], np.eye(3)[:1]) < 1e-7


@pytest.mark.parametrize("n_features", [3, 6])
def test_the_per_class_plane_of_two_classes_holds_the_first_axis_of_each(n_features):
    X, y = classes(2, n_features)
    plane = PerClassPCAPlane().fit(X, y).components_
    for code in (0, 1):
        axis = PCA(1).fit(X[y == code]).components_[0]
        assert np.linalg.norm(plane @ axis) == pytest.approx(1, rel=1e-10)


def test_of_more_classes_than_components_those_with_the_largest_shares_count():
    X, y = labeled([9, 1, 1, 1], [1, 2, 1, 1], [1, 1, 50, 1])
    assert angle(PerClassPCAPlane().fit(X, y).components_, np.eye(4)[[0, 2]]) < 1e-7
    assert angle(PerClassPCAPlane(1).fit(X, y).components_, np.eye(4)[[2]]) < 1e-7


def test_of_fewer_classes_than_components_the_second_axes_follow_by_their_shares():
    X, y = labeled([9, 2, 0.1, 0.1, 0.1], [0.1, 0.1, 9, 4, 0.1])
    plane = PerClassPCAPlane(3).fit(X, y)
    assert plane.n_class_axes_ == 3
    assert angle(plane.components_, np.eye(5)[[0, 2, 3]]) < 1e-7


def test_an_axis_that_two_classes_share_counts_once():
    X, y = labeled([9, 2, 1], [7, 1, 3])
    assert angle(PerClassPCAPlane().fit(X, y).components_, np.eye(3)[[0, 2]]) < 1e-7


def test_the_rounding_of_a_class_of_equal_rows_gives_no_axis():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(12, 40))
    wide[:4] = wide[0]
    y = np.repeat([0, 1, 2], 4)
    plane = PerClassPCAPlane().fit(wide, y)
    varying = np.vstack([wide[y == code] - wide[y == code].mean(axis=0) for code in (1, 2)])
    basis = np.linalg.svd(varying, full_matrices=False)[2][:6]
    np.testing.assert_allclose(plane.components_ @ basis.T @ basis, plane.components_, atol=1e-9)

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from melm_core import ChernoffDiscriminantPlane, DiscriminantPlane
from melm_core.baselines.discriminant import chernoff_criterion
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import assert_orthonormal, classes


def test_the_first_axis_of_two_classes_is_the_discriminant_of_scikit_learn():
    X, y = classes(2, 6)
    plane = DiscriminantPlane().fit(X, y)
    direction = LinearDiscriminantAnalysis(solver="svd").fit(X, y).scalings_.T[:1]
    assert plane.n_discriminants_ == 1
    assert principal_angles(plane.components_[:1], direction).max() < 1e-7


def test_the_second_axis_of_two_classes_takes_the_largest_variance_that_is_left():
    X, y = classes(2, 6)
    first, second = DiscriminantPlane().fit(X, y).components_
    rest = X - np.outer(X @ first, first)
    assert abs(float(second @ PCA(1).fit(rest).components_[0])) == pytest.approx(1, rel=1e-10)


@pytest.mark.parametrize(
    ("X", "y"), [classes(3, 5), load_wine(return_X_y=True)], ids=["gaussians", "wine"]
)
def test_the_plane_of_three_classes_is_that_of_scikit_learn(X, y):
    plane = DiscriminantPlane().fit(X, y)
    scalings = LinearDiscriminantAnalysis(solver="svd").fit(X, y).scalings_.T[:2]
    assert plane.n_discriminants_ == 2
    assert_orthonormal(plane.components_)
    # Compared in units of the features, which differ a thousandfold in wine.
    units = X.std(axis=0)
    assert principal_angles(plane.components_ * units, scalings * units).max() < 1e-6


@pytest.mark.parametrize("n_components", [1, 2, 3, 5])
def test_the_completed_plane_is_orthonormal(n_components):
    X, y = classes(2, 5)
    plane = DiscriminantPlane(n_components).fit(X, y)
    assert plane.components_.shape == (n_components, 5)
    assert_orthonormal(plane.components_)


def test_more_features_than_rows_are_no_obstacle():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 30)), np.arange(10) % 2
    plane = DiscriminantPlane().fit(X, y)
    assert_orthonormal(plane.components_)
    assert np.isfinite(plane.transform(X)).all()


@pytest.mark.parametrize("varying", [0, 1])
def test_a_single_varying_feature_is_completed_to_a_plane(varying):
    X = np.ones((20, 2))
    X[:, varying] = np.random.default_rng(0).normal(size=20)
    plane = DiscriminantPlane().fit(X, np.arange(20) % 2)
    assert_orthonormal(plane.components_)
    assert abs(plane.components_[0, varying]) == pytest.approx(1)


def test_classes_without_any_spread_have_the_plane_of_their_means():
    y = np.arange(30) % 3
    X = np.array([[0.0, 0.0, 0.0], [3.0, 1.0, 0.0], [1.0, 2.0, 0.0]])[y]
    plane = DiscriminantPlane().fit(X, y)
    assert plane.n_discriminants_ == 2
    assert principal_angles(plane.components_, np.eye(3)[:2]).max() < 1e-10


def test_more_components_than_features_are_refused():
    X, y = classes(2, 3)
    with pytest.raises(ValueError, match=r"n_components=4 exceeds the 3 feature"):
        DiscriminantPlane(4).fit(X, y)


def test_equal_covariances_give_the_plane_of_fishers_discriminants():
    block = np.random.default_rng(0).normal(size=(60, 5))
    X = np.vstack([block, block + np.array([1, 2, 0, 0, 0]), block + np.array([0, 1, 3, 0, 1])])
    y = np.repeat([0, 1, 2], 60)
    found = ChernoffDiscriminantPlane(shrinkage=0.0).fit(X, y).components_
    assert principal_angles(found, DiscriminantPlane().fit(X, y).components_).max() < 1e-9


def test_equal_means_give_the_directions_in_which_the_covariances_differ():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4_000, 6))
    y = np.arange(4_000) % 2
    X[y == 1, 2] *= 4.0
    X[y == 1, 5] *= 0.25
    found = ChernoffDiscriminantPlane().fit(X, y).components_
    assert principal_angles(found, np.eye(6)[[2, 5]]).max() < 0.1


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_the_trace_is_the_chernoff_distance_of_two_gaussians(share):
    rng = np.random.default_rng(2)
    first = rng.normal(size=(int(1_000 * share), 3))
    other = rng.normal(size=(1_000 - len(first), 3)) @ rng.normal(size=(3, 3)) + 1.0
    X, y = np.vstack([first, other]), np.repeat([0, 1], [len(first), len(other)])
    means = [block.mean(axis=0) for block in (first, other)]
    covariances = [np.cov(block.T, bias=True) for block in (first, other)]
    both = share * covariances[0] + (1 - share) * covariances[1]
    difference = means[0] - means[1]
    logs = [np.linalg.slogdet(matrix)[1] for matrix in (both, *covariances)]
    distance = difference @ np.linalg.solve(both, difference)
    distance += (logs[0] - share * logs[1] - (1 - share) * logs[2]) / (share * (1 - share))
    trace = np.trace(chernoff_criterion(X, y, 0.0))
    assert trace == pytest.approx(share * (1 - share) * distance, rel=1e-9)


def test_without_shrinkage_the_plane_does_not_depend_on_the_units_of_the_features():
    X, y = load_wine(return_X_y=True)
    units = np.random.default_rng(3).normal(size=(13, 13))
    plain = ChernoffDiscriminantPlane(shrinkage=0.0).fit(X, y)
    mapped = ChernoffDiscriminantPlane(shrinkage=0.0).fit(X @ units, y)
    scale = X.std(axis=0)
    angles = principal_angles(plain.components_ * scale, mapped.components_ @ units.T * scale)
    assert angles.max() < 1e-5

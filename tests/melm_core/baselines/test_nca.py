from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from melm_core import DiscriminantPlane
from melm_core.baselines.nca import (
    NeighborhoodComponentsPlane,
    discriminant_map,
    neighbor_accuracy,
)
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import assert_orthonormal, classes


def leave_one_out(Z, y) -> float:
    """Share of rows whose nearest other row is of the same class."""
    distances = cdist(Z, Z)
    np.fill_diagonal(distances, np.inf)
    return float(np.mean(y[distances.argmin(axis=1)] == y))


def watched(X, y, stop_at: int | None = None, **parameters):
    """Return a fitted estimator and what it reported."""
    reports = []

    def keep(progress):
        reports.append(progress)
        return progress.iteration == stop_at

    return NeighborhoodComponentsPlane(callback=keep, **parameters).fit(X, y), reports


@pytest.mark.parametrize("load", [load_iris, load_wine], ids=["iris", "wine"])
def test_nearest_neighbors_share_the_class_more_often_than_in_the_plane_of_pca(load):
    X, y = load(return_X_y=True)
    plane = NeighborhoodComponentsPlane().fit(X, y)
    assert leave_one_out(plane.transform(X), y) > leave_one_out(PCA(2).fit_transform(X), y)


def test_the_objective_is_the_expected_accuracy_of_a_random_neighbor():
    X, y = classes(2, 2)
    Z = X[::4]
    codes = y[::4]
    expected = 0.0
    for i, point in enumerate(Z):
        others = np.arange(len(Z)) != i
        weights = np.exp(-np.square(Z[others] - point).sum(axis=1))
        expected += weights[codes[others] == codes[i]].sum() / weights.sum()
    assert neighbor_accuracy(Z, codes) == pytest.approx(expected / len(Z), rel=1e-10)


def test_the_map_is_that_of_scikit_learn_from_the_same_beginning():
    X, y = classes(3, 5)
    standardized = (X - X.mean(axis=0)) / X.std(axis=0)
    beginning = discriminant_map(standardized, y, 2)
    expected = NeighborhoodComponentsAnalysis(2, init=beginning, max_iter=30, tol=1e-5)
    found = NeighborhoodComponentsPlane(max_iter=30).fit(X, y)
    np.testing.assert_allclose(
        found.scaling_ * X.std(axis=0), expected.fit(standardized, y).components_, rtol=1e-6
    )


def test_the_ascent_begins_with_unit_variance_within_the_classes():
    X, y = classes(3, 5)
    projected = X @ discriminant_map(X, y, 2).T
    offsets = projected - np.stack([projected[y == code].mean(axis=0) for code in range(3)])[y]
    np.testing.assert_allclose(offsets.std(axis=0), 1.0)


def test_the_units_of_the_features_do_not_matter():
    X, y = classes(3, 5)
    units = np.array([1e-3, 1.0, 10.0, 1e4, 0.5])
    one, other = (NeighborhoodComponentsPlane().fit(data, y) for data in (X, X * units))
    np.testing.assert_allclose(one.scaling_, other.scaling_ * units, rtol=1e-3, atol=1e-3)


def test_the_plane_is_the_span_of_the_map_and_its_objective_that_of_the_map():
    X, y = classes(3, 5)
    found = NeighborhoodComponentsPlane().fit(X, y)
    assert principal_angles(found.components_, found.scaling_).max() < 1e-7
    assert found.objective_ == pytest.approx(neighbor_accuracy(X @ found.scaling_.T, y))


def test_every_accepted_step_is_reported():
    X, y = classes(3, 5)
    found, reports = watched(X, y)
    assert [report.iteration for report in reports] == list(range(found.n_iter_ + 1))
    assert found.n_iter_ > 3
    for report in reports:
        assert_orthonormal(report.components)
    objectives = np.array([report.objective for report in reports])
    assert (np.diff(objectives) > 0).all()
    np.testing.assert_array_equal([report.best_objective for report in reports], objectives)
    fractions = np.array([report.fraction for report in reports])
    assert fractions[0] == 0
    assert (np.diff(fractions) > 0).all()
    assert fractions[-1] <= 1


def test_the_last_report_is_the_result():
    X, y = classes(3, 5)
    found, reports = watched(X, y)
    np.testing.assert_array_equal(reports[-1].components, found.components_)
    assert reports[-1].objective == found.objective_


def test_the_first_report_is_the_plane_of_the_discriminants():
    X, y = classes(3, 5)
    _, reports = watched(X, y, stop_at=0)
    first = DiscriminantPlane().fit(X, y).components_
    assert principal_angles(reports[0].components, first).max() < 1e-6


@pytest.mark.parametrize("stop_at", [0, 1, 4])
def test_a_stop_keeps_the_plane_of_that_step(stop_at):
    X, y = classes(3, 5)
    found, reports = watched(X, y, stop_at=stop_at)
    assert found.n_iter_ == stop_at == reports[-1].iteration
    assert not found.converged_
    np.testing.assert_array_equal(found.components_, reports[-1].components)


def test_being_watched_changes_nothing():
    X, y = classes(3, 5)
    found, _ = watched(X, y)
    np.testing.assert_array_equal(
        found.components_, NeighborhoodComponentsPlane().fit(X, y).components_
    )


def test_a_fit_that_is_cut_short_says_so():
    X, y = classes(3, 5)
    assert not NeighborhoodComponentsPlane(max_iter=2).fit(X, y).converged_
    assert NeighborhoodComponentsPlane().fit(X, y).converged_


def test_many_rows_are_represented_by_some_of_every_class():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [900, 90, 10])
    X = rng.normal(size=(1000, 4)) + 6.0 * np.eye(3, 4)[y]
    found = NeighborhoodComponentsPlane(max_rows=200).fit(X, y)
    np.testing.assert_array_equal(np.bincount(y[found.sample_indices_]), [180, 18, 2])
    assert leave_one_out(found.transform(X), y) > 0.97


def test_few_rows_all_count():
    X, y = classes(3, 5)
    found = NeighborhoodComponentsPlane(max_rows=len(y)).fit(X, y)
    np.testing.assert_array_equal(found.sample_indices_, np.arange(len(y)))


def test_a_feature_with_the_same_value_everywhere_has_no_loading():
    X, y = classes(3, 5)
    X[:, 2] = 0.1
    found = NeighborhoodComponentsPlane().fit(X, y)
    np.testing.assert_array_equal(found.scaling_[:, 2], 0.0)

from __future__ import annotations

from itertools import permutations

import joblib
import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from melm_core.gem.eigenvectors import generalized_eigenvectors
from melm_core.gem.estimator import GEM, GEMPlane
from melm_core.linalg.class_moments import ClassSecondMoments
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import assert_orthonormal, classes, invertible, plane

X, CODES = classes(4, 5)
Y = np.array(["ant", "bee", "cat", "dog"])[CODES]
DIGITS = load_digits(return_X_y=True)


def test_the_directions_are_the_eigenvectors_of_every_pair_that_reach_theta():
    gem = GEM(gamma=0.1, n_directions=2, theta=1.5).fit(X, Y)
    for pair in permutations(np.unique(Y).tolist(), 2):
        of_pair = (gem.pairs_ == pair).all(axis=1)
        eigenvalues, vectors = generalized_eigenvectors(X, Y, pair, gamma=0.1, n_directions=2)
        passing = eigenvalues >= 1.5
        np.testing.assert_allclose(gem.eigenvalues_[of_pair], eigenvalues[passing])
        np.testing.assert_allclose(gem.directions_[of_pair], vectors.T[passing], atol=1e-12)
    assert (gem.eigenvalues_ >= 1.5).all()


def test_the_projections_are_taken_about_the_origin():
    gem = GEM().fit(X, Y)
    np.testing.assert_allclose(gem.transform(X), X @ gem.directions_.T)
    np.testing.assert_array_equal(gem.transform(np.zeros((1, 5))), 0.0)


def test_moments_of_blocks_give_the_directions_of_the_whole():
    whole = GEM().fit(X, Y)
    moments = ClassSecondMoments()
    for rows in np.array_split(np.random.default_rng(0).permutation(len(X)), 9):
        moments.partial_fit(X[rows], Y[rows])
    blocks = GEM().fit_moments(moments)
    np.testing.assert_allclose(blocks.eigenvalues_, whole.eigenvalues_)
    np.testing.assert_allclose(blocks.transform(X), whole.transform(X), atol=1e-8)
    np.testing.assert_array_equal(blocks.classes_, whole.classes_)


def test_with_the_covariance_projections_are_measured_from_the_mean_of_the_denominator_class():
    gem = GEM(gamma=0, theta=1e-3, denominator="covariance").fit(X, Y)
    projections = gem.transform(X)
    for column, (top, bottom) in enumerate(gem.pairs_):
        inside = projections[bottom == Y, column]
        np.testing.assert_allclose([inside.mean(), inside.var()], [0, 1], atol=1e-8)
        numerator = (X @ gem.directions_[column])[top == Y]
        np.testing.assert_allclose(np.mean(numerator**2), gem.eigenvalues_[column])


def test_the_covariance_finds_what_the_scipy_solver_finds():
    gem = GEM(gamma=0.1, theta=1e-3, denominator="covariance").fit(X, Y)
    top, bottom = X[Y == "ant"], X[Y == "bee"]
    noise = np.cov(bottom.T, bias=True)
    noise += 0.1 * np.trace(noise) / len(noise) * np.eye(len(noise))
    expected = eigh(top.T @ top / len(top), noise, eigvals_only=True)[::-1]
    np.testing.assert_allclose(gem.eigenvalues_[: len(noise)], expected, rtol=1e-8)


def test_a_class_of_equal_rows_has_no_covariance_to_divide_by():
    rows = np.vstack([X, np.ones((3, 5))])
    labels = np.append(Y, ["same"] * 3)
    with pytest.raises(ValueError, match="The rows of class 'same' are equal"):
        GEM(denominator="covariance").fit(rows, labels)
    assert len(GEM().fit(rows, labels).directions_)


def test_rows_that_dask_holds_have_the_offsets_of_rows_in_memory():
    da = pytest.importorskip("dask.array")
    rows, labels = (da.from_array(one, chunks=(37, *one.shape[1:])) for one in (X, CODES))
    gem = GEM(denominator="covariance").fit(X, CODES)
    lazy = GEM(denominator="covariance").fit(rows, labels)
    np.testing.assert_allclose(lazy.offsets_, gem.offsets_, atol=1e-8)
    np.testing.assert_allclose(lazy.transform(rows).compute(), gem.transform(X), atol=1e-8)


@pytest.mark.parametrize("times", [2, 5])
def test_rows_in_another_order_and_repeated_change_nothing(times):
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(X)), times))
    gem, same = GEM().fit(X, Y), GEM().fit(X[order], Y[order])
    np.testing.assert_allclose(same.eigenvalues_, gem.eigenvalues_)
    np.testing.assert_allclose(same.transform(X), gem.transform(X), atol=1e-8)


def test_at_gamma_zero_an_invertible_map_of_the_features_changes_no_projection():
    mapped = X @ invertible(5)
    gem, same = GEM(gamma=0).fit(X, Y), GEM(gamma=0).fit(mapped, Y)
    np.testing.assert_allclose(same.eigenvalues_, gem.eigenvalues_)
    np.testing.assert_allclose(same.transform(mapped), gem.transform(X), atol=1e-8)


def test_the_number_of_jobs_does_not_change_the_directions():
    one, more = GEM().fit(*DIGITS), GEM(n_jobs=2).fit(*DIGITS)
    np.testing.assert_array_equal(more.directions_, one.directions_)


def test_the_pairs_go_through_the_backend_that_joblib_is_told():
    one = GEM().fit(X, Y)
    with joblib.parallel_config(backend="sequential"):
        np.testing.assert_array_equal(GEM(n_jobs=2).fit(X, Y).directions_, one.directions_)


def test_the_hypercube_takes_some_of_the_pairs_and_the_seed_decides_which():
    everything = {tuple(pair) for pair in GEM().fit(*DIGITS).pairs_.tolist()}
    some = [GEM(pairs="hypercube", random_state=seed).fit(*DIGITS) for seed in (0, 0, 1)]
    taken = [{tuple(pair) for pair in gem.pairs_.tolist()} for gem in some]
    assert taken[0] < everything
    assert taken[0] == taken[1] != taken[2]
    assert {label for pair in taken[0] for label in pair} == set(range(10))


def test_where_no_direction_reaches_theta_the_largest_is_kept_with_a_warning():
    with pytest.warns(
        UserWarning, match=r"No eigenvalue reaches theta=1.5, .* a gamma below 1000.0"
    ):
        gem = GEM(gamma=1e3).fit(X, Y)
    assert gem.directions_.shape == (1, 5)
    every = GEM(gamma=1e3, theta=1e-9).fit(X, Y)
    assert gem.eigenvalues_[0] == every.eigenvalues_.max() < 1.5


def test_it_stands_in_a_pipeline():
    model = make_pipeline(StandardScaler(), GEM(), KNeighborsClassifier())
    assert model.fit(*load_wine(return_X_y=True)).score(*load_wine(return_X_y=True)) > 0.9


AT_ORIGIN = np.where(Y[:, None] == "bee", 0.0, X)


@pytest.mark.parametrize(
    ("parameters", "X", "y", "message"),
    [
        ({"gamma": -1}, X, Y, "gamma=-1 must be a finite number of at least 0"),
        ({"theta": 0}, X, Y, "theta=0 must be a finite number above 0"),
        ({"theta": -2.0}, X, Y, "theta=-2.0 must be a finite number above 0"),
        ({"n_directions": 0}, X, Y, "n_directions=0 must be a whole number of at least 1"),
        ({"pairs": "some"}, X, Y, "pairs='some' must be one of 'all', 'hypercube'"),
        ({}, X, np.full(len(X), "ant"), r"The labels hold only one class \('ant'\)"),
        ({}, AT_ORIGIN, Y, "All rows of class 'bee' are zero"),
        ({"gamma": 0}, X[:, [0, 1, 1]], Y, "class 'ant' is singular even with gamma=0. "),
        ({}, np.where(X > 2, np.nan, X), Y, "contains NaN"),
        ({}, X * 1e200, Y, "is too large to be squared"),
    ],
)
def test_what_cannot_be_fitted_is_refused_by_value_and_rule(parameters, X, y, message):
    with pytest.raises(ValueError, match=message):
        GEM(**parameters).fit(X, y)


# ------------------------------------------------------------------------------ the plane


def log_eigenvalues(X, y, gamma):
    """|log lambda| and direction of every eigenvector of every ordered pair."""
    centered, labels = X - X.mean(axis=0), np.unique(y).tolist()
    solved = [
        generalized_eigenvectors(centered, y, pair, gamma=gamma) for pair in permutations(labels, 2)
    ]
    return [
        (abs(np.log(v)), d)
        for values, columns in solved
        for v, d in zip(values, columns.T, strict=True)
    ]


def test_the_plane_begins_with_the_direction_of_the_largest_log_eigenvalue():
    found = GEMPlane(gamma=0).fit(X, Y)
    ranked = sorted(log_eigenvalues(X, Y, 0.0), key=lambda pair: -pair[0])
    strength, direction = ranked[0]
    assert np.log(found.eigenvalues_[0]) == pytest.approx(strength)
    assert principal_angles(found.components_[:1], direction[None]).max() < 1e-6


def test_the_plane_is_spanned_by_the_top_directions_of_all_pairs():
    found = GEMPlane(gamma=0.05).fit(X, Y)
    # The first two that do not run along the same line.
    for pair, eigenvalue in zip(found.pairs_.tolist(), found.eigenvalues_, strict=True):
        values, columns = generalized_eigenvectors(X - X.mean(axis=0), Y, tuple(pair), gamma=0.05)
        nearest = np.abs(values - eigenvalue).argmin()
        assert values[nearest] == pytest.approx(eigenvalue, rel=1e-9)
        inside = columns[:, nearest] @ found.components_.T @ found.components_
        np.testing.assert_allclose(inside, columns[:, nearest], atol=1e-8)


def test_shifting_the_rows_does_not_change_the_plane():
    shift = np.array([100, -3, 0, 5, 7])
    found, shifted = GEMPlane().fit(X, Y), GEMPlane().fit(X + shift, Y)
    assert principal_angles(found.components_, shifted.components_).max() < 1e-6
    np.testing.assert_allclose(shifted.eigenvalues_, found.eigenvalues_)


def test_turning_the_rows_turns_the_plane():
    turn = plane(5, 5)
    found, turned = GEMPlane().fit(X, Y), GEMPlane().fit(X @ turn, Y)
    assert principal_angles(found.components_ @ turn, turned.components_).max() < 1e-6


def test_at_gamma_zero_the_projection_survives_an_invertible_map():
    mixing = invertible(5)
    found, mapped = GEMPlane(gamma=0).fit(X, Y), GEMPlane(gamma=0).fit(X @ mixing, Y)
    pulled_back = mapped.components_ @ mixing.T
    assert principal_angles(found.components_, pulled_back).max() < 1e-6


def test_it_sees_a_class_that_surrounds_another_where_the_means_agree():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    rows = rng.normal(size=(600, 8))
    rows[y == 1, 2:4] *= 3.0
    found = GEMPlane().fit(rows, y)
    assert principal_angles(found.components_, np.eye(8)[2:4]).max() < 0.3


@pytest.mark.parametrize("n_components", range(1, 6))
@pytest.mark.parametrize("gamma", [0.0, 0.05, 10.0])
def test_any_number_of_components_is_an_orthonormal_frame(gamma, n_components):
    found = GEMPlane(n_components, gamma=gamma).fit(X, Y)
    assert found.components_.shape == (n_components, 5)
    assert_orthonormal(found.components_)
    assert (np.diff(found.eigenvalues_) <= 0).all()
    assert len(found.pairs_) == len(found.eigenvalues_) == found.n_directions_


@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_two_classes_have_a_plane_of_every_dimension(n_features):
    rows, y = classes(2, n_features)
    for n_components in range(1, n_features + 1):
        assert_orthonormal(GEMPlane(n_components).fit(rows, y).components_)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_it_gives_a_plane_of_each_sample(load):
    rows, y = load(return_X_y=True)
    found = make_pipeline(StandardScaler(), GEMPlane()).fit(rows, y)
    assert_orthonormal(found[-1].components_)
    assert np.isfinite(found.transform(rows)).all()
    assert found[-1].n_directions_ == 2


@pytest.mark.parametrize(
    ("rows", "n_directions"),
    [
        (np.random.default_rng(0).normal(size=(12, 30)), 2),
        (np.column_stack([np.arange(12.0), np.ones(12), np.arange(12.0) ** 2]), 2),
        (np.outer(np.arange(12.0), [1, 2, 3]), 1),
        (np.repeat(np.random.default_rng(0).normal(size=(2, 4)), 6, axis=0), 1),
        (np.random.default_rng(0).normal(size=(12, 4)) * [1e-8, 1, 1e8, 0], 1),
    ],
    ids=["wide", "constant column", "collinear", "duplicates", "units"],
)
def test_it_gives_a_plane_of_awkward_rows(rows, n_directions):
    found = GEMPlane().fit(rows, np.repeat([0, 1], 6))
    assert_orthonormal(found.components_)
    assert found.components_.shape == (2, rows.shape[1])
    assert found.n_directions_ == n_directions
    assert np.isfinite(found.transform(rows)).all()


def test_constant_and_collinear_features_leave_the_plane_of_the_others_as_it_is():
    found = GEMPlane().fit(X, Y)
    # Columns of zeros dilute trace / d: the same regularization is a larger gamma.
    widened = GEMPlane(gamma=0.05 * 7 / 5).fit(np.hstack([X, np.full((len(X), 2), 4.0)]), Y)
    np.testing.assert_allclose(widened.components_[:, 5:], 0.0, atol=1e-10)
    assert principal_angles(widened.components_[:, :5], found.components_).max() < 1e-6


@pytest.mark.parametrize(
    ("parameters", "X", "y", "message"),
    [
        ({"gamma": -0.5}, X, Y, "gamma=-0.5 must be a finite number of at least 0"),
        ({"n_components": 6}, X, Y, r"n_components=6 exceeds the 5 feature\(s\)"),
        ({"gamma": 0}, X[:, [0, 1, 0]], Y, "class 'ant' is singular even with gamma=0. "),
        ({}, np.full((21, 3), 1 / 3), np.arange(21) % 2, "All rows of class 0 are zero"),
        ({}, X, np.zeros(len(X)), "The labels hold only one class"),
    ],
)
def test_what_has_no_plane_is_refused_by_value_and_rule(parameters, X, y, message):
    with pytest.raises(ValueError, match=message):
        GEMPlane(**parameters).fit(X, y)

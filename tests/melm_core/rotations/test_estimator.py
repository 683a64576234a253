from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import brier_score_loss, log_loss

from melm_core.datasets import two_gaussians
from melm_core.linalg.planes import principal_angles
from melm_core.rotations.estimator import RotationPlane
from melm_core.rotations.objective import rotation_objective
from tests.melm_core.helpers import assert_orthonormal, classes, invertible

IRIS = load_iris(return_X_y=True)
DENSITIES = ["gaussian", "mixture", "kde"]
SOLVERS = ["armijo", "lbfgs", "paper"]


def recorded(**parameters):
    """Return an estimator, and the list of what it will report."""
    reports = []

    def keep(progress):
        reports.append(progress)

    return RotationPlane(random_state=0, callback=keep, **parameters), reports


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_components_are_orthonormal_and_have_the_objective_that_is_reported(m, solver):
    X, y = classes(3, 6)
    rotations = RotationPlane(m, solver=solver, n_init=3, max_iter=50, random_state=0).fit(X, y)
    assert rotations.components_.shape == (m, 6)
    assert_orthonormal(rotations.components_)
    value = rotation_objective(X, y, rotations.components_)
    assert rotations.objective_ == pytest.approx(value, abs=1e-10)


@pytest.mark.parametrize("density", DENSITIES)
def test_the_objective_is_the_mean_log_posterior_that_is_predicted(density):
    X, y = classes(3, 5)
    rotations = RotationPlane(density=density, n_init=2, max_iter=20, random_state=0).fit(X, y)
    logs = rotations.predict_log_proba(X)
    assert logs[np.arange(len(y)), y].mean() == pytest.approx(rotations.objective_, abs=1e-9)
    assert rotations.log_loss(X, y) == pytest.approx(-rotations.objective_, abs=1e-9)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("solver", ["armijo", "lbfgs"])
def test_the_objective_never_falls_along_the_history(solver, density):
    X, y = classes(3, 6)
    settings = {"solver": solver, "density": density, "max_iter": 40}
    rotations = RotationPlane(n_init=3, random_state=0, **settings).fit(X, y)
    assert len(rotations.history_) == rotations.n_iter_ + 1 > 2
    assert (np.diff(rotations.history_) >= 0).all()
    assert rotations.history_[-1] == pytest.approx(rotations.objective_, abs=1e-12)


def test_the_printed_rule_keeps_the_best_plane_of_its_history():
    X, y = classes(3, 6)
    rotations = RotationPlane(solver="paper", max_iter=200, n_init=2, random_state=0).fit(X, y)
    assert (np.diff(rotations.history_) < 0).any()
    assert rotations.objective_ == rotations.history_.max()
    assert not rotations.converged_


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_whole_space_leaves_nothing_to_find(n_classes):
    X, y = classes(n_classes, 3)
    rotations = RotationPlane(3, random_state=0).fit(X, y)
    assert rotations.n_iter_ == 0
    assert [result.kind for result in rotations.start_results_] == ["whole space"]
    assert rotations.objective_ == pytest.approx(rotation_objective(X, y, np.eye(3)), abs=1e-10)


def test_more_starts_never_find_less():
    X, y = two_gaussians(1)
    found = [RotationPlane(1, n_init=n, random_state=0).fit(X, y).objective_ for n in (1, 2, 4, 8)]
    assert found == sorted(found)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_same_seed_gives_the_same_result_whatever_the_number_of_jobs(solver):
    X, y = classes(3, 6)
    settings = {"solver": solver, "n_init": 4, "max_iter": 30, "random_state": 7}
    one, again, threads = (
        RotationPlane(n_jobs=n_jobs, **settings).fit(X, y) for n_jobs in (None, 1, 2)
    )
    for other in (again, threads):
        np.testing.assert_array_equal(one.components_, other.components_)
        np.testing.assert_array_equal(one.history_, other.history_)


def test_another_seed_begins_elsewhere():
    X, y = classes(3, 6)
    one, other = (
        RotationPlane(n_init=1, max_iter=1, random_state=seed).fit(X, y) for seed in (0, 1)
    )
    assert principal_angles(one.components_, other.components_).max() > 0.01


@pytest.mark.slow
def test_every_start_is_on_record_with_its_plane():
    X, y = classes(3, 6)
    rotations = RotationPlane(n_init=6, random_state=0).fit(X, y)
    assert len(rotations.start_results_) == 6
    assert rotations.objective_ == max(result.objective for result in rotations.start_results_)
    for result in rotations.start_results_:
        assert_orthonormal(result.components)
        value = rotation_objective(X, y, result.components)
        assert result.objective == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("solver", ["armijo", "lbfgs"])
def test_an_affine_map_of_the_data_does_not_change_the_largest_objective(solver):
    X, y = two_gaussians(0)
    settings = {"solver": solver, "n_init": 10, "tol": 1e-8, "max_iter": 2000, "random_state": 0}
    one = RotationPlane(1, **settings).fit(X, y)
    other = RotationPlane(1, **settings).fit(50.0 * X @ invertible(10) + 3.0, y)
    assert other.objective_ == pytest.approx(one.objective_, abs=1e-5)


def test_copied_and_constant_columns_do_not_change_the_largest_objective():
    X, y = IRIS
    more = np.column_stack([X, X[:, 0], 2.0 * X[:, 1] - X[:, 2], np.full(150, 0.1)])
    settings = {"solver": "lbfgs", "n_init": 10, "random_state": 0}
    one = RotationPlane(**settings).fit(X, y)
    other = RotationPlane(**settings).fit(more, y)
    assert other.objective_ == pytest.approx(one.objective_, abs=1e-5)
    assert_orthonormal(other.components_)
    np.testing.assert_allclose(other.components_[:, -1], 0, atol=1e-10)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_more_features_than_rows_stay_finite(solver, density):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 40)), np.arange(24) % 3
    settings = {"solver": solver, "density": density, "n_init": 2, "max_iter": 20}
    rotations = RotationPlane(random_state=0, **settings).fit(X, y)
    assert np.isfinite(rotations.history_).all()
    assert rotations.objective_ <= 0
    assert_orthonormal(rotations.components_)
    assert np.isfinite(rotations.predict_proba(X)).all()


def test_a_class_of_repeated_rows_is_given_a_little_spread():
    X, y = classes(3, 4)
    X = np.where((y == 1)[:, None], X[y == 1][0], X)
    rotations = RotationPlane(n_init=2, random_state=0).fit(X, y)
    assert np.isfinite(rotations.history_).all()
    assert rotations.score(X[y == 1], y[y == 1]) == 1


@pytest.mark.parametrize(
    ("load", "at_least"), [(load_iris, 0.96), (load_wine, 0.98), (load_digits, 0.7)]
)
def test_several_classes_part_in_a_plane(load, at_least):
    X, y = load(return_X_y=True)
    rotations = RotationPlane(n_init=2, max_iter=60, random_state=0).fit(X, y)
    assert_orthonormal(rotations.components_)
    assert rotations.transform(X).shape == (len(X), 2)
    assert (np.diff(rotations.history_) >= 0).all()
    assert rotations.score(X, y) > at_least


@pytest.mark.parametrize("density", DENSITIES)
def test_the_posteriors_sum_to_one_near_and_far(density):
    X, y = classes(3, 4)
    rotations = RotationPlane(density=density, n_init=2, max_iter=20, random_state=0).fit(X, y)
    for points in (X, 1e3 * X, 1e6 * X, -1e6 * X):
        posteriors = rotations.predict_proba(points)
        np.testing.assert_allclose(posteriors.sum(axis=1), 1, rtol=1e-12)
        np.testing.assert_array_equal(
            rotations.predict(points), rotations.classes_[posteriors.argmax(axis=1)]
        )
        assert np.isfinite(rotations.predict_log_proba(points)).all()


def test_the_scores_are_those_of_scikit_learn():
    X, y = classes(2, 5)
    words = np.array(["no", "yes"])[y]
    rotations = RotationPlane(n_init=2, random_state=0).fit(X, words)
    posteriors = rotations.predict_proba(X)
    assert rotations.score(X, words) == np.mean(rotations.predict(X) == words)
    assert rotations.log_loss(X, words) == pytest.approx(log_loss(words, posteriors), rel=1e-9)
    expected = brier_score_loss(words, posteriors[:, 1], pos_label="yes")
    assert rotations.brier_score(X, words) == pytest.approx(expected, rel=1e-9)
    truth = posteriors[np.arange(len(y)), y]
    assert rotations.brier_score(X, words) == pytest.approx(np.mean((1 - truth) ** 2), rel=1e-9)


def test_the_density_of_all_classes_is_the_sum_over_classes_of_prior_times_density():
    X, y = classes(2, 3)
    rotations = RotationPlane(2, n_init=2, random_state=0).fit(X, y)
    densities = np.exp(rotations.plane_densities_.log_densities(rotations.transform(X)))
    np.testing.assert_allclose(
        np.exp(rotations.score_samples(X)), densities @ rotations.priors_, rtol=1e-10
    )


@pytest.mark.parametrize("density", DENSITIES)
def test_the_densities_have_mass_one_in_the_coordinates_of_the_projection(density):
    X, y = classes(2, 4)
    units = np.array([1e-2, 1.0, 1.0, 1e3])
    rotations = RotationPlane(1, density=density, n_init=1, max_iter=5, random_state=0)
    projected = rotations.fit(X * units, y).transform(X * units)
    reach = 20 * projected.std()
    line = np.linspace(-reach, reach, 20_001)
    mass = np.exp(rotations.plane_densities_.log_densities(line[:, None])).sum(axis=0)
    np.testing.assert_allclose(mass * (line[1] - line[0]), 1.0, rtol=1e-6)


@pytest.mark.parametrize("density", DENSITIES)
def test_units_that_differ_a_millionfold_do_no_harm(density):
    X, y = classes(3, 5)
    units = 10.0 ** np.array([-3.0, 0.0, 3.0, 1.0, -2.0])
    rotations = RotationPlane(density=density, n_init=2, max_iter=20, random_state=0)
    objective = rotations.fit(X, y).objective_
    assert rotations.fit(X * units, y).objective_ == pytest.approx(objective, abs=1e-6)
    assert rotations.log_loss(X * units, y) == pytest.approx(-objective, abs=1e-6)


def test_priors_are_the_shares_of_the_classes_or_what_is_given():
    X, y = classes(3, 5)
    alone = RotationPlane(n_init=1, random_state=0).fit(X, y)
    np.testing.assert_allclose(alone.priors_, np.bincount(y) / len(y))
    given = RotationPlane(n_init=1, priors=[0.98, 0.01, 0.01], random_state=0).fit(X, y)
    assert given.objective_ == pytest.approx(
        rotation_objective(X, y, given.components_, priors=[0.98, 0.01, 0.01]), abs=1e-10
    )
    assert np.sum(given.predict(X) == 0) > np.sum(alone.predict(X) == 0)


@pytest.mark.slow
def test_a_nested_reduction_stays_within_the_subspaces_it_passes():
    X, y = two_gaussians(0)
    settings = {"n_init": 3, "random_state": 0}
    nested = RotationPlane(1, nested=(5,), **settings).fit(X, y)
    wide = RotationPlane(5, **settings).fit(X, y)
    assert principal_angles(nested.components_, wide.components_[:5])[0] < 1e-6
    direct = RotationPlane(1, solver="lbfgs", n_init=10, random_state=0).fit(X, y)
    assert nested.objective_ <= direct.objective_ + 1e-6


def test_screening_keeps_the_features_of_the_largest_objective_alone():
    X, y = load_breast_cancer(return_X_y=True)
    rotations = RotationPlane(1, screening=6, n_init=2, random_state=0).fit(X, y)
    alone = [rotation_objective(X, y, row[None]) for row in np.eye(30)]
    np.testing.assert_allclose(rotations.screening_objectives_, alone, atol=1e-9)
    np.testing.assert_array_equal(rotations.screening_order_, np.argsort(-np.array(alone)))
    left_out = rotations.screening_order_[6:]
    np.testing.assert_array_equal(rotations.components_[:, left_out], 0)
    kept = RotationPlane(1, n_init=2, random_state=0).fit(X[:, rotations.screening_order_[:6]], y)
    assert rotations.objective_ == pytest.approx(kept.objective_, abs=1e-9)


def test_a_feature_that_is_constant_in_every_class_tells_nothing_to_the_screening():
    X, y = classes(2, 4)
    more = np.column_stack([np.full(len(y), 3.0), X])
    rotations = RotationPlane(1, screening=4, n_init=1, random_state=0).fit(more, y)
    assert rotations.screening_order_[-1] == 0
    shares = np.bincount(y) / len(y)
    assert rotations.screening_objectives_[0] == pytest.approx(shares @ np.log(shares))


@pytest.mark.parametrize("nested", [(), (4, 3)])
def test_progress_tells_the_steps_of_the_fit(nested):
    X, y = classes(3, 6)
    rotations, reports = recorded(n_init=3, nested=nested, max_iter=15)
    rotations.fit(X, y)
    for report in reports:
        assert report.components.shape == (2, 6)
        assert_orthonormal(report.components)
        value = rotation_objective(X, y, report.components)
        assert report.objective == pytest.approx(value, abs=1e-9)
    last = [report for report in reports if report.stage == reports[-1].stage]
    assert reports[0].iteration == last[0].iteration == 0
    assert {report.start for report in reports} == {1, 2, 3}
    assert reports[-1].best_objective == max(report.objective for report in reports)
    for quantity in ("fraction", "best_objective", "n_evaluations", "elapsed_s"):
        values = [getattr(report, quantity) for report in reports]
        assert values == sorted(values)
        assert values[0] < values[-1]
    assert reports[0].fraction == 0
    assert reports[-1].fraction < 1


def test_the_words_of_the_progress_name_start_and_reduction():
    rotations, reports = recorded(n_init=2, nested=(3,), max_iter=2)
    rotations.fit(*IRIS)
    assert reports[0].stage == "start 1 of 2, 4 to 3 dimensions"
    assert reports[-1].stage == "start 2 of 2, 3 to 2 dimensions"
    rotations, reports = recorded(n_init=2, max_iter=2)
    rotations.fit(*IRIS)
    assert reports[0].stage == "start 1 of 2"


def test_a_callback_does_not_change_the_result():
    rotations, _ = recorded(n_init=2)
    alone = RotationPlane(n_init=2, random_state=0).fit(*IRIS)
    np.testing.assert_array_equal(rotations.fit(*IRIS).components_, alone.components_)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n_before", [1, 4, 30])
def test_a_callback_stops_the_fit_at_once_and_the_best_plane_is_kept(n_before, solver):
    X, y = IRIS
    reports = []

    def stop(progress):
        reports.append(progress)
        return len(reports) == n_before

    rotations = RotationPlane(solver=solver, random_state=0, callback=stop).fit(X, y)
    assert len(reports) == n_before
    best = max(reports, key=lambda report: report.objective)
    assert rotations.objective_ == pytest.approx(best.objective, abs=1e-9)
    assert principal_angles(rotations.components_, best.components).max() < 1e-6
    assert set(rotations.predict(X)) <= {0, 1, 2}


def test_a_callback_may_stop_before_the_last_reduction():
    rotations = RotationPlane(1, nested=(3, 2), random_state=0, callback=lambda _: True)
    rotations.fit(*IRIS)
    assert rotations.components_.shape == (1, 4)
    assert len(rotations.history_) == 1


def test_labels_that_were_not_fitted_have_no_loss():
    X, y = classes(2, 4)
    rotations = RotationPlane(n_init=1, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"The label 2 was not among those of the fit, \[0, 1\]"):
        rotations.log_loss(X, np.where(y == 1, 2, y))
    with pytest.raises(ValueError, match=r"The label 0\.5 was not among"):
        rotations.brier_score(X, np.full(len(y), 0.5))


X4, Y2 = classes(2, 4)
FEW = np.arange(len(Y2)) < 25  # 23 rows of class 0, 2 of class 1


@pytest.mark.parametrize(
    ("parameters", "X", "y", "message"),
    [
        ({"n_components": 5}, X4, Y2, r"n_components=5 exceeds the 4 feature\(s\)"),
        ({"n_components": 0}, X4, Y2, "n_components=0 must be a whole number of at least 1"),
        ({"density": "kernel"}, X4, Y2, "density='kernel' must be one of 'gaussian', 'mixture'"),
        ({"solver": "adam"}, X4, Y2, "solver='adam' must be one of 'armijo', 'lbfgs', 'paper'"),
        ({"n_init": 0}, X4, Y2, "n_init=0 must be a whole number of at least 1"),
        ({"n_mixture": 0}, X4, Y2, "n_mixture=0 must be a whole number of at least 1"),
        ({"gamma": 0.0}, X4, Y2, "gamma=0.0 must be a finite number above 0"),
        ({"max_iter": 0}, X4, Y2, "max_iter=0 must be a whole number of at least 1"),
        ({"tol": -1.0}, X4, Y2, "tol=-1.0 must be a finite number above 0"),
        ({"nested": (3, 3)}, X4, Y2, r"nested=\(3, 3\) must decrease strictly, from below the 4 "),
        ({"nested": (2,)}, X4, Y2, r"nested=\(2,\) must decrease strictly, .* n_components=2"),
        ({"nested": (4,)}, X4, Y2, r"nested=\(4,\) must decrease strictly, from below the 4"),
        ({"nested": 3}, X4, Y2, "nested=3 must be a sequence of decreasing dimensions"),
        ({"nested": (3.5,)}, X4, Y2, "nested=3.5 must be a whole number"),
        ({"nested": (3,), "screening": 3}, X4, Y2, "from below the 3 features kept"),
        ({"screening": 5}, X4, Y2, r"screening=5 exceeds the 4 feature\(s\) of the data"),
        ({"screening": 1}, X4, Y2, "screening=1 must be a whole number of at least 2"),
        ({"priors": [0.5, 0.2]}, X4, Y2, "must be 2 numbers above 0"),
        ({}, X4[FEW], Y2[FEW], "Class 1 has 2 rows; in 2 dimensions a class needs at least 3"),
        ({"nested": (3,)}, X4[:26], Y2[:26], "Class 1 has 3 rows; in 3 dimensions"),
        ({}, X4, np.zeros(len(X4)), "The labels hold only one class"),
        ({}, np.where(X4 > 2, np.nan, X4), Y2, "contains NaN"),
        ({}, np.ones((10, 3)), np.arange(10) % 2, r"vary along 0 direction\(s\) only"),
        ({}, np.outer(X4[:, 0], [1, 2, 3]), Y2, r"vary along 1 direction\(s\) only"),
    ],
)
def test_what_cannot_be_fitted_is_refused_by_value_and_rule(parameters, X, y, message):
    with pytest.raises(ValueError, match=message):
        RotationPlane(**parameters).fit(X, y)

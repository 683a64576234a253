from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.metrics import balanced_accuracy_score, log_loss

from melm_core import MELM, DiscriminantPlane, cauchy_schwarz_divergence
from melm_core.density.class_rules import DensityRule
from melm_core.density.kernel_density import kernel_classes
from melm_core.linalg.planes import principal_angles
from melm_core.melm import SearchOptions, divergence_in_plane
from melm_core.melm.objective import divergence_and_gradient, divergence_terms
from tests.melm_core.helpers import assert_orthonormal, classes, invertible, plane

IRIS = load_iris(return_X_y=True)


def planted(seed: int = 0):
    """Return classes of equal means and covariances that differ in a 2-D plane of 8 features.

    In the plane, class 0 lies around two opposite corners of a square and
    class 1 around the other two.
    """
    rng = np.random.default_rng(seed)
    y = np.arange(300) % 2
    corner = rng.choice([-1.0, 1.0], size=300)
    X = rng.normal(size=(300, 8))
    X[:, :2] = 0.4 * X[:, :2] + np.column_stack([corner, np.where(y == 0, corner, -corner)])
    M = invertible(8, seed)
    return X @ M, y, np.linalg.inv(M).T[:2]


def largest_angle(one, other) -> float:
    return float(principal_angles(one, other).max())


def recorded(**parameters):
    """Return an estimator, and the list of what it will report."""
    reports = []

    def keep(progress):
        reports.append(progress)

    return MELM(random_state=0, callback=keep, **parameters), reports


@pytest.mark.parametrize("seed", range(2))
def test_a_planted_plane_is_found_where_means_and_covariances_say_nothing(seed):
    X, y, truth = planted(seed)
    found = MELM(n_init=6, random_state=0).fit(X, y).components_
    assert np.cos(largest_angle(found, truth)) > 0.98
    for classical in (PCA(2).fit(X), DiscriminantPlane().fit(X, y)):
        assert np.cos(largest_angle(classical.components_, truth)) < 0.9


def test_the_same_seed_gives_the_same_result_digit_for_digit():
    X, y = classes(3, 6)
    one, other = (MELM(n_init=4, random_state=7).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.components_, other.components_)
    np.testing.assert_array_equal(one.history_, other.history_)
    assert one.divergence_ == other.divergence_


def test_another_seed_begins_from_other_planes():
    X, y = classes(3, 6)
    one, other = (
        MELM(n_init=9, random_state=seed).set_search(max_iter=1).fit(X, y) for seed in (0, 1)
    )
    assert [melm.start_results_[8].kind for melm in (one, other)] == ["random", "random"]
    assert (
        largest_angle(one.start_results_[8].components, other.start_results_[8].components) > 0.01
    )


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_components_are_orthonormal_and_along_the_axes_of_the_picture(k):
    X, y = classes(3, 6)
    melm = MELM(k, n_init=2, random_state=0).fit(X, y)
    assert melm.components_.shape == (k, 6)
    assert_orthonormal(melm.components_)
    covariance = np.cov(melm.transform(X).T, ddof=0).reshape(k, k)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-10)
    assert (np.diff(np.diag(covariance)) <= 0).all()


@pytest.mark.parametrize("shrinkage", [0.0, 0.2, "auto"])
def test_the_reported_divergence_is_that_of_the_components(shrinkage):
    X, y = classes(3, 6)
    melm = MELM(gamma=0.8, n_init=2, shrinkage=shrinkage, random_state=0).fit(X, y)
    value = cauchy_schwarz_divergence(X, y, melm.components_, gamma=0.8, shrinkage=shrinkage)
    assert melm.divergence_ == pytest.approx(value, rel=1e-10)


def test_for_the_mean_over_pairs_the_divergence_is_the_difference_of_its_terms():
    X, y = classes(3, 6)
    melm = MELM(n_init=2, multiclass="mean", random_state=0).fit(X, y)
    difference = melm.fitting_term_ - melm.regularizing_term_
    assert melm.divergence_ == pytest.approx(difference, rel=1e-10)


def test_the_terms_are_those_of_the_orthonormal_components():
    X, y = classes(2, 6)
    melm = MELM(n_init=2, shrinkage="auto", random_state=0).fit(X, y)
    kernels = kernel_classes(X, y, n_components=2, gamma=melm.gamma_, shrinkage="auto")
    terms = divergence_terms(kernels, melm.components_)
    assert melm.fitting_term_ == pytest.approx(terms.fitting, rel=1e-8)
    assert melm.regularizing_term_ == pytest.approx(terms.regularizing, rel=1e-8)


def test_no_plane_nearby_diverges_more():
    X, y = classes(3, 6)
    melm = MELM(n_init=2, shrinkage=0.0, random_state=0).fit(X, y)
    _, gradient = cauchy_schwarz_divergence(X, y, melm.components_, return_gradient=True)
    np.testing.assert_allclose(gradient, 0, atol=1e-3 * melm.divergence_)
    rng = np.random.default_rng(0)
    for _ in range(20):
        nearby = melm.components_ + 0.01 * rng.normal(size=(2, 6))
        assert cauchy_schwarz_divergence(X, y, nearby) < melm.divergence_


def test_the_best_start_is_kept_and_every_start_is_on_record():
    X, y = classes(3, 6)
    melm = MELM(n_init=10, random_state=0).fit(X, y)
    assert len(melm.start_results_) == 10
    assert {result.kind for result in melm.start_results_} == {"wide kernels", "random"}
    best = max(melm.start_results_, key=lambda result: result.objective)
    assert melm.divergence_ == pytest.approx(best.objective, rel=1e-9)
    # Starts that met share the value of the one that went on.
    shared = [result for result in melm.start_results_ if result.objective == best.objective]
    assert melm.n_iter_ in {result.n_iterations for result in shared}
    assert melm.converged_ == best.converged
    assert largest_angle(melm.components_, best.components) < 1e-7
    assert melm.history_.max() == pytest.approx(melm.divergence_, rel=1e-9)
    assert melm.n_evaluations_ == sum(result.n_evaluations for result in melm.start_results_)
    for result in melm.start_results_:
        assert_orthonormal(result.components)
        value = cauchy_schwarz_divergence(X, y, result.components, shrinkage="ledoit-wolf")
        # Starts that were left behind were summed in single precision.
        assert result.objective == pytest.approx(value, rel=1e-6)


def test_more_given_planes_never_find_less():
    X, y = classes(3, 6, seed=1)
    planes = np.stack([plane(2, 6, seed) for seed in range(8)])
    found = [MELM().set_search(init=planes[:n]).fit(X, y).divergence_ for n in (1, 2, 4, 8)]
    assert found == sorted(found)


@pytest.mark.parametrize("shrinkage", [0.0, "auto"])
def test_the_result_does_not_depend_on_the_affine_frame_of_the_data(shrinkage):
    X, y = IRIS
    M = invertible(4)
    settings = {"n_init": 2, "shrinkage": shrinkage, "random_state": 0}
    one = MELM(**settings).fit(X, y)
    other = MELM(**settings).fit(X @ M - 20.0, y)
    assert other.divergence_ == pytest.approx(one.divergence_, rel=1e-7)
    assert largest_angle(other.components_ @ M.T, one.components_) < 0.01


def test_the_units_of_the_features_do_not_matter():
    X, y = IRIS
    units = np.array([1e-3, 1.0, 10.0, 1e2])
    one, other = (MELM(n_init=2, random_state=0).fit(data, y) for data in (X, X * units))
    assert other.divergence_ == pytest.approx(one.divergence_, rel=1e-9)
    assert_orthonormal(other.components_)


def test_progress_tells_the_steps_of_the_fit():
    melm, reports = recorded(n_init=3, gamma=1.0)
    melm.fit(*IRIS)
    first, *reports = reports
    assert first.stage == "start 1 of 3, wide kernels first"
    last_stage = [report for report in reports if "γ" not in report.stage]
    assert [report.objective for report in last_stage] == melm.history_.tolist()
    assert reports[0].iteration == 0
    assert [report.start for report in reports if report.stage.endswith("of 3, γ × 1.5")][-1] == 3
    assert reports[0].stage == "start 1 of 3, γ × 1.5"
    n_left = reports[-1].n_starts
    assert reports[-1].stage == f"start {n_left} of {n_left}"
    assert reports[-1].best_objective == max(report.objective for report in reports)
    assert reports[-1].best_objective == pytest.approx(melm.divergence_, rel=1e-9)
    assert reports[-1].n_evaluations <= melm.n_evaluations_


@pytest.mark.parametrize("quantity", ["fraction", "best_objective", "n_evaluations", "elapsed_s"])
def test_progress_never_falls_back(quantity):
    melm, reports = recorded(n_init=3)
    melm.fit(*IRIS)
    values = [getattr(report, quantity) for report in reports]
    assert values == sorted(values)
    assert values[0] < values[-1]


def test_the_share_of_the_work_done_lies_between_nothing_and_all():
    melm, reports = recorded(n_init=2)
    melm.fit(*IRIS)
    assert reports[0].fraction == 0
    assert reports[-1].fraction < 1


def test_the_planes_of_the_progress_are_those_of_their_objectives():
    X, y = IRIS
    melm, reports = recorded(n_init=1)
    melm.fit(X, y)
    for report in reports:
        assert_orthonormal(report.components)
        value = cauchy_schwarz_divergence(X, y, report.components, shrinkage="ledoit-wolf")
        assert report.objective == pytest.approx(value, rel=1e-9)


def test_a_callback_does_not_change_the_result():
    melm, _ = recorded(n_init=2)
    alone = MELM(n_init=2, random_state=0).fit(*IRIS)
    np.testing.assert_array_equal(melm.fit(*IRIS).components_, alone.components_)


@pytest.mark.parametrize("n_before", [1, 2, 5, 30])
def test_a_callback_stops_the_fit_at_once_and_the_best_plane_is_kept(n_before):
    X, y = IRIS
    reports = []

    def stop(progress):
        reports.append(progress)
        return len(reports) == n_before

    melm = MELM(n_init=10, random_state=0, callback=stop).fit(X, y)
    assert len(reports) == n_before
    assert len(melm.history_) == n_before
    best = max(report.objective for report in reports)
    assert melm.divergence_ == pytest.approx(best, rel=1e-6)  # of single precision
    level = [report for report in reports if report.objective == pytest.approx(best, rel=1e-6)]
    assert min(largest_angle(melm.components_, report.components) for report in level) < 1e-7
    assert melm.transform(X).shape == (150, 2)
    assert set(melm.predict(X)) <= {0, 1, 2}


def test_a_callback_that_fails_is_heard():
    def fail(progress):
        raise RuntimeError("No room on the disk.")

    with pytest.raises(RuntimeError, match="No room on the disk"):
        MELM(callback=fail).fit(*IRIS)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_whole_space_leaves_nothing_to_find(k):
    X, y = classes(2, k)
    melm = MELM(k, random_state=0).fit(X, y)
    assert melm.n_iter_ == 0
    assert len(melm.start_results_) == 1
    assert melm.converged_
    assert_orthonormal(melm.components_)
    value = cauchy_schwarz_divergence(X, y, np.eye(k), shrinkage="ledoit-wolf")
    assert melm.divergence_ == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("constant", [0.0, 3.0])
def test_directions_in_which_nothing_varies_are_left_out(constant):
    X, y = IRIS
    melm = MELM(n_init=2, random_state=0).fit(np.column_stack([X, np.full(len(y), constant)]), y)
    without = MELM(n_init=2, random_state=0).fit(X, y)
    assert melm.n_dropped_directions_ == 1
    assert without.n_dropped_directions_ == 0
    np.testing.assert_allclose(melm.components_[:, -1], 0, atol=1e-12)
    assert melm.divergence_ == pytest.approx(without.divergence_, rel=1e-7)


@pytest.mark.parametrize("shrinkage", [0.0, 0.1, "auto"])
def test_more_features_than_rows_stay_finite(shrinkage):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(14, 25)), np.arange(14) % 2
    melm = MELM(n_init=2, shrinkage=shrinkage, random_state=0)
    melm.set_search(max_iter=20).fit(X, y)
    assert np.isfinite(melm.divergence_)
    assert np.isfinite(melm.history_).all()
    assert_orthonormal(melm.components_)
    assert melm.score(X, y) == 1


def test_prediction_takes_the_class_of_the_largest_share():
    X, y = classes(3, 5)
    names = np.array(["ant", "bee", "cow"])[y]
    melm = MELM(n_init=2, random_state=0).fit(X, names)
    shares = melm.predict_proba(X)
    np.testing.assert_array_equal(melm.classes_, ["ant", "bee", "cow"])
    np.testing.assert_array_equal(melm.predict(X), melm.classes_[shares.argmax(axis=1)])
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    assert balanced_accuracy_score(names, melm.predict(X)) > 0.7


@pytest.mark.parametrize("n_components", [1, 2])
def test_rows_are_classified_by_the_class_densities_in_the_plane(n_components):
    X, y = classes(3, 5)
    melm = MELM(n_components, density_gamma=0.7, n_init=2, random_state=0).fit(X, y)
    Z = melm.transform(X)
    rule = DensityRule.of(Z, y, gamma=0.7)
    np.testing.assert_array_equal(melm.predict(X), rule.most_likely(Z))
    np.testing.assert_allclose(melm.predict_proba(X), rule.probabilities(Z), atol=1e-9)


def test_probabilities_of_noise_are_less_sure_than_by_the_densities_of_the_search():
    X, y = np.random.default_rng(0).normal(size=(160, 60)), np.arange(160) % 2
    melm = MELM(n_init=2, random_state=0).fit(X[:80], y[:80])
    of_search = melm.projected_classes_.log_densities(melm.transform(X[80:]))
    losses = [log_loss(y[80:], own) for own in (melm.predict_proba(X[80:]), softmax(of_search, 1))]
    assert losses[0] < losses[1] - 0.2


def test_rows_far_from_every_class_still_have_shares():
    X, y = classes(2, 4)
    melm = MELM(n_init=2, random_state=0).fit(X, y)
    shares = melm.predict_proba(1e4 * X)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    assert set(melm.predict(1e4 * X)) == {0, 1}  # by the normal densities


def test_the_projection_back_and_forth_is_the_projection_onto_the_plane():
    X, y = classes(3, 5)
    melm = MELM(n_init=2, random_state=0).fit(X, y)
    Z = melm.transform(X)
    nearest = melm.inverse_transform(Z)
    np.testing.assert_allclose(melm.transform(nearest), Z, atol=1e-12)
    np.testing.assert_allclose(melm.inverse_transform(melm.transform(nearest)), nearest, atol=1e-12)
    np.testing.assert_allclose((X - nearest) @ melm.components_.T, 0, atol=1e-12)


def test_the_plane_is_at_least_as_good_as_any_plane_at_random():
    X, y = classes(3, 5)
    melm = MELM(n_init=6, random_state=0).fit(X, y)
    at_random = [
        cauchy_schwarz_divergence(X, y, plane(2, 5, seed), shrinkage="ledoit-wolf")
        for seed in range(200)
    ]
    assert melm.divergence_ > max(at_random)


def test_given_planes_begin_with_the_kernels_of_gamma_itself():
    melm, reports = recorded(gamma=0.5, search=SearchOptions(init=np.eye(4)[None, :2], max_iter=1))
    melm.fit(*IRIS)
    assert {report.stage for report in reports} == {"start 1 of 1"}


def test_planes_to_begin_from_can_be_given():
    X, y = IRIS
    found = MELM(random_state=0).fit(X, y)
    again = MELM().set_search(init=found.components_[None]).fit(X, y)
    assert [result.kind for result in again.start_results_] == ["given"]
    assert again.n_iter_ <= 5
    assert again.divergence_ == pytest.approx(found.divergence_, rel=1e-7)


def test_given_planes_of_the_wrong_shape_are_refused():
    message = r"init must be .auto. or planes of shape \(n_planes, 2, 4\); its shape is \(2, 4\)"
    with pytest.raises(ValueError, match=message):
        MELM().set_search(init=np.eye(4)[:2]).fit(*IRIS)


@pytest.mark.slow
def test_the_penalised_form_reaches_about_the_same_value():
    X, y = IRIS
    penalized = MELM(search=SearchOptions(solver="penalty"), n_init=4, random_state=0).fit(X, y)
    whitened = MELM(random_state=0).fit(X, y)
    assert {result.kind for result in penalized.start_results_} == {"random"}
    assert penalized.divergence_ == pytest.approx(whitened.divergence_, rel=1e-3)


@pytest.mark.parametrize("multiclass", ["mean", "softmin", "ovr"])
@pytest.mark.parametrize("solver", ["lbfgs", "penalty"])
def test_the_divergence_is_without_the_penalty_and_of_the_chosen_aggregate(solver, multiclass):
    X, y = classes(3, 4)
    search = SearchOptions(solver=solver, max_iter=3)
    melm = MELM(search=search, multiclass=multiclass, n_init=2, random_state=0)
    melm.fit(X, y)
    value, _ = divergence_and_gradient(
        kernel_classes(X, y, n_components=2, gamma=melm.gamma),
        melm.components_,
        multiclass=multiclass,
    )
    assert melm.divergence_ == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("engine", ["direct", "nufft"])
def test_the_engine_does_not_change_the_plane(engine):
    X, y = classes(2, 5)
    auto = MELM(n_init=2, random_state=0).fit(X, y)
    chosen = MELM(n_init=2, search=SearchOptions(engine=engine), random_state=0).fit(X, y)
    assert chosen.divergence_ == pytest.approx(auto.divergence_, rel=1e-7)
    assert largest_angle(chosen.components_, auto.components_) < 1e-3


def test_the_number_of_jobs_does_not_change_the_result():
    X, y = classes(3, 5)
    one, two = (MELM(n_init=10, random_state=0).set_search(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.components_, two.components_)
    np.testing.assert_array_equal(one.history_, two.history_)


def test_the_class_on_a_line_changes_exactly_at_the_thresholds():
    X, y = planted()[:2]
    melm = MELM(1, n_init=4, random_state=0).fit(X, y)
    assert (np.diff(melm.thresholds_) > 0).all()
    line = np.sort(np.concatenate([melm.thresholds_ - 1e-6, melm.thresholds_ + 1e-6]))
    below, above = melm.predict(melm.inverse_transform(line[:, None])).reshape(-1, 2).T
    assert len(melm.thresholds_) > 0
    assert (below != above).all()


def test_rows_are_classified_by_kernels_that_are_narrower_than_those_of_the_search():
    found = MELM(random_state=0).fit(*IRIS)
    as_wide = MELM(density_gamma=2.0, random_state=0).fit(*IRIS)
    np.testing.assert_array_equal(found.components_, as_wide.components_)
    assert found.divergence_ == as_wide.divergence_
    kernels, wide_kernels = (fit.projected_classes_.covariances for fit in (found, as_wide))
    np.testing.assert_allclose(4.0 * kernels, wide_kernels, rtol=1e-12)
    value = divergence_in_plane(as_wide.projected_classes_)
    assert found.divergence_ == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(("gamma", "n_starts"), [(2.0, 6), (1.5, 6), (1.4, 14), (1.0, 14)])
def test_narrow_kernels_have_more_starts_by_default(gamma, n_starts):
    melm, reports = recorded(gamma=gamma, search=SearchOptions(max_iter=1))
    melm.fit(*IRIS)
    assert reports[0].n_starts == n_starts

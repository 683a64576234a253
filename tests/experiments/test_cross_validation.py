from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from melm_core import MELM, DiscriminantPlane
from melm_core.base import UserError
from melm_core.datasets import pure_noise
from melm_core.evaluation import cross_validated_separability, separability
from melm_core.methods import METHODS
from tests.melm_core.evaluation.honest_examples import Column, Memory, blobs

IRIS = load_iris(return_X_y=True)
QUICK = {"n_init": 2, "random_state": 0, "max_iter": 30}
SEPARATES_NOISE = {"melm", "rotations", "lda", "nca", "sir", "kfd"}


class Recorder(TransformerMixin, BaseEstimator):
    """Keeps the rows it is fitted to in a list that all its copies share."""

    train: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.train.append(X)
        return self

    def transform(self, X):
        return X[:, :1]


@pytest.fixture
def recorder():
    Recorder.train.clear()
    return Recorder()


def held_out(method, X, y, **options) -> float:
    result = cross_validated_separability(method, X, y, **options)
    return result.held_out.mean.balanced_accuracy


def assert_at_chance(scores, chance: float) -> None:
    """Compare the mean over seeds with chance, within three of its standard errors."""
    error = max(np.std(scores, ddof=1) / np.sqrt(len(scores)), 0.01)
    assert abs(np.mean(scores) - chance) < 3 * error


def test_a_method_that_learns_its_rows_by_heart_is_at_chance_held_out():
    scores = []
    for seed in range(4):
        X, y = pure_noise(60, 4, 2, random_state=seed)
        result = cross_validated_separability(Memory(), X, y, standardize=False)
        assert result.in_sample.mean.balanced_accuracy == 1.0
        scores.append(result.held_out.mean.balanced_accuracy)
    assert_at_chance(scores, 0.5)


def test_tuning_does_not_let_a_method_see_held_out_rows_either():
    tune = {"strength": (1.0, 2.0)}
    scores = []
    for seed in range(3):
        X, y = pure_noise(40, 4, 2, random_state=seed)
        scores.append(held_out(Memory(), X, y, standardize=False, tune=tune, n_folds=2))
    assert_at_chance(scores, 0.5)


def test_each_fold_is_fitted_to_all_rows_but_its_own(recorder):
    X = np.column_stack([np.arange(50.0), np.zeros(50)])
    cross_validated_separability(recorder, X, np.arange(50) % 2, standardize=False)
    everything, *folds = [set(rows[:, 0].astype(int)) for rows in recorder.train]
    assert everything == set(range(50))
    left_out = [everything - fold for fold in folds]
    assert [len(rows) for rows in left_out] == [10] * 5
    assert set.union(*left_out) == everything


def test_the_features_are_standardized_by_the_rows_of_the_fit_alone(recorder):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(5.0, 3.0, size=(60, 3)), np.full(60, 7.0)])
    cross_validated_separability(recorder, X, np.arange(60) % 2)
    for rows in recorder.train:
        np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(rows.std(axis=0), [1, 1, 1, 0], atol=1e-12)


def test_of_many_rows_few_are_scored_and_the_fit_sees_all_others(recorder):
    X, y = blobs(400, 2, distance=2.0)
    result = cross_validated_separability(recorder, X, y, max_rows=100)
    assert [len(rows) for rows in recorder.train] == [400] + [380] * 5
    assert result.held_out.n_scored == 100
    assert result.held_out.notes == result.in_sample.notes != ()


def test_the_figure_in_sample_is_the_separability_of_the_plane_of_all_rows():
    X, y = IRIS
    result = cross_validated_separability("lda", X, y)
    Z = DiscriminantPlane().fit_transform(StandardScaler().fit_transform(X), y)
    expected = separability(Z, y).fold_confusions
    np.testing.assert_allclose(result.in_sample.fold_confusions, expected, atol=1e-12)


def test_the_gap_is_what_lies_between_the_two_figures():
    result = cross_validated_separability("lda", *pure_noise(60, 30, 3))
    difference = result.in_sample.mean.balanced_accuracy - result.held_out.mean.balanced_accuracy
    assert result.gap.balanced_accuracy == pytest.approx(difference)
    assert result.gap.balanced_accuracy > 0.2
    assert result.gap.standard_error > 0


def test_a_projection_that_learns_nothing_has_no_gap():
    X, y = blobs(80, 2, distance=2.0)
    assert cross_validated_separability(Column(), X, y).gap.balanced_accuracy == 0.0


def test_a_key_and_its_estimator_give_the_same_figures():
    X, y = IRIS
    by_key = cross_validated_separability("pca", X, y)
    by_estimator = cross_validated_separability(PCA(2, random_state=0), X, y)
    for part in ("in_sample", "held_out"):
        one, other = getattr(by_key, part), getattr(by_estimator, part)
        np.testing.assert_array_equal(one.fold_confusions, other.fold_confusions)


def test_a_key_takes_of_the_parameters_of_a_run_what_its_method_knows():
    X, y = IRIS
    run = {"n_components": 1, "gamma": 2.0, "held_out": 25.0, "random_state": 3}
    result = cross_validated_separability("lda", X, y, parameters=run)
    plane = DiscriminantPlane(1).fit_transform(StandardScaler().fit_transform(X), y)
    expected = separability(plane, y, random_state=0).fold_confusions
    np.testing.assert_allclose(result.in_sample.fold_confusions, expected, atol=1e-12)


def test_inner_folds_choose_the_parameter_that_separates():
    Z, y = blobs(80, 2, distance=4.0)
    X = np.column_stack([Z[:, 1], Z[:, 0]])  # the classes differ in the second column
    result = cross_validated_separability(Column(), X, y, tune={"index": (0, 1)}, n_folds=2)
    assert result.chosen == {"index": 1}
    assert result.fold_chosen == ({"index": 1},) * 2
    assert result.held_out.mean.balanced_accuracy > 0.9


def test_what_is_not_tuned_is_not_chosen():
    result = cross_validated_separability(Column(), *blobs(40, 2, distance=4.0))
    assert result.chosen == {}
    assert result.fold_chosen == ({},) * 5


def test_gamma_and_shrinkage_of_melm_can_be_tuned():
    X, y = IRIS
    keep = np.flatnonzero(y > 0)[::2]
    result = cross_validated_separability(
        MELM(n_init=1, random_state=0).set_search(max_iter=20),
        X[keep],
        y[keep],
        tune={"gamma": (0.5, 2.0), "shrinkage": (0.3,)},
        n_folds=2,
    )
    for chosen in (result.chosen, *result.fold_chosen):
        assert chosen["gamma"] in (0.5, 2.0)
        assert chosen["shrinkage"] == 0.3
    assert result.held_out.mean.balanced_accuracy > 0.85


def test_folds_are_reported_in_their_order_as_they_are_done():
    reports = []
    result = cross_validated_separability("lda", *IRIS, callback=reports.append)
    assert [report.number for report in reports] == [1, 2, 3, 4, 5]
    assert {report.n_folds for report in reports} == {5}
    in_sample, held_out_ = np.mean([report.accuracies for report in reports], axis=0)
    assert in_sample == pytest.approx(result.in_sample.mean.balanced_accuracy)
    assert held_out_ == pytest.approx(result.held_out.mean.balanced_accuracy)


def test_what_the_callback_raises_ends_the_work():
    reports = []

    def stop(report):
        reports.append(report)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cross_validated_separability("lda", *IRIS, callback=stop)
    assert len(reports) == 1


def test_the_figures_do_not_depend_on_how_many_folds_are_done_at_once():
    one, two = (
        cross_validated_separability("ica", *IRIS, n_jobs=n_jobs, random_state=5)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.held_out.fold_confusions, two.held_out.fold_confusions)


def test_an_unknown_method_is_named_with_those_that_are_known():
    with pytest.raises(ValueError, match=r"method='magic' must be one of 'melm', "):
        cross_validated_separability("magic", *IRIS)


def test_on_pure_noise_the_held_out_figure_is_at_chance():
    scores = []
    for seed in range(4):
        result = cross_validated_separability("lda", *pure_noise(random_state=seed))
        scores.append(result.held_out.mean.balanced_accuracy)
        assert result.in_sample.mean.balanced_accuracy > 0.97
    assert_at_chance(scores, 1 / 3)


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in METHODS if METHODS[key].is_installed])
def test_every_method_is_at_chance_on_pure_noise_held_out(key):
    in_sample, held_out = [], []
    for seed in range(6):
        result = cross_validated_separability(key, *pure_noise(random_state=seed), parameters=QUICK)
        in_sample.append(result.in_sample.mean.balanced_accuracy)
        held_out.append(result.held_out.mean.balanced_accuracy)
    assert_at_chance(held_out, 1 / 3)
    if key in SEPARATES_NOISE:
        assert np.mean(in_sample) > 0.8
    if not METHODS[key].uses_labels:
        # Folds of noise score a little below chance: a held-out row shifts the rest of its class.
        assert np.mean(in_sample) < 1 / 3 + 3 * np.std(in_sample) / np.sqrt(6)


def test_a_class_too_small_to_be_held_out_is_named_with_what_is_needed():
    X, y = np.random.default_rng(0).normal(size=(22, 3)), [0] * 20 + [1] * 2
    with pytest.raises(UserError, match=r"Class 1 has 2 rows.* at least 3 rows of every class"):
        cross_validated_separability("lda", X, y)


def test_three_rows_of_a_class_and_unlabeled_methods_are_cross_validated():
    X = np.random.default_rng(0).normal(size=(23, 3))
    result = cross_validated_separability("lda", X, [0] * 20 + [1] * 3)
    assert len(result.fold_chosen) == 3
    cross_validated_separability("pca", X[:22], [0] * 20 + [1] * 2)

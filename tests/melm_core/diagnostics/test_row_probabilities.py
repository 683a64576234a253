"""Out-of-fold probabilities: found without the row, fair on noise, low for wrong labels."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine

from melm_core.datasets import pure_noise
from melm_core.density import density_shares
from melm_core.diagnostics import HeldOutPlanes, calibrated_probabilities, out_of_fold_probabilities
from melm_core.evaluation import conformal_scores, density_scores, stratified_folds


def test_rows_with_exchanged_labels_are_the_most_suspect() -> None:
    X, y = load_wine(return_X_y=True)
    wrong = [3, 70, 150]
    y[wrong] = (y[wrong] + 1) % 3
    own = out_of_fold_probabilities("lda", X, y)[np.arange(len(y)), y]
    assert sorted(np.argsort(own)[:3].tolist()) == wrong


@pytest.mark.parametrize("method", ["lda", "kpca"])
def test_the_predictions_are_those_of_the_held_out_accuracy(method) -> None:
    X, y = load_wine(return_X_y=True)
    scores = density_scores(method, X, y, random_state=3)
    predicted = out_of_fold_probabilities(method, X, y, random_state=3).argmax(axis=1)
    accuracies = [
        np.mean([np.mean(predicted[fold.test][y[fold.test] == c] == c) for c in range(3)])
        for fold in stratified_folds(y, 5, 3)
    ]
    assert np.mean(accuracies) == pytest.approx(scores.held_out.balanced_accuracy)


def test_noise_is_classified_no_better_than_by_guessing() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 60)), np.arange(200) % 2
    shares = out_of_fold_probabilities("lda", X, y)
    assert np.mean(shares.argmax(axis=1) == y) == pytest.approx(0.5, abs=0.12)
    assert shares.sum(axis=1) == pytest.approx(np.ones(200))


def test_a_row_does_not_influence_its_own_probability() -> None:
    X, y = load_wine(return_X_y=True)
    groups = np.arange(len(y))
    groups[1] = groups[0]  # together in every fold
    shares = out_of_fold_probabilities("pca", X, y, groups=groups, standardize=False)
    X[1] += 1e3
    again = out_of_fold_probabilities("pca", X, y, groups=groups, standardize=False)
    assert again[0] == pytest.approx(shares[0])
    assert not np.allclose(again, shares)


def test_a_stop_leaves_the_folds_that_were_not_reached_unknown() -> None:
    X, y = load_wine(return_X_y=True)
    shares = out_of_fold_probabilities("pca", X, y, callback=lambda number, _: number == 2)
    assert 0.3 < np.isnan(shares).any(axis=1).mean() < 0.7


def test_on_noise_the_mean_confidence_is_the_accuracy() -> None:
    found = [calibrated_probabilities("lda", *pure_noise(200, 20, 2, seed)) for seed in range(8)]
    own = [each.reliability for each in found]
    raw = [each.uncalibrated_reliability for each in found]
    accuracy = np.mean([each.accuracy for each in own])
    assert np.mean([each.confidence for each in own]) == pytest.approx(accuracy, abs=0.05)
    assert np.mean([each.confidence for each in raw]) > accuracy + 0.08


def test_new_rows_pass_the_same_door() -> None:
    X, y = load_wine(return_X_y=True)
    found = calibrated_probabilities("lda", X, y)
    again = found.calibration.probabilities(found.log_densities)
    np.testing.assert_array_equal(again.argmax(axis=1), found.probabilities.argmax(axis=1))
    assert np.abs(again - found.probabilities).mean() < 0.02


def test_rows_of_a_group_stay_in_one_fold() -> None:
    X, y = load_wine(return_X_y=True)
    found = calibrated_probabilities("lda", X, y, groups=np.arange(len(y)) // 4)
    expected = out_of_fold_probabilities("lda", X, y, groups=np.arange(len(y)) // 4)
    np.testing.assert_allclose(density_shares(found.log_densities), expected)


def test_a_stop_leaves_nothing_to_calibrate() -> None:
    X, y = load_wine(return_X_y=True)
    assert calibrated_probabilities("pca", X, y, callback=lambda number, _: number == 2) is None


def test_sets_of_the_same_refits_are_those_of_conformal_scores() -> None:
    X, y = load_wine(return_X_y=True)
    planes = HeldOutPlanes.of("lda", X, y, n_folds=5)
    fits = planes.fits(gamma=1.0)
    scores = planes.conformal_scores(fits)
    alone = conformal_scores("lda", X, y, gamma=1.0, n_folds=5)
    assert_allclose(scores.held_out_p_values(), alone.held_out_p_values())
    assert scores.p_values([fit.evidence(20 * X[:1]) for fit in fits]).max() < 0.1


def test_refits_that_were_stopped_have_no_sets() -> None:
    X, y = load_wine(return_X_y=True)
    stopped = HeldOutPlanes.of("lda", X, y, callback=lambda *_: True)
    with pytest.raises(ValueError, match="stopped"):
        stopped.conformal_scores(stopped.fits(gamma=1.0))

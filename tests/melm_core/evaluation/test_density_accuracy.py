"""Held-out accuracy by the class densities, and the test of fixed predictions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from melm_core import DiscriminantPlane
from melm_core.datasets import pure_noise
from melm_core.density import kernel_classes
from melm_core.evaluation import density_scores, held_out_p_value

IRIS = load_iris(return_X_y=True)


def test_each_fold_is_scored_by_densities_of_its_training_rows_alone():
    X, y = IRIS
    found = density_scores("lda", X, y, gamma=0.7)
    accuracies = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        mean, scale = X[train].mean(axis=0), X[train].std(axis=0)
        standardized = (X - mean) / scale
        plane = DiscriminantPlane().fit(standardized[train], y[train]).components_
        classes = kernel_classes(standardized[train], y[train], n_components=2, gamma=0.7)
        densities = classes.project(plane).log_densities(standardized[test] @ plane.T)
        right = densities.argmax(axis=1) == y[test]
        accuracies.append(np.mean([right[y[test] == code].mean() for code in range(3)]))
    assert found.held_out.balanced_accuracy == pytest.approx(np.mean(accuracies), abs=1e-12)


def test_noise_is_told_apart_in_training_only():
    scores = density_scores("lda", *pure_noise(n_rows=60, n_features=40))
    assert scores.train.balanced_accuracy > 0.95
    assert scores.held_out.balanced_accuracy < 0.6


def test_a_nonlinear_projection_is_scored_in_its_coordinates():
    assert density_scores("kfd", *IRIS).held_out.balanced_accuracy > 0.9


def test_rows_of_a_group_stay_in_one_fold():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(30, 5)), 2, axis=0)
    y, groups = np.repeat(np.arange(30) % 2, 2), np.repeat(np.arange(30), 2)
    options = {"parameters": {"n_components": 1}, "gamma": 0.1}
    apart = density_scores("pca", X, y, **options).held_out.balanced_accuracy
    together = density_scores("pca", X, y, groups=groups, **options).held_out.balanced_accuracy
    assert apart - together > 0.2


def test_fewer_folds_are_said():
    X, y = IRIS
    few = np.r_[0:3, 50:150]
    scores = density_scores("pca", X[few], y[few])
    assert len(scores.held_out_confusions) == 3
    assert "3 folds instead of 5" in scores.notes[0]


def test_predictions_at_random_have_uniform_p_values():
    rng = np.random.default_rng(0)
    p_values = [
        held_out_p_value(
            np.arange(40) % 2, rng.integers(0, 2, size=40), n_permutations=39, random_state=seed
        )
        for seed in range(200)
    ]
    assert np.mean(np.array(p_values) <= 0.05) < 0.09


def test_predictions_of_dependent_rows_are_tested_between_groups():
    # Four subjects, ten rows each; the prediction is right for all, as any of 6 orders might be.
    y, groups = np.repeat([0, 1, 0, 1], 10), np.repeat(np.arange(4), 10)
    assert held_out_p_value(y, y) == 0.005
    assert held_out_p_value(y, y, groups=groups) > 0.1


def test_the_p_value_of_rare_classes_weighs_each_class_equally():
    y = np.repeat([0, 1], [97, 3])
    assert held_out_p_value(y, np.zeros(100, dtype=np.int64)) == 1.0
    assert held_out_p_value(y, y) == 0.005

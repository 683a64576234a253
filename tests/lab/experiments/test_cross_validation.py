"""Tuned planes and classifiers know nothing of the rows that they are scored on."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from lab.experiments.cross_validation import held_out_separability
from melm_core import MELM, DiscriminantPlane
from melm_core.base import UserError
from melm_core.datasets import pure_noise
from melm_core.diagnostics import fold_confusion
from melm_core.evaluation import Unchanged
from tests.melm_core.evaluation.honest_examples import Column, Memory, Recorder, blobs

IRIS = load_iris(return_X_y=True)


def accuracy(method, X, y, **options) -> float:
    return held_out_separability(method, X, y, **options).separability.mean.balanced_accuracy


@pytest.mark.parametrize(
    "tune", [None, pytest.param({"strength": (1.0, 2.0)}, marks=pytest.mark.slow)]
)
def test_a_method_that_learns_its_rows_by_heart_is_at_chance(tune):
    scores = []
    for seed in range(3):
        X, y = pure_noise(40, 4, 2, random_state=seed)
        scores.append(accuracy(Memory(), X, y, preparation=Unchanged(), tune=tune))
    assert np.mean(scores) == pytest.approx(0.5, abs=0.12)


def test_each_fold_is_fitted_to_all_rows_but_its_own():
    Recorder.train.clear()
    X = np.column_stack([np.arange(50.0), np.zeros(50)])
    held_out_separability(Recorder(), X, np.arange(50) % 2, preparation=Unchanged())
    left_out = [set(range(50)) - set(rows[:, 0].astype(int)) for rows in Recorder.train]
    assert [len(rows) for rows in left_out] == [10] * 5
    assert set.union(*left_out) == set(range(50))


def test_the_confusions_are_those_of_planes_refitted_by_hand():
    X, y = IRIS
    expected = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        Z = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
        Z = Z @ DiscriminantPlane().fit(Z[train], y[train]).components_.T
        expected.append(fold_confusion(Z[train], y[train], Z[test], y[test]))
    found = held_out_separability("lda", X, y).separability
    np.testing.assert_allclose(found.fold_confusions, expected, atol=1e-12)


@pytest.mark.slow
def test_inner_folds_choose_the_parameter_that_separates():
    Z, y = blobs(80, 2, distance=4.0)
    X = np.column_stack([Z[:, 1], Z[:, 0]])  # the classes differ in the second column
    found = held_out_separability(Column(), X, y, tune={"index": (0, 1)})
    assert found.fold_chosen == ({"index": 1},) * 5
    assert found.separability.mean.balanced_accuracy > 0.9


def test_what_is_not_tuned_is_not_chosen():
    assert held_out_separability(Column(), *blobs(40, 2, 4.0)).fold_chosen == ({},) * 5


@pytest.mark.slow
def test_gamma_and_shrinkage_of_melm_can_be_tuned():
    X, y = IRIS
    keep = np.flatnonzero(y > 0)[::2]
    found = held_out_separability(
        MELM(n_init=1, random_state=0).set_search(max_iter=10),
        X[keep],
        y[keep] - 1,
        tune={"gamma": (0.5, 2.0), "shrinkage": (0.3,)},
    )
    for chosen in found.fold_chosen:
        assert chosen["gamma"] in (0.5, 2.0)
        assert chosen["shrinkage"] == 0.3
    assert found.separability.mean.balanced_accuracy > 0.85


def test_a_class_too_small_to_be_held_out_is_named_with_what_is_needed():
    X, y = np.random.default_rng(0).normal(size=(22, 3)), np.repeat([0, 1], [20, 2])
    with pytest.raises(UserError, match=r"Class 1 has 2 rows.* at least 3 rows of every class"):
        held_out_separability("lda", X, y)

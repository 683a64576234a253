from __future__ import annotations

import numpy as np
import pytest

from melm_core.evaluation import AutoCurves, Refits, Study, sparse_path
from melm_core.linalg import loading_lengths
from melm_core.recipe import Preparation, Recipe


def prepared(n_features, **options):
    names = tuple(f"x{i}" for i in range(n_features))
    return Preparation(Recipe(), names, tuple(range(n_features)), **options)


@pytest.fixture
def ring():
    """One feature tells the classes by its distance from zero, four say nothing."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5))
    return X, (np.abs(X[:, 0]) > 0.7).astype(np.int64)


@pytest.mark.slow
def test_features_bend_where_a_curve_tells_the_classes(ring):
    choice = AutoCurves(prepared(5)).choice(*ring)
    assert choice.is_curved
    assert choice.gain.balanced_accuracy > 0.2


@pytest.mark.slow
def test_features_stay_straight_where_an_arrow_does(ring):
    X, _ = ring
    assert not AutoCurves(prepared(5)).choice(X, (X[:, 0] > 0).astype(np.int64)).is_curved


@pytest.mark.slow
def test_features_stay_straight_on_noise():
    chosen = [
        AutoCurves(prepared(6)).choice(X, np.arange(60) % 2).is_curved
        for X in np.random.default_rng(0).standard_normal((20, 60, 6))
    ]
    assert sum(chosen) <= 2


def test_few_groups_of_a_class_stay_straight(ring):
    X, y = ring
    assert not AutoCurves(prepared(5)).choice(X, y, 2 * y + (np.arange(200) % 2)).is_curved


@pytest.mark.slow
def test_the_choice_of_a_fold_sees_its_training_rows_only(ring):
    X, y = ring
    seen = []

    class Recorded(AutoCurves):
        def chosen(self, X, y, groups=None):
            seen.append(len(y))
            return super().chosen(X, y, groups)

    Refits.of(Study("rlda", X, y, preparation=Recorded(prepared(5))), n_folds=4)
    assert seen == [200, 150, 150, 150, 150]


@pytest.mark.slow
def test_what_is_held_out_gains_by_curves(ring):
    straight, curved, auto = (
        Refits.of(Study("rlda", *ring, preparation=one)).share.balanced_accuracy
        for one in (prepared(5), prepared(5, curves=True), AutoCurves(prepared(5)))
    )
    assert straight < 0.7
    assert curved > 0.85
    assert auto == curved


@pytest.mark.slow
def test_bent_features_leave_the_sparse_path_whole(ring):
    curved = prepared(5, curves=True)
    study = Study("rlda", *ring, preparation=curved, parameters={"n_components": 1})
    path = sparse_path(study, sizes=[2, 1], n_repeats=1)
    assert path.sizes.tolist() == [5, 2, 1]
    assert path.frequencies.shape == (3, 5)
    assert path.selected(1).tolist() == [0]
    assert path.held_out[-1].balanced_accuracy > 0.85


def test_the_length_of_a_straight_curve_is_that_of_its_arrow():
    x = np.random.default_rng(0).standard_normal((50, 2))
    twice = np.column_stack([x, x[:, 0]])  # a "curve" that is the feature once more
    one = loading_lengths(np.array([[0.9, 0.8]]), x)
    both = loading_lengths(np.array([[0.4, 0.8, 0.5]]), twice, np.array([0, 1, 0]))
    np.testing.assert_allclose(both, one)

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_iris

from melm_core import MELM, MELMCV, BaggedMELM
from melm_core.base import GammaPath
from melm_core.base.progress import DEFAULT_GAMMA
from melm_core.melm import GAMMAS
from melm_core.melm.choosing import inner_folds

X, Y = load_iris(return_X_y=True)


def path(*fold_accuracies):
    return GammaPath(np.array([4.0, 2.0, 1.0]), np.array(fold_accuracies).reshape(-1, 3))


def test_widths_are_level_whose_paired_difference_is_within_its_error():
    # Folds differ much from each other, and the widths little within each.
    assert path([0.5, 0.79, 0.8], [0.7, 0.99, 1.0]).level.tolist() == [1.0]
    assert path([0.5, 0.81, 0.8], [0.7, 0.97, 1.0]).level.tolist() == [2.0, 1.0]
    assert path([0.9, 0.9, 0.9], [0.9, 0.9, 0.9]).level.tolist() == [4.0, 2.0, 1.0]
    assert path([0.5, 0.6, 0.7]).level.tolist() == []


def test_the_best_width_is_chosen_and_is_one_of_those_that_are_level():
    for folds, best in (
        ([[0.5, 0.79, 0.82], [0.5, 0.83, 0.84]], 1.0),
        ([[0.5, 0.79, 0.78], [0.5, 0.83, 0.88]], 1.0),
        ([[0.5, 0.81, 0.8], [0.7, 0.97, 0.9]], 2.0),
        ([[0.9, 0.9, 0.9], [0.9, 0.9, 0.9]], 4.0),
    ):
        assert path(*folds).chosen == best
        assert best in path(*folds).level


def test_a_path_stopped_before_two_folds_chooses_the_default():
    assert path().chosen == DEFAULT_GAMMA
    assert path([0.5, 0.6, 0.7]).chosen == DEFAULT_GAMMA


@pytest.mark.parametrize("kind", ["of one class", "of several classes"])
def test_rows_of_a_group_are_never_on_both_sides_of_a_fold(kind):
    y = np.repeat([0, 1], 30)
    groups = np.arange(60) // 5 if kind == "of one class" else np.arange(60) % 12
    folds = inner_folds(y, groups, 0)
    assert len(folds) == 5
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])
        assert set(y[train]) == {0, 1}


def test_classes_of_too_few_groups_are_refused():
    with pytest.raises(ValueError, match=r"needs 3 group\(s\) of every class; the smallest .* 2"):
        MELMCV().fit(X, Y, groups=np.arange(len(Y)) // 25)


def test_groups_of_another_length_are_refused():
    with pytest.raises(ValueError, match=r"groups has the shape \(3,\)"):
        MELMCV().fit(X, Y, groups=[1, 2, 3])


def test_the_path_is_kept_and_the_fit_is_at_its_choice():
    melm = MELMCV(n_init=3, random_state=0).fit(X, Y)
    assert melm.gamma_path_.gammas.tolist() == list(GAMMAS)
    assert melm.gamma_path_.fold_accuracies.shape == (5, len(GAMMAS))
    assert (melm.gamma_path_.accuracies > 0.9).all()
    assert melm.gamma_ == melm.gamma_path_.chosen
    fixed = MELM(gamma=melm.gamma_, n_init=3, random_state=0).fit(X, Y)
    assert melm.divergence_ == pytest.approx(fixed.divergence_, rel=1e-6)


def test_the_search_for_gamma_reports_and_stops_as_one_fit():
    steps = []
    MELMCV(n_init=2, random_state=0, callback=steps.append).fit(X, Y)
    fractions = [step.fraction for step in steps]
    assert fractions == sorted(fractions)
    assert steps[0].stage.startswith("choosing γ, fold 1 of 5, γ 8: ")
    choosing = [step.is_choosing for step in steps]
    assert choosing == sorted(choosing, reverse=True)
    n_folds = [
        0 if step.gamma_path is None else len(step.gamma_path.fold_accuracies) for step in steps
    ]
    assert n_folds == sorted(n_folds)
    assert {n for n, is_choosing in zip(n_folds, choosing, strict=True) if not is_choosing} == {5}
    melm = MELMCV(n_init=2, random_state=0, callback=lambda _: True).fit(X, Y)
    assert melm.stopped_
    assert melm.gamma_ == DEFAULT_GAMMA


class Uncopied:
    """A callback such as one that holds a lock."""

    n_steps = 0

    def __call__(self, progress):
        self.n_steps += 1

    def __deepcopy__(self, memo):
        raise TypeError


@pytest.mark.parametrize("kind", [MELMCV, partial(BaggedMELM, n_bootstrap=2)])
def test_the_callback_of_several_fits_is_never_copied(kind):
    callback = Uncopied()
    kind(n_init=1, random_state=0, callback=callback).fit(X, Y)
    assert callback.n_steps

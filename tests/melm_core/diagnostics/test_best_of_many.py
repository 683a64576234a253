"""The share of a winner: chance on noise, unharmed where there is something, groups kept whole."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from melm_core import MELMCV
from melm_core.base import balanced_share
from melm_core.diagnostics import WinnerShare
from melm_core.evaluation import Refits, Study, sparse_path

Y = np.arange(60) % 2


def guesses(seed, n_candidates=13):
    return np.random.default_rng(seed).random((60, n_candidates)) < 0.5


@pytest.mark.slow
def test_the_share_of_the_best_of_many_guesses_is_chance_though_it_appears_to_be_more():
    found = [WinnerShare.of(guesses(seed), Y, n_resamples=50) for seed in range(40)]
    assert np.mean([own.apparent for own in found]) > 0.58
    assert np.mean([own.share for own in found]) == pytest.approx(0.5, abs=0.03)
    assert found[0].words == "chosen among 13"


@pytest.mark.slow
def test_its_error_is_about_what_the_share_varies_by():
    found = [WinnerShare.of(guesses(seed), Y, n_resamples=50) for seed in range(60)]
    spread = np.std([own.share for own in found])
    error = np.mean([own.standard_error for own in found])
    assert 0.6 * spread < error < 1.6 * spread


def test_refits_of_one_method_have_a_wider_error_and_the_same_share():
    apart, alike = (WinnerShare.of(guesses(0), Y, n_folds=n, n_resamples=50) for n in (None, 5))
    assert alike.standard_error == pytest.approx(1.5 * apart.standard_error)
    assert alike.share == apart.share
    with pytest.raises(ValueError, match="n_folds=1"):
        WinnerShare.of(guesses(0), Y, n_folds=1)


def test_a_candidate_that_is_right_wins_with_its_own_share():
    right = guesses(0).astype(float)
    right[:, 4] = 1.0
    found = WinnerShare.of(right, Y)
    assert (found.winner, found.share, found.frequencies[4]) == (4, 1.0, 1.0)


def test_the_simplest_of_level_candidates_is_chosen():
    right = np.ones((60, 3))
    right[:4, 0] = right[:20, 1] = right[10:15, 2] = 0.0
    assert WinnerShare.of(right, Y).winner == 0
    assert WinnerShare.of(right[:, [1, 2, 0]], Y, rule="simplest").winner == 1


def test_rows_of_a_group_are_on_one_side():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 5)
    y = groups % 2
    # Each candidate is right of whole groups by chance.
    right = (rng.random((12, 40)) < 0.5)[groups]
    alone = WinnerShare.of(right, y)
    together = WinnerShare.of(right, y, groups=groups)
    assert together.share < alone.share - 0.1
    assert together.standard_error > alone.standard_error


def test_rows_without_predictions_are_left_out():
    right = guesses(0).astype(float)
    partly = np.vstack([right, np.full((10, 13), np.nan)])
    found = WinnerShare.of(partly, np.append(Y, np.zeros(10, dtype=int)))
    assert found.share == WinnerShare.of(right, Y).share


@pytest.mark.parametrize(
    ("right", "y", "groups", "words"),
    [
        (np.ones(4), np.arange(4) % 2, None, "shape"),
        (np.ones((4, 2)), np.zeros(4), None, "two classes"),
        (np.ones((4, 2)), [0, 0, 0, 1], None, "fewer than two rows"),
        (np.ones((4, 2)), [0, 0, 1, 1], [0, 0, 1, 2], "fewer than two rows or groups"),
    ],
)
def test_rows_that_cannot_be_set_aside_are_refused(right, y, groups, words):
    with pytest.raises(ValueError, match=words):
        WinnerShare.of(right, y, groups=groups)


def test_two_paired_groups_always_leave_something_to_choose_by():
    y = np.array([0, 1, 0, 1])
    found = WinnerShare.of(np.ones((4, 2)), y, groups=[0, 0, 1, 1], n_resamples=500)
    assert found.share == 1.0


@pytest.mark.slow
def test_methods_sizes_and_kernel_widths_all_say_which_rows_they_tell():
    X, y = load_iris(return_X_y=True)
    study = Study("lda", X, y, groups=np.arange(len(y)))
    refits = Refits.of(study)
    assert balanced_share(refits.right, y) == pytest.approx(refits.share.balanced_accuracy)
    path = sparse_path(study, n_repeats=2)
    assert balanced_share(path.right[:, 0], y) == pytest.approx(path.held_out[0].balanced_accuracy)
    gammas = MELMCV(n_init=1, random_state=0).fit(X, y).gamma_path_
    assert balanced_share(gammas.right[:, 2], y) == pytest.approx(gammas.accuracies[2])


@pytest.mark.slow
def test_a_path_under_way_knows_the_rows_of_its_folds_only():
    X, y = load_iris(return_X_y=True)
    known = []
    sparse_path(
        Study("lda", X, y),
        n_repeats=1,
        callback=lambda path, _: known.append(~np.isnan(path.right[:, 0])),
    )
    assert [own.sum() for own in known] == [30, 60, 90, 120, 150]

"""Classes compared within groups: what is subtracted, what is exchanged, and what is refused."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from melm_core.base.label_permutations import design_of, exchangeable_blocks, other_permutations
from melm_core.evaluation import Refits, Study, permutation_test
from melm_core.recipe import centered_within

SUBJECT = np.repeat(np.arange(10), 2)
Y = np.arange(20) % 2


def pairs(effect=2.0):
    """A change on one of three features, in subjects that differ ten times as much."""
    rng = np.random.default_rng(0)
    X = 10.0 * rng.normal(size=(10, 3))[SUBJECT] + 0.3 * rng.normal(size=(20, 3))
    X[:, 0] += effect * Y
    return X


def test_a_change_within_subjects_is_told_where_subjects_differ_more():
    within, between = (
        Refits.of(Study("lda", pairs(), Y, groups=SUBJECT, within=each)).share.balanced_accuracy
        for each in (True, False)
    )
    assert within == 1.0
    assert between < 0.8


def test_what_differs_between_subjects_alone_is_nothing_within_them():
    study = Study("lda", pairs(effect=0.0), Y, groups=SUBJECT, within=True)
    assert permutation_test(study, n_permutations=39).p_value > 0.05


def test_rows_of_a_new_subject_are_placed_by_their_own_mean():
    X = pairs()
    others = Study("lda", X[:16], Y[:16], groups=SUBJECT[:16], within=True).fitted()
    placed = others.transform(centered_within(X[16:], SUBJECT[16:]))
    moved = others.transform(centered_within(X[16:] + 1_000.0, SUBJECT[16:]))
    np.testing.assert_allclose(placed, moved, atol=1e-9)
    np.testing.assert_allclose(
        placed.mean(axis=0), others.transform(np.zeros((1, 3)))[0], atol=1e-9
    )


def test_missing_values_stay_missing_and_equal_rows_become_zero():
    X = np.array([[0.1, 1.0], [0.1, np.nan], [0.1, 3.0], [7.0, 5.0]])
    centered = centered_within(X, np.array([4, 4, 4, 9]))
    np.testing.assert_array_equal(centered, [[0, -1], [0, np.nan], [0, 1], [0, 0]])


def test_all_rows_of_an_occasion_keep_sharing_a_label():
    y, groups = np.array([0, 0, 1, 1, 1, 0]), np.array([0, 0, 0, 1, 1, 1])
    blocks = exchangeable_blocks(y, groups, of_occasions=True)
    orders = {tuple(order) for order in other_permutations(blocks)} | {tuple(y)}
    assert orders == {(a, a, 1 - a, b, b, 1 - b) for a, b in product((0, 1), repeat=2)}
    design = design_of(y, groups, by_name=False, of_occasions=True)
    assert (design.n_distinct, design.n_equivalent) == (4, 2)
    assert design.sentence == "Labels of all rows that share one were permuted within 2 groups."


def test_shuffles_of_a_study_within_groups_exchange_occasions():
    twice = np.repeat(np.arange(20), 2)
    X = pairs()[twice] + 0.1 * np.random.default_rng(1).normal(size=(40, 3))
    within = Study("lda", X, Y[twice], groups=SUBJECT[twice], within=True)
    between = Study("lda", X, Y[twice], groups=SUBJECT[twice])
    for study in (within, between.with_occasions()):
        assert permutation_test(study, n_permutations=1, level=None).design.n_distinct == 2**10
    design = permutation_test(between, n_permutations=1, level=None).design
    assert design.n_distinct == 6**10  # of the rows of a subject


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (None, "Say by groups which rows are of one subject"),
        (
            [*map(str, SUBJECT[:-1]), "new"],
            "Group '9' has rows of class 0 only, and so have 2 of 11",
        ),
        (np.arange(20), "so have 20 of 20 groups: nothing can be compared within them"),
    ],
)
def test_groups_with_nothing_to_compare_are_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        Study("lda", pairs(), Y, groups=groups, within=True)

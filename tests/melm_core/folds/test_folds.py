from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from melm_core.base.label_permutations import (
    count_permutations,
    design_of,
    exchangeable_blocks,
    other_permutations,
    random_permutations,
)
from melm_core.evaluation import Refits, Study, Unchanged, permutation_test, stability
from melm_core.folds import label_runs, stratified_folds
from melm_core.folds.folds import sampled_by_group
from tests.melm_core.evaluation.honest_examples import Memory, blobs
from tests.melm_core.evaluation.test_dependent_rows import grouped

PAIRS = np.array([0, 1, 0, 1, 0, 1]), np.array([7, 7, 8, 8, 9, 9])
WHOLE = np.array([0, 0, 1, 1, 1, 0]), np.array([3, 3, 1, 1, 2, 5])
MIXED = np.array([0, 1, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2])


def subjects(seed=0, **sizes):
    return grouped(np.random.default_rng(seed), **sizes)


@pytest.mark.parametrize("seed", range(5))
def test_folds_keep_groups_together_and_contain_every_class(seed):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 30, size=300)
    y = np.where(groups < 5, groups % 2, groups % 3)
    folds = stratified_folds(y, 5, seed, groups)
    assert len(folds) == 5
    for fold in folds:
        assert not set(groups[fold.train]) & set(groups[fold.test])
        assert set(y[fold.test]) == set(y[fold.train]) == {0, 1, 2}
    np.testing.assert_array_equal(
        np.sort(np.concatenate([fold.test for fold in folds])), np.arange(300)
    )


def test_there_are_no_more_folds_than_groups_of_a_class():
    X, y, groups = subjects(n_subjects=6)
    refits = Refits.of(Study("lda", X, y, groups=groups), 5)
    assert refits.n_folds == 3
    assert refits.notes == ("3 folds instead of 5, because only 3 groups have rows of class 0.",)


def test_a_method_that_memorizes_its_rows_gains_nothing_from_copies_in_one_group():
    X, y = blobs(60, 2, distance=0.0)
    X, y, rows = np.repeat(X, 2, axis=0), np.repeat(y, 2), np.repeat(np.arange(60), 2)
    fooled, honest = (
        Refits.of(Study(Memory(), X, y, groups=groups, preparation=Unchanged())).share
        for groups in (np.arange(120), rows)
    )
    assert fooled.balanced_accuracy > 0.8
    assert honest.balanced_accuracy < 0.65


@pytest.mark.parametrize(
    ("y", "groups", "orders"),
    [
        (*PAIRS, {a + b + c for a, b, c in product([(0, 1), (1, 0)], repeat=3)}),
        (
            *WHOLE,
            {(a, a, b, b, c, d) for a, b, c, d in product((0, 1), repeat=4) if a + b + c + d == 2},
        ),
        (*MIXED, {(*a, b, b, 1 - b, 1 - b) for a in [(0, 1), (1, 0)] for b in (0, 1)}),
    ],
    ids=["paired", "whole groups", "mixed"],
)
def test_labels_move_between_whole_groups_or_within_them(y, groups, orders):
    blocks = exchangeable_blocks(y, groups)
    others = {tuple(order) for order in other_permutations(blocks)}
    assert others | {tuple(y)} == orders
    assert count_permutations(blocks) == len(orders) == len(others) + 1
    assert {tuple(order) for order in random_permutations(blocks, 100, 0)} == orders


@pytest.mark.parametrize(
    ("y", "groups", "sentence", "smallest"),
    [
        (PAIRS[0], None, "Labels were permuted between rows.", 2 / 20),
        (*PAIRS, "Labels were permuted within 3 groups.", 2 / 8),
        (*WHOLE, "Labels were permuted between 4 whole groups.", 2 / 6),
        (*MIXED, "Labels were permuted between 2 whole groups and within 1 group.", 2 / 4),
    ],
)
def test_the_design_says_what_was_permuted_and_which_p_value_is_possible(
    y, groups, sentence, smallest
):
    design = design_of(y, groups, by_name=False)
    assert design.sentence == sentence
    assert design.smallest_p_value == pytest.approx(smallest)


def test_no_separation_of_six_subjects_is_significant_and_the_test_says_so():
    X, y, groups = subjects(n_subjects=6)
    test = permutation_test(Study("lda", X + 100.0 * y[:, None], y, groups=groups))
    assert test.is_exhaustive
    assert test.p_value == test.design.smallest_p_value == pytest.approx(0.1)
    assert test.design.limit_sentence(0.05).startswith(
        "Only 20 distinct permutations of the labels exist, so p is at least 0.1"
    )
    assert test.design.limit_sentence(0.1) == ""


def test_rows_that_are_groups_of_their_own_are_exchanged_as_rows_are():
    y = np.arange(40) % 2
    drawn = [
        list(random_permutations(exchangeable_blocks(y, groups), 3, 0))
        for groups in (None, np.arange(40))
    ]
    np.testing.assert_array_equal(*drawn)


def test_planes_of_few_subjects_vary_more_than_their_rows_suggest():
    X, y, groups = subjects(n_rows=20)
    by_row, by_group = (
        stability(Study("lda", X, y, groups=each), n_resamples=8) for each in (None, groups)
    )
    assert by_group.largest_angle > 2 * by_row.largest_angle


def test_a_sample_has_rows_of_every_group_or_whole_groups_of_many():
    few = np.repeat(np.arange(10), 100)
    sample = sampled_by_group(few % 2, few, 200)
    np.testing.assert_array_equal(np.bincount(few[sample]), [20] * 10)
    many = np.repeat(np.arange(1_000), 2)
    sample = sampled_by_group(np.arange(2_000) % 2, many, 200)
    np.testing.assert_array_equal(np.unique(many[sample], return_counts=True)[1], [2] * 100)


def test_runs_of_a_label_are_groups():
    np.testing.assert_array_equal(label_runs(["b", "b", "a", "b"]), [0, 0, 1, 2])


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ([0, 1], r"shape \(2,\); it must have one value for each of the 6 rows"),
        (["a", None, "b", "c", "d", "e"], "groups has 1 missing values; every row needs a group"),
        ([0, 0, 0, 1, 2, 3], "All rows of class 'x' are of one group"),
    ],
)
def test_groups_that_cannot_be_used_are_named(groups, sentence):
    X, y = np.eye(6), list("xxxyyy")
    with pytest.raises(ValueError, match=sentence):
        Study("pca", X, y, groups=groups)


@pytest.mark.parametrize(("n_rows", "n_classes", "n_folds"), [(60, 2, 3), (178, 3, 3), (33, 3, 10)])
def test_folds_of_independent_rows_are_those_of_scikit_learn(n_rows, n_classes, n_folds):
    for seed in range(5):
        y = np.random.default_rng(seed).permutation(np.arange(n_rows) % n_classes)
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        expected = splitter.split(np.empty((n_rows, 0)), y)
        for fold, (train, test) in zip(stratified_folds(y, n_folds, seed), expected, strict=True):
            np.testing.assert_array_equal(fold.train, train)
            np.testing.assert_array_equal(fold.test, test)

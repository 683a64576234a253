from __future__ import annotations

from itertools import permutations
from typing import ClassVar

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

from melm_core import MELM, RotationPlane
from melm_core.answers import EarlyEnd
from melm_core.base.label_permutations import (
    count_permutations,
    exchangeable_blocks,
    other_permutations,
    random_permutations,
)
from melm_core.datasets import pure_noise
from melm_core.evaluation import Study, Unchanged, permutation_test
from melm_core.evaluation.permutations import STATISTICS
from melm_core.melm import SearchOptions
from melm_core.methods import METHODS
from tests.melm_core.evaluation.honest_examples import Column, Memory, Needs, blobs
from tests.melm_core.helpers import EVERY_METHOD

AT_GAMMA = SearchOptions(continuation=None, max_iter=10)

IRIS = load_iris(return_X_y=True)
HELD_OUT = STATISTICS["held_out"]


def difference(study) -> float:
    """Between the means of the last class and the first, in the first feature; quick."""
    X, y = study.rows.X, study.rows.y
    return float(X[y == y.max(), 0].mean() - X[y == 0, 0].mean())


def spread(test, seed: int) -> float:
    """Return the p-value with ties broken at random, which is uniform under the null hypothesis."""
    n_above = np.sum(test.values > test.observed * (1 + 1e-9))
    share = np.random.default_rng(seed).random()
    return (n_above + share * (test.n_exceeding - n_above + 1)) / (len(test.values) + 1)


def assert_uniform(p_values) -> None:
    assert kstest(p_values, "uniform").pvalue > 0.01


def test_all_orders_of_few_labels_give_the_exact_p_value():
    X, y = np.array([[0.3], [1.9], [0.1], [2.2], [1.4], [0.7]]), np.array([0, 1, 0, 1, 1, 0])
    study = Study(Column(), X, y)
    test = permutation_test(study, statistic=difference)
    orders = set(permutations(y.tolist()))
    values = [difference(study.with_labels(np.array(order))) for order in orders]
    reach = [value >= test.observed - 1e-12 for value in values]
    assert test.is_exhaustive
    assert (len(orders), test.n_permutations) == (20, 19)
    assert test.p_value == np.mean(reach) == 1 / 20


def test_an_exact_p_value_counts_ties():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])
    test = permutation_test(Study(Column(), X, y), statistic=difference)
    # Of six orders one gives -1, four 0 and one 1; the observed difference is 0.
    assert test.p_value == pytest.approx(5 / 6)


def test_a_p_value_is_never_zero():
    X, y = blobs(40, 2, distance=30.0)
    test = permutation_test(
        Study(Column(), X, y), statistic=difference, n_permutations=49, level=None
    )
    assert test.n_exceeding == 0
    assert test.p_value == 1 / 50


def test_the_p_value_is_the_share_of_values_that_reach_the_observed_one_itself_counted():
    X, y = pure_noise(30, 2, 2, random_state=3)
    test = permutation_test(
        Study(Column(), X, y), statistic=difference, n_permutations=99, level=None
    )
    n_reaching = np.sum(test.values >= test.observed)
    assert 0 < n_reaching < 99
    assert test.p_value == (n_reaching + 1) / 100


@pytest.mark.slow
def test_p_values_of_noise_are_uniform():
    p_values = [
        spread(
            permutation_test(
                Study(Column(), *pure_noise(20, 1, 2, random_state=seed)),
                statistic=difference,
                n_permutations=19,
                level=None,
            ),
            seed,
        )
        for seed in range(150)
    ]
    assert_uniform(p_values)


@pytest.mark.slow
def test_p_values_of_a_method_on_noise_are_uniform():
    p_values = []
    for seed in range(24):
        X, y = pure_noise(24, 6, 2, random_state=seed)
        test = permutation_test(Study("lda", X, y), n_permutations=9, level=None)
        p_values.append(spread(test, seed))
    assert_uniform(p_values)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "method",
    ["lda", "pca", "gem", "sir", "cpca", "kfd", RotationPlane(n_init=1, max_iter=20)],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_p_values_of_methods_on_pure_noise_are_uniform_but_for_ties(method):
    p_values = []
    for seed in range(20):
        X, y = pure_noise(30, 25, 3, random_state=seed)
        test = permutation_test(Study(method, X, y), n_permutations=9, level=None)
        assert test.p_value >= spread(test, seed)  # ties count against the finding
        p_values.append(spread(test, seed))
    assert_uniform(p_values)


@pytest.mark.slow
@pytest.mark.parametrize("statistic", STATISTICS)
def test_iris_is_no_chance(statistic):
    X, y = IRIS
    test = permutation_test(
        Study("lda", X[::3], y[::3]), statistic=statistic, n_permutations=49, level=None
    )
    assert test.p_value == 1 / 50


@pytest.mark.parametrize(
    "method",
    [
        "lda",
        pytest.param(
            MELM(n_init=1, random_state=0).set_search(max_iter=20), marks=pytest.mark.slow
        ),
    ],
    ids=("lda", "melm"),
)
def test_a_difference_is_found_where_the_plane_separates_all_its_training_rows(method):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 120)), np.arange(40) % 2
    X[:, :20] += 1.5 * y[:, None]
    assert permutation_test(Study(method, X, y), n_permutations=9, level=None).p_value == 0.1


class FoldCounter(PCA):
    """Remembers how many rows each fit had."""

    n_rows: ClassVar[list[int]] = []

    def fit(self, X, y=None):
        self.n_rows.append(len(X))
        return super().fit(X, y)


@pytest.mark.parametrize(("n_features", "withheld"), [(5, 20), (100, 6)])
def test_fits_to_fewer_rows_than_features_withhold_fewer_of_them(n_features, withheld):
    rows = np.random.default_rng(1).normal(size=(60, n_features))
    FoldCounter.n_rows.clear()
    HELD_OUT(Study(FoldCounter(2), rows, np.arange(60) % 2))
    assert set(FoldCounter.n_rows) == {60 - withheld}


def test_what_every_order_of_the_labels_reaches_is_not_significant():
    X, y = pure_noise(30, 3, 2)
    test = permutation_test(Study(Column(), X, y), statistic=lambda _: 1.0, n_permutations=99)
    assert test.early is EarlyEnd.NOT_SIGNIFICANT
    assert test.p_value == 1.0


def test_a_method_that_learns_its_rows_by_heart_is_not_significant_held_out():
    X, y = pure_noise(40, 3, 2)
    test = permutation_test(
        Study(Memory(), X, y, preparation=Unchanged()), n_permutations=99, level=0.2
    )
    assert test.early is EarlyEnd.NOT_SIGNIFICANT
    assert test.p_value > 0.2


@pytest.mark.slow
def test_an_early_end_gives_the_decision_of_the_whole_test():
    ends = set()
    for seed in range(20):
        X, y = pure_noise(30, 1, 2, random_state=seed)
        X[:, 0] += 0.12 * seed * y
        options = {"statistic": difference, "n_permutations": 299}
        whole = permutation_test(Study(Column(), X, y), level=None, **options)
        early = permutation_test(Study(Column(), X, y), level=0.05, **options)
        assert (early.p_value <= 0.05) == (whole.p_value <= 0.05)
        np.testing.assert_array_equal(early.values, whole.values[: len(early.values)])
        ends.add(early.early)
    assert ends >= {EarlyEnd.SIGNIFICANT, EarlyEnd.NOT_SIGNIFICANT}


def test_every_value_is_streamed_with_what_is_known_by_then():
    X, y = blobs(40, 2, distance=0.5)
    stream = []
    test = permutation_test(
        Study(Column(), X, y),
        statistic=difference,
        n_permutations=60,
        level=None,
        callback=stream.append,
    )
    np.testing.assert_array_equal([one.values[-1] for one in stream], test.values)
    assert [len(one.values) for one in stream] == list(range(1, 61))
    assert {(one.n_permutations, one.observed) for one in stream} == {(60, test.observed)}
    assert (stream[-1].p_value, stream[-1].n_exceeding) == (test.p_value, test.n_exceeding)
    for one in stream:
        lower, upper = one.bounds
        assert lower <= test.p_value <= upper


def test_a_true_return_stops_and_what_was_drawn_counts():
    X, y = blobs(40, 2, distance=3.0)
    test = permutation_test(
        Study(Column(), X, y), statistic=difference, callback=lambda one: len(one.values) == 7
    )
    assert len(test.values) == 7
    assert test.p_value == (test.n_exceeding + 1) / 8
    assert test.early is None


@pytest.mark.slow
def test_the_result_does_not_depend_on_how_many_shuffles_are_done_at_once():
    X, y = pure_noise(24, 5, 2)
    one, two = (
        permutation_test(Study("ica", X, y, random_state=4), n_permutations=8, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.values, two.values)
    assert one.p_value == two.p_value


def test_another_seed_shuffles_otherwise():
    X, y = pure_noise(40, 1, 2)
    one, other = (
        permutation_test(
            Study(Column(), X, y, random_state=seed),
            statistic=difference,
            n_permutations=9,
            level=None,
        )
        for seed in (0, 1)
    )
    assert one.observed == other.observed
    assert (one.values != other.values).all()


def test_the_statistic_sees_an_even_share_of_many_rows():
    X, y = blobs(600, 3, distance=1.0)
    test = permutation_test(
        Study(Column(), X, y), statistic=difference, n_permutations=5, max_rows=150, level=None
    )
    assert (test.n_samples, test.n_used) == (600, 150)


def test_the_share_of_the_own_class_is_one_for_classes_apart_and_chance_for_the_same():
    apart = HELD_OUT(Study(Column(), *blobs(60, 3, distance=30.0)))
    assert apart == pytest.approx(1.0, abs=1e-6)
    same = [HELD_OUT(Study(Column(), *blobs(90, 3, 0.0, seed))) for seed in range(6)]
    assert np.mean(same) == pytest.approx(1 / 3, abs=0.02)


def test_the_other_orders_are_all_there_are_and_each_once():
    y = np.array([0, 1, 0, 2, 2])
    orders = [tuple(order) for order in other_permutations(exchangeable_blocks(y))]
    assert len(orders) == len(set(orders)) == count_permutations(exchangeable_blocks(y)) - 1 == 29
    assert tuple(y) not in orders
    assert set(orders) | {tuple(y)} == set(permutations(y.tolist()))


def test_shuffles_keep_the_class_sizes():
    y = np.repeat([0, 1, 2], [3, 5, 9])
    drawn = list(random_permutations(exchangeable_blocks(y), 5, 0))
    assert len({tuple(order) for order in drawn}) == 5
    for order in drawn:
        np.testing.assert_array_equal(np.bincount(order), [3, 5, 9])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"statistic": "best"}, r"statistic='best' must be one of 'held_out', 'held_out_acc"),
        ({"n_permutations": 0}, r"n_permutations=0 must be a whole number of at least 1"),
        ({"level": 1.0}, "level=1.0 must be between 0 and 1, or None to draw all permutations"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_option_that_breaks_a_rule_is_named(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        permutation_test(Study("lda", *IRIS), **options)


def test_a_class_that_is_too_small_for_the_folds_is_named():
    X, y = pure_noise(30, 3, 2)
    words = np.where(y == 1, "ill", "healthy")
    words[:2] = "rare"
    with pytest.raises(ValueError, match="Class 'rare' has 2 rows, and a fold"):
        permutation_test(Study("lda", X, words), n_permutations=9)


def test_folds_that_cannot_be_fitted_are_left_out_of_all_values_and_none_at_all_says_why():
    X, y = blobs(60, 2, distance=6.0)
    X[7, 0] = 100.0
    test = permutation_test(Study(Needs(), X, y, preparation=Unchanged()), n_permutations=9)
    assert test.observed > 0.7
    assert np.isfinite(test.values).all()
    with pytest.raises(ValueError, match=r"No fold of the permutation test.*row is missing"):
        permutation_test(Study(Needs(1e9), X, y, preparation=Unchanged()), n_permutations=9)


class NoPlaces(Column):
    """Gives no row a place."""

    def transform(self, X):
        return np.full((len(X), 2), np.nan)


def test_rows_of_which_none_has_a_place_are_refused_by_name():
    with pytest.raises(ValueError, match=r"0 training rows of class .* have a place"):
        permutation_test(Study(NoPlaces(), *blobs(30, 2, 1.0)), n_permutations=9)


QUICK = {"n_init": 1, "max_iter": 5, "max_rows": 60, "random_state": 0}


# One fit of these takes a quarter of a second and more.
SLOW = (METHODS["fa"], METHODS["rotations"], METHODS["tsne"])
SHUFFLED = [
    pytest.param(each, marks=pytest.mark.slow) if each in SLOW else each for each in EVERY_METHOD
]


@pytest.mark.slow
@pytest.mark.parametrize("method", SHUFFLED, ids=lambda method: method.key)
def test_the_p_value_of_every_method_is_that_of_a_loop_over_shuffles(method):
    assert_loop_over_shuffles(method.key, "held_out")


@pytest.mark.parametrize("key", ["melm", "lda", "kfd"])
def test_the_p_value_of_every_statistic_is_that_of_a_loop_over_shuffles(key):
    assert_loop_over_shuffles(key, "held_out_accuracy")


def assert_loop_over_shuffles(key, statistic):
    study = Study(key, *pure_noise(24, 5, 2), parameters=QUICK, random_state=3)
    score = STATISTICS[statistic]
    observed = score(study)
    drawn = random_permutations(exchangeable_blocks(study.rows.y), 3, 3)
    values = [score(study.with_labels(labels)) for labels in drawn]
    test = permutation_test(study, statistic=statistic, n_permutations=3, level=None)
    assert test.observed == observed
    np.testing.assert_array_equal(test.values, values)
    assert test.p_value == (1 + sum(value >= observed - 1e-9 for value in values)) / 4


@pytest.mark.parametrize(("n_rows", "n_features"), [(60, 5), (40, 39), (40, 200)])
def test_the_densities_that_a_fit_has_are_those_that_are_computed_anew(
    n_rows, n_features, monkeypatch
):
    stream = np.random.default_rng(0)
    X, y = stream.normal(size=(n_rows, n_features)), np.arange(n_rows) % 2
    X[:, 0] += 2.0 * y
    X[:, 1] = 1.0  # and one that no row varies in
    study = Study("melm", X, y, parameters={"n_init": 1})
    known = HELD_OUT(study)
    monkeypatch.setattr("melm_core.evaluation.permutations._has_default_densities", lambda _: False)
    assert HELD_OUT(study) == pytest.approx(known, rel=1e-9)

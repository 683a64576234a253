"""Rows that depend on each other are found by their features, and independent ones are not."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.folds import (
    dependence_length,
    duplicate_rows,
    group_dependence,
    near_doubles,
    serial_dependence,
    share_owed_to_neighbors,
    stretches,
)

N_TABLES = 60
SMALLEST_P = 0.005


def noise(seed, n_rows=60, n_features=5):
    """Independent rows of two classes that differ, correlated features."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, n_features)) @ rng.normal(size=(n_features, n_features))
    return X + y[:, None], y


def serial(seed, n_rows=150, n_features=5, n_serial=None, correlation=0.9):
    """Rows of a first-order autoregression whose labels come in runs."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    for row in range(1, n_rows):
        step = np.sqrt(1 - correlation**2) * X[row, :n_serial]
        X[row, :n_serial] = correlation * X[row - 1, :n_serial] + step
    return X, np.arange(n_rows) // 15 % 2


def sorted_by(key, X, y):
    order = np.argsort(key, kind="stable")
    return X[order], y[order]


ORDERS = {
    "as drawn": noise,
    "sorted by class": lambda seed: sorted_by(noise(seed)[1], *noise(seed)),
    "sorted by a feature": lambda seed: sorted_by(noise(seed)[0][:, 0], *noise(seed)),
    "sorted by a feature within classes": lambda seed: sorted_by(
        np.lexsort([noise(seed)[0][:, 0], noise(seed)[1]]).argsort(), *noise(seed)
    ),
    "more features than rows": lambda seed: noise(seed, n_features=100),
}


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_independent_rows_are_rarely_called_serial(order):
    alarms = sum(serial_dependence(*ORDERS[order](seed)) <= SMALLEST_P for seed in range(N_TABLES))
    assert alarms <= 2  # .3 are expected


@pytest.mark.parametrize(
    "options",
    [{}, {"n_features": 30, "n_serial": 1}, {"n_features": 300}, {"correlation": 0.5}],
    ids=["all features", "one of thirty", "more features than rows", "weakly"],
)
def test_serial_rows_are_called_serial(options):
    assert all(serial_dependence(*serial(seed, **options)) <= SMALLEST_P for seed in range(10))


def test_serial_rows_are_seen_in_each_class_of_a_sorted_file():
    X, y = serial(0)
    assert serial_dependence(*sorted_by(y, X, y)) == SMALLEST_P


def test_a_class_without_a_row_in_the_stretches_counts_for_nothing():
    X = np.random.default_rng(0).normal(size=(6_000, 2))
    y = np.ones(6_000, dtype=int)
    others = np.setdiff1d(np.arange(6_000), stretches(6_000, 2))
    y[others[:5]] = 0
    assert dependence_length(X, y) == dependence_length(X, np.zeros(6_000))


@pytest.mark.slow
def test_what_is_compared_of_a_large_table_is_bounded():
    X, y = serial(0, n_rows=6_000, n_features=400)
    assert serial_dependence(X, y) == SMALLEST_P


def test_what_features_tell_is_owed_to_neighbors_of_drifting_noise_alone():
    y = np.arange(300) // 10 % 2
    owed = {"noise": [], "classes": []}
    for seed in range(10):
        X = serial(seed, n_rows=300)[0]
        owed["noise"].append(share_owed_to_neighbors(X, y, 10))
        owed["classes"].append(share_owed_to_neighbors(X + 6 * y[:, np.newaxis], y, 10))
    assert min(owed["noise"]) > 0.5
    assert max(owed["classes"]) < 0.1


def test_neither_units_nor_sorting_by_class_make_neighbors_matter():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), np.repeat([0, 1], 100)
    X[:, 0] += 3 * y
    owed = share_owed_to_neighbors(X, y, 5)
    assert abs(owed) < 0.05
    assert share_owed_to_neighbors(X * [1e-3, 1.0, 1e6] + 7, y, 5) == pytest.approx(owed)


def test_features_that_tell_nothing_owe_it_all():
    assert (
        share_owed_to_neighbors(np.arange(40.0)[:, np.newaxis] % 2, np.arange(40) // 2 % 2, 3) == 1
    )


def test_constant_features_say_nothing():
    assert serial_dependence(np.ones((20, 2)), np.arange(20) % 2) == 1.0
    assert group_dependence(np.ones((20, 2)), np.arange(20) % 2, np.arange(20) // 4) == 1.0


def test_rows_depend_for_about_as_long_as_they_were_made_to():
    assert 8 <= dependence_length(*serial(0, n_rows=600)) <= 40
    X, y = serial(0, correlation=0.0)
    assert dependence_length(X, y) == 2


@pytest.mark.slow
def test_rows_of_a_subject_are_found_and_of_a_meaningless_column_rarely():
    found = alarms = 0
    for seed in range(N_TABLES):
        rng = np.random.default_rng(seed)
        subject = rng.permutation(np.arange(80) // 5)
        X = rng.normal(size=(80, 4)) + rng.normal(size=(16, 4))[subject]
        found += group_dependence(X, subject % 2, subject) <= SMALLEST_P
        alarms += group_dependence(rng.normal(size=(80, 4)), subject % 2, subject) <= SMALLEST_P
    assert found == N_TABLES
    assert alarms <= 2


def test_groups_of_one_row_each_say_nothing():
    X, y = noise(0)
    assert group_dependence(X, y, np.arange(60)) == 1.0


def test_the_number_of_permutations_is_a_positive_integer():
    with pytest.raises(ValueError, match="n_permutations"):
        serial_dependence(*noise(0), n_permutations=0)


@pytest.fixture
def distinct():
    rng = np.random.default_rng(0)
    return rng.normal(size=(200, 6)) * 10.0 ** np.arange(-3, 3), np.arange(200) % 4


@pytest.mark.parametrize("noise", [0.0, 1e-11])
def test_copies_and_near_copies_are_grouped_with_their_originals(distinct, noise):
    X, y = distinct
    copies = X[:50] * (1 + noise)
    found = duplicate_rows(np.vstack([X, copies]), np.concatenate([y, y[:50]]))
    np.testing.assert_array_equal(found.groups[200:], found.groups[:50])
    assert (found.n_repeats, found.n_classes) == (50, 4)


def test_distinct_rows_are_groups_of_their_own(distinct):
    found = duplicate_rows(*distinct)
    assert len(set(found.groups.tolist())) == 200
    assert (found.n_repeats, found.n_classes) == (0, 0)


def test_equal_rows_of_different_classes_are_no_duplicates():
    found = duplicate_rows([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]], ["a", "b", "a"])
    assert found.n_repeats == 0


def test_a_sign_of_zero_makes_no_difference():
    assert duplicate_rows([[0.0, 1.0], [-0.0, 1.0], [0.0, 1.0]], [0, 0, 0]).n_repeats == 2


@pytest.mark.parametrize("n_features", [1, 2_000])
def test_near_copies_are_found_wherever_their_values_lie(n_features):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, n_features)), np.arange(100) % 2
    copies = X + 0.9e-6 * rng.uniform(-1, 1, size=X.shape) * X.std(axis=0)
    found = duplicate_rows(np.vstack([X, copies]), np.concatenate([y, y]))
    np.testing.assert_array_equal(found.groups[100:], found.groups[:100])
    assert found.n_repeats == 100


def test_rows_that_differ_by_more_than_the_resolution_are_distinct(distinct):
    X, y = distinct
    others = X[:50].copy()
    others[:, 3] += 1.5e-6 * X[:, 3].std()
    assert duplicate_rows(np.vstack([X, others]), np.concatenate([y, y[:50]])).n_repeats == 0


def test_many_copies_of_few_rows_are_one_group_each():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(500, 6)).astype(float)
    y = rng.integers(0, 2, size=500)
    found = duplicate_rows(X + 1e-9 * rng.normal(size=X.shape), y)
    _, expected = np.unique(np.column_stack([X, y]), axis=0, return_inverse=True)
    pairs = np.unique(np.column_stack([found.groups, expected.ravel()]), axis=0)
    assert len(pairs) == expected.max() + 1 == found.groups.max() + 1


def doubled(seed, noise=0.001, n_rows=40, n_features=5):
    rng = np.random.default_rng(seed)
    once, y = rng.normal(size=(n_rows, n_features)), np.arange(n_rows) % 2
    twice = np.vstack([once, once + noise * rng.normal(size=once.shape)])
    return twice, np.tile(y, 2), np.tile(np.arange(n_rows), 2)


@pytest.mark.parametrize("noise", [0.001, 0.01])
@pytest.mark.parametrize("n_features", [5, 500])
def test_rows_measured_twice_are_found_as_pairs(noise, n_features):
    X, y, row = doubled(0, noise, n_features=n_features)
    found = near_doubles(X, y)
    assert found.n_repeats == 40
    np.testing.assert_array_equal(found.groups, row)


def test_near_doubles_of_another_label_are_no_repeats():
    X = doubled(0)[0]
    assert near_doubles(X, np.repeat([0, 1], 40)) is None


DRAWS = {
    "normal": lambda rng: rng.normal(size=(80, 4)),
    "heavy tails": lambda rng: rng.standard_t(2, size=(80, 4)),
    "correlated": lambda rng: rng.normal(size=(80, 6)) @ rng.normal(size=(6, 6)),
    "rounded": lambda rng: rng.normal(size=(80, 4)).round(1),
    "counts": lambda rng: rng.poisson(3, (80, 5)).astype(float),
    "clusters": lambda rng: (
        5 * rng.normal(size=(4, 5))[rng.integers(0, 4, 80)] + rng.normal(size=(80, 5))
    ),
    "wide": lambda rng: rng.normal(size=(80, 300)),
    "rare categories": lambda rng: np.hstack(
        [rng.normal(size=(80, 3)), 5.0 * np.eye(27)[rng.permutation(np.arange(80) // 3)]]
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", DRAWS)
def test_rows_measured_once_are_rarely_called_doubles(kind):
    draws = (DRAWS[kind](np.random.default_rng(seed)) for seed in range(40))
    assert sum(near_doubles(X, np.arange(80) % 2) is not None for X in draws) <= 2


def test_doubles_are_found_in_a_table_too_large_to_compare_all_rows():
    X, y, _ = doubled(0, n_rows=4_000, n_features=8)
    assert near_doubles(X, y).n_repeats > 3_500


def test_a_few_rows_have_no_neighbors_to_compare_with():
    X, y, _ = doubled(0, n_rows=6)
    assert near_doubles(X, y) is None
    assert near_doubles(np.ones((50, 2)), np.arange(50) % 2) is None


def test_rows_that_differ_in_a_category_are_no_doubles():
    X, y, _ = doubled(0)
    assert near_doubles(np.column_stack([X, np.repeat([0.0, 1.0], 40)]), y) is None
    assert near_doubles(np.column_stack([X, np.tile([0.0, 1.0], 40)]), y).n_repeats == 40


def test_rows_that_differ_in_categories_alone_have_no_dimension_and_harm_nothing():
    rng = np.random.default_rng(0)
    repeated = np.repeat(rng.normal(size=(5, 2)), 8, axis=0)
    values = np.vstack([repeated, rng.normal(size=(160, 2))])
    X = np.column_stack([values, np.arange(200) % 8])
    assert near_doubles(X, np.zeros(200)) is None

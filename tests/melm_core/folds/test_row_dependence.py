"""Rows that depend on each other are found by their features, and independent ones are not."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.folds import dependence_length, group_dependence, serial_dependence

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


def test_what_is_compared_of_a_large_table_is_bounded():
    X, y = serial(0, n_rows=6_000, n_features=400)
    assert serial_dependence(X, y) == SMALLEST_P


def test_constant_features_say_nothing():
    assert serial_dependence(np.ones((20, 2)), np.arange(20) % 2) == 1.0
    assert group_dependence(np.ones((20, 2)), np.arange(20) % 2, np.arange(20) // 4) == 1.0


def test_rows_depend_for_about_as_long_as_they_were_made_to():
    assert 8 <= dependence_length(*serial(0, n_rows=600)) <= 40
    X, y = serial(0, correlation=0.0)
    assert dependence_length(X, y) == 2


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

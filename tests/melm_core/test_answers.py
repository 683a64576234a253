from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from melm_core.answers import (
    Answer,
    EarlyEnd,
    answer_of,
    bound_at_chance,
    early_end,
    enough_exceeding,
    is_settled_below,
    p_value,
    p_value_bounds,
)
from melm_core.base import UserError


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_an_accuracy_at_guessing_is_never_told_apart(n_classes):
    assert answer_of(1 / n_classes, n_classes, p_value=0.005) is Answer.NO
    assert answer_of(1.0, n_classes, p_value=0.051) is Answer.NO


def test_better_answers_come_with_better_accuracies():
    order = [Answer.NO, Answer.PARTLY, Answer.YES]
    answers = [order.index(answer_of(a, 4, 0.005)) for a in np.linspace(0, 1, 101)]
    assert answers == sorted(answers)
    assert set(answers) == {0, 1, 2}


def test_a_design_without_a_small_p_value_has_no_answer():
    assert answer_of(1.0, 2, p_value=0.1, smallest_p_value=0.1) is Answer.UNKNOWN


def test_one_class_is_refused():
    with pytest.raises(UserError, match="at least 2"):
        answer_of(1.0, 1, 0.01)


def test_folds_at_chance_bound_the_share_below_what_a_yes_needs():
    bound = bound_at_chance(0.52, 0.03, (10, 10))
    assert 0.52 < bound < 0.75
    assert bound_at_chance(0.52, 0.001, (10, 10)) == bound  # five folds may agree by chance
    assert bound_at_chance(0.52, 0.13, (10, 10)) > 0.7


@pytest.mark.parametrize(
    ("share", "error", "units"),
    [
        (0.52, 0.05, (3, 3)),
        (0.7, 0.02, (100, 100)),
        (0.55, 0.02, (5_000, 5_000)),
        (0.95, 0.01, (9, 9)),
    ],
    ids=["few groups", "above chance", "a little above chance, of many rows", "told apart"],
)
def test_other_folds_have_to_wait_for_the_permutations(share, error, units):
    assert bound_at_chance(share, error, units) is None


@pytest.mark.parametrize("units", [(10,), (10, 0)])
def test_every_class_has_a_row_to_be_held_out(units):
    with pytest.raises(UserError, match="units"):
        bound_at_chance(0.5, 0.1, units)


def drawn_until_clear(exceeds, level: float):
    """Return the early end of a stream and the exceedances and draws by then."""
    b = 0
    for n, one in enumerate(exceeds, start=1):
        b += int(one)
        if n < len(exceeds) and (early := early_end(b, n, len(exceeds), level=level)):
            return early, b, n
    return None, b, len(exceeds)


@given(st.integers(0, 500), st.integers(1, 500))
def test_a_p_value_is_never_zero_and_never_above_one(b, n):
    assert 0 < p_value(min(b, n), n) <= 1


@given(st.integers(0, 300), st.integers(1, 300))
def test_the_bounds_enclose_the_share_and_lie_between_zero_and_one(b, n):
    b = min(b, n)
    lower, upper = p_value_bounds(b, n)
    assert 0 <= lower <= b / n <= upper <= 1
    assert (lower == 0) == (b == 0)
    assert (upper == 1) == (b == n)


def test_before_the_first_draw_nothing_is_known():
    assert p_value_bounds(0, 0) == (0.0, 1.0)


def test_the_bounds_close_as_more_is_drawn():
    widths = [np.ptp(p_value_bounds(n // 10, n)) for n in (10, 100, 1_000, 100_000)]
    assert (np.diff(widths) < 0).all()
    assert widths[-1] < 0.01


@pytest.mark.parametrize(
    "true", [0.05, *(pytest.param(true, marks=pytest.mark.slow) for true in (0.01, 0.3))]
)
def test_the_bounds_hold_at_all_times_at_once_as_often_as_they_say(true):
    rng = np.random.default_rng(0)
    exceeding = (rng.random((150, 150)) < true).cumsum(axis=1)
    bounds = cache(partial(p_value_bounds, risk=0.2))
    missed = [
        any(
            not lower <= true <= upper
            for lower, upper in (bounds(int(b), n) for n, b in enumerate(row, 1))
        )
        for row in exceeding
    ]
    assert np.mean(missed) <= 0.2


@given(st.integers(1, 5_000), st.floats(0.001, 0.99))
def test_an_early_end_against_significance_agrees_with_the_whole_drawing(m, level):
    enough = enough_exceeding(m, level)
    if enough <= m:
        assert enough / m > level  # the p-value reported, at the latest
        assert p_value(enough, m) > level  # the p-value of all draws, at least


@given(st.integers(5, 60), st.sampled_from([0.1, 0.29, 0.5]), st.integers(0, 10_000))
def test_whatever_comes_the_decision_against_significance_stands(m, level, seed):
    exceeds = np.random.default_rng(seed).random(m) < 0.4
    early, b, n = drawn_until_clear(exceeds, level)
    if early is EarlyEnd.NOT_SIGNIFICANT:
        assert b / n > level
        assert p_value(int(exceeds.sum()), m) > level


@pytest.mark.slow
def test_decisions_for_significance_are_those_of_the_whole_drawing_but_for_the_risk():
    rng = np.random.default_rng(0)
    n_early = n_wrong = 0
    for true in np.repeat([0.0, 0.002, 0.01, 0.03, 0.045], 40):
        exceeds = rng.random(999) < true
        early, _, n = drawn_until_clear(exceeds, 0.05)
        if early is EarlyEnd.SIGNIFICANT:
            n_early += n < 999
            n_wrong += p_value(int(exceeds.sum()), 999) > 0.05
    assert n_early > 100
    assert n_wrong == 0


def test_without_a_single_exceedance_significance_is_clear_after_some_hundred_draws():
    assert drawn_until_clear(np.zeros(999, dtype=bool), 0.05) == (EarlyEnd.SIGNIFICANT, 0, 242)


def test_p_values_of_an_early_end_are_no_smaller_than_chance_allows():
    rng = np.random.default_rng(1)
    values = []
    for true in rng.random(1_500):  # the p-value under the null hypothesis is uniform
        early, b, n = drawn_until_clear(rng.random(99) < true, 0.1)
        values.append(b / n if early is EarlyEnd.NOT_SIGNIFICANT else p_value(b, n))
    for x in (0.05, 0.1, 0.2, 0.5, 0.8):
        assert np.mean(np.array(values) <= x) < x + 3 * np.sqrt(x * (1 - x) / 1_500)


def test_a_settled_yes_does_not_flash_under_the_null_hypothesis():
    rng = np.random.default_rng(2)
    n_flashed = n_running = 0
    for true in rng.random(1_000):
        b = (rng.random(199) < true).cumsum()
        running = [p_value(int(one), n) <= 0.05 for n, one in enumerate(b, 1)]
        settled = [is_settled_below(int(one), n, 199, level=0.05) for n, one in enumerate(b, 1)]
        n_running += any(running) and not running[-1]
        n_flashed += any(settled) and not running[-1]
        assert settled[-1] == running[-1]
    assert n_running > 10
    assert n_flashed == 0


def test_a_clear_yes_of_a_long_test_is_settled_long_before_its_end():
    settled = [is_settled_below(0, n, 999, level=0.05) for n in range(1, 1_000)]
    assert settled.index(True) + 1 == 242

from __future__ import annotations

import numpy as np
import pytest

from melm_core.answers import Answer, answer_of, bound_at_chance
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

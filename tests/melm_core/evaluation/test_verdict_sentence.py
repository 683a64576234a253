from __future__ import annotations

import numpy as np
import pytest

from melm_core.base import UserError
from melm_core.evaluation import Answer, answer_of, p_value_in_words, verdict


def test_the_answer_comes_first_then_the_share_chance_and_p():
    words = verdict(Answer.YES, 0.98, 3, n_permutations=199, n_exceeding=0, p_value=0.005)
    assert words == (
        "Yes. 98 % of held-out rows are told apart in cross-validation; guessing gives 33 %. "
        "None of 199 shuffles came close (p = 0.005)."
    )


def test_noise_is_answered_with_no():
    words = verdict(Answer.NO, 0.37, 3, n_permutations=19, n_exceeding=8, p_value=0.45)
    assert words.startswith("No. 37 % of held-out rows are told apart in cross-validation;")
    assert words.endswith("8 of 19 shuffles did as well (p = 0.450).")


def test_before_any_shuffle_there_are_numbers_and_no_answer():
    words = verdict(None, 0.5, 2)
    assert words == (
        "50 % of held-out rows are told apart in cross-validation; guessing gives 50 %."
    )


@pytest.mark.parametrize("p_value", [1e-12, 0.0004, 0.001, 0.05])
def test_a_p_value_is_never_zero(p_value):
    assert "0.000" not in p_value_in_words(p_value)


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_an_accuracy_at_guessing_is_never_told_apart(n_classes):
    assert answer_of(1 / n_classes, n_classes, p_value=0.005) is Answer.NO
    assert answer_of(1.0, n_classes, p_value=0.051) is Answer.NO


def test_better_answers_come_with_better_accuracies():
    order = [Answer.NO, Answer.PARTLY, Answer.YES]
    answers = [order.index(answer_of(a, 4, 0.005)) for a in np.linspace(0, 1, 101)]
    assert answers == sorted(answers)
    assert set(answers) == {0, 1, 2}


def test_every_sentence_begins_with_a_capital_or_a_number():
    assert verdict(Answer.YES, 0.999, 2).startswith("Yes. Over 99 % of held-out rows")


def test_a_design_without_a_small_p_value_has_no_answer():
    assert answer_of(1.0, 2, p_value=0.1, smallest_p_value=0.1) is Answer.UNKNOWN


def test_one_class_is_refused():
    with pytest.raises(UserError, match="at least 2"):
        answer_of(1.0, 1, 0.01)

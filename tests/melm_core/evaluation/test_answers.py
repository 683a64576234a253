from __future__ import annotations

import numpy as np
import pytest

from melm_core.base import UserError
from melm_core.evaluation import Answer, answer_of


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

"""What held-out rows say of a plane before anyone asks."""

from __future__ import annotations

import numpy as np

from melm_core.answers import Answer
from melm_studio.planes.plane_scores import Predictions, Scores, held_out_verdict
from melm_studio.scores import Rows
from melm_studio.tables import Question

COUNTS = {"a": 50, "b": 50}


def result_of(y, predicted, *, groups=None, train=1.0):
    y, predicted = np.asarray(y), np.asarray(predicted)
    accuracy = float(np.mean([np.mean(predicted[y == code] == code) for code in np.unique(y)]))
    return held_out_verdict(Scores(train, accuracy, 1.0), Predictions(y, predicted, groups), COUNTS)


def test_a_share_above_chance_of_few_rows_is_no_no():
    y = np.repeat([0, 1], [200, 2])
    result = result_of(y, np.r_[np.zeros(184, int), np.ones(16, int), 0, 1])
    assert result.answer is Answer.UNKNOWN
    assert result.lead.startswith("Too few held-out rows to tell: 71 %")
    at_chance = result_of(y, np.r_[np.zeros(184, int), np.ones(16, int), 0, 0])
    assert at_chance.answer is Answer.NO


def test_there_is_no_tick_before_shuffles_and_random_predictions_are_a_no():
    y = np.arange(60) % 2
    random = np.random.default_rng(0).integers(0, 2, size=60)
    assert result_of(y, y).answer is None
    assert result_of(y, y).lead == "100 % of held-out rows are told apart"
    assert result_of(y, random).answer is Answer.NO
    assert result_of(y, random).is_overfit
    assert not result_of(y, y).is_overfit


def test_rows_of_few_groups_are_no_evidence():
    y, groups = np.repeat([0, 1, 0, 1], 15), np.repeat(np.arange(4), 15)
    result = result_of(y, y, groups=groups)
    assert result.answer is Answer.UNKNOWN
    assert result.units == (2, 2)
    lead = result.lead
    assert lead == "Too few held-out groups to tell: 100 % of their rows are told apart"


def test_without_held_out_rows_of_a_class_nothing_is_claimed():
    verdict = held_out_verdict(Scores(1.0, None, None), None, COUNTS)
    assert (verdict.rows, verdict.answer) == (Rows.TRAINING, Answer.UNKNOWN)


def test_a_suspicion_holds_back_a_yes_until_a_check_tries_it_each_way():
    y = np.arange(60) % 2
    asked = (Question("doubles", "Are they repeats? As they are near.", (), default="each-way"),)
    predictions = Predictions(y, y, None)
    yes = held_out_verdict(Scores(1.0, 1.0, 1.0), predictions, COUNTS, suspicions=asked)
    assert (yes.answer, yes.questions) == (Answer.UNKNOWN, ())
    assert yes.lead == "100 % of held-out rows are told apart"
    assert yes.notes[0] == "Are they repeats? “Is it real?” tries both."


def test_an_open_question_of_the_table_holds_back_a_yes_and_no_no():
    y, asked = np.arange(60) % 2, (Question("doubles", "Are they repeats? As they are near.", ()),)
    yes = held_out_verdict(Scores(1.0, 1.0, 1.0), Predictions(y, y, None), COUNTS, asked)
    assert (yes.answer, yes.questions) == (Answer.UNKNOWN, asked)
    assert yes.lead == "100 % of held-out rows are told apart"
    assert yes.notes[0] == "Are they repeats?"
    no = held_out_verdict(Scores(1.0, 0.5, 1.0), Predictions(y, 0 * y, None), COUNTS, asked)
    assert (no.answer, no.questions) == (Answer.NO, ())

"""What the strip above a picture says, before and after the check."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from melm_core.evaluation import Answer
from melm_studio.analyses.strip import (
    CheckProgress,
    better_note,
    checked_verdict,
    held_out_verdict,
    rare_class_note,
)
from melm_studio.planes.held_out import HeldOutResult, held_out_result
from melm_studio.planes.types import Predictions, Scores
from melm_studio.runs.records.check_report import CheckReport

GOOD = HeldOutResult(
    answer=Answer.YES,
    accuracy=0.981,
    accuracy_train=0.99,
    standard_error=0.01,
    units=(12, 14),
    has_groups=False,
    class_counts={"a": 48, "b": 56},
)
COUNTS = {"a": 50, "b": 50}


def result_of(y, predicted, *, groups=None, train=1.0):
    y, predicted = np.asarray(y), np.asarray(predicted)
    accuracy = float(np.mean([np.mean(predicted[y == code] == code) for code in np.unique(y)]))
    return held_out_result(Scores(train, accuracy, 1.0), Predictions(y, predicted, groups), COUNTS)


def test_the_held_out_share_leads_and_chance_is_named():
    verdict = held_out_verdict(GOOD)
    assert verdict.answer == "yes"
    assert verdict.lead == "98 % of held-out rows are told apart"
    assert verdict.follow == "guessing: 50 %, training rows: 99 %"
    assert verdict.notes == ()


def test_an_overfit_is_called_by_its_name():
    noise = replace(GOOD, answer=Answer.NO, accuracy=0.52, accuracy_train=1.0, standard_error=0.1)
    verdict = held_out_verdict(noise)
    assert verdict.lead == "No better than guessing: 52 % of held-out rows"
    assert verdict.notes == (
        "Overfit: 100 % of the training rows are told apart, 52 % of the held-out rows.",
    )


@pytest.mark.parametrize(
    ("units", "has_groups", "note"),
    [
        ((7, 8), False, "Only 7 held-out rows of a: the share is rough."),
        ((1, 14), False, "Only 1 held-out row of a: the share is rough."),
        ((12, 3), True, "Only 3 held-out groups of b: the share is rough."),
    ],
)
def test_few_held_out_rows_are_said(units, has_groups, note):
    assert note in held_out_verdict(replace(GOOD, units=units, has_groups=has_groups)).notes


def test_a_share_above_chance_of_few_rows_is_no_no():
    y = np.repeat([0, 1], [200, 2])
    result = result_of(y, np.r_[np.zeros(184, int), np.ones(16, int), 0, 1])
    assert result.answer is Answer.UNKNOWN
    assert held_out_verdict(result).lead.startswith("Too few held-out rows to tell: 71 %")
    at_chance = result_of(y, np.r_[np.zeros(184, int), np.ones(16, int), 0, 0])
    assert at_chance.answer is Answer.NO


def test_right_predictions_are_told_apart_and_random_ones_are_not():
    y = np.arange(60) % 2
    random = np.random.default_rng(0).integers(0, 2, size=60)
    assert result_of(y, y).answer is Answer.YES
    assert result_of(y, random).answer is Answer.NO
    assert result_of(y, random).is_overfit
    assert not result_of(y, y).is_overfit


def test_rows_of_few_groups_are_no_evidence():
    y, groups = np.repeat([0, 1, 0, 1], 15), np.repeat(np.arange(4), 15)
    result = result_of(y, y, groups=groups)
    assert result.answer is Answer.UNKNOWN
    assert result.units == (2, 2)
    lead = held_out_verdict(result).lead
    assert lead == "Too few held-out groups to tell: 100 % of their rows are told apart"


def test_without_held_out_rows_of_a_class_there_is_no_result():
    assert held_out_result(Scores(1.0, None, None), None, COUNTS) is None


def test_a_rare_class_is_said():
    assert rare_class_note({"a": 990, "b": 10}).startswith("Only 10 of 1,000 rows are b.")
    assert rare_class_note({"a": 50, "b": 50}) == ""
    assert rare_class_note({str(code): 10 for code in range(40)}) == ""


def test_only_a_clearly_better_run_is_pointed_out():
    assert better_note(0.8, 0.03, {"LDA": 0.82}) == ""
    assert better_note(0.8, 0.03, {}) == ""
    assert better_note(0.8, 0.03, {"LDA": 0.99}).startswith("LDA tells more apart: 99 %")


def test_a_check_at_work_says_so_far():
    report = CheckReport(
        words="Yes. 98 % of held-out rows are told apart in cross-validation; guessing gives 33 %. "
        "None of 19 shuffles came close (p = 0.050).",
        answer="yes",
    )
    running = checked_verdict(report, CheckProgress("comparing", 0.2, is_final=False))
    assert running.lead == (
        "Yes. 98 % of held-out rows are told apart in cross-validation; guessing gives 33 %"
    )
    assert running.follow.endswith("(p = 0.050). So far; comparing.")
    done = checked_verdict(report, CheckProgress("done", 1.0, is_final=True))
    assert "So far" not in done.follow

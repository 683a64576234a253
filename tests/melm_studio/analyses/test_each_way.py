"""A check of rows that may depend on each other answers for each way in which they may."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from melm_core.answers import Answer
from melm_core.base import UserError
from melm_core.evaluation import Study, permutation_test
from melm_studio.analyses import shuffles
from melm_studio.analyses.analysis import DataShape, Work
from melm_studio.analyses.check import CHECK, N_PERMUTATIONS, check_tables
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.scores import check_sentence
from melm_studio.tables import Table, prepare, readings
from tests.melm_studio.analyses.reports import Reports
from tests.melm_studio.runs.helpers import run_of

ROWS = 200
Y = np.repeat([0, 1], ROWS // 2)


@pytest.fixture(scope="module", autouse=True)
def nothing_but_shuffles():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("melm_studio.analyses.check.MOST_RESAMPLED_ROWS", 0)
        patched.setattr("melm_studio.analyses.check._LEAST_WAIT_S", 0.0)
        yield


def drifting(shift, correlation=0.7, seed=0):
    """Rows sorted by class, each like the one before it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, 3))
    for row in range(1, ROWS):
        X[row] = correlation * X[row - 1] + np.sqrt(1.0 - correlation**2) * X[row]
    X += shift * Y[:, None]
    return of(X, Y)


def of(X, y, **columns):
    frame = pd.DataFrame(X, columns=[f"f{at}" for at in range(X.shape[1])])
    label = np.array(["a", "b"])[y]
    return prepare(Table("test", frame.assign(**columns, label=label), ()), "label")


REAL, NOISE = drifting(1.5, seed=14), drifting(0.0, seed=6)


def reports_of(data) -> list[CheckReport]:
    """What a check of LDA says, from first to last."""
    store = Reports()
    CHECK.compute(Work(store, run_of(method="lda"), data, time))
    return store.known


@pytest.fixture(scope="module")
def real() -> list[CheckReport]:
    return reports_of(REAL)


@pytest.fixture(scope="module")
def noise() -> list[CheckReport]:
    return reports_of(NOISE)


@pytest.mark.slow
def test_readings_that_agree_are_one_sentence_which_says_how_far_it_reaches(real):
    report = real[-1]
    assert [one.id for one in REAL.suspicions] == ["neighbors"]
    assert (report.answer, report.questions) == ("yes", ())
    words = check_sentence(report)
    assert words.startswith("Yes, unless more than 20 neighboring rows belong together. ")
    assert "Cannot be decided" not in words
    assert report.readings[0].n_rows == 20
    assert {one.answer for one in report.readings} == {"yes"}
    with_yes = [one for one in real if one.answer]
    assert all(len(one.readings) == len(readings(REAL)) for one in with_yes)  # none comes before
    fractions = [one.fraction for one in real]
    assert fractions == sorted(fractions)
    assert CheckReport.from_bytes(report.to_bytes()) == report
    again = CHECK.checked(report.to_bytes(), DataShape(ROWS, 2, 3))
    assert check_sentence(CheckReport.from_bytes(again)) == words


@pytest.mark.slow
def test_p_is_the_largest_of_all_readings_and_each_is_that_of_the_core(real):
    report = real[-1]
    longest = readings(REAL)[0].data
    study = Study("lda", longest.X, longest.y, groups=longest.groups)
    alone = permutation_test(study, n_permutations=39, max_rows=600)
    assert report.readings[0].p_value == alone.p_value
    assert report.p_value == max(one.p_value for one in report.readings)
    assert f"(p = {report.p_value:.3f})" in check_sentence(report)


@pytest.mark.slow
def test_readings_share_the_shuffles(real):
    report = real[-1]
    n_drawn = report.n_permutations + sum(one.n_permutations for one in report.readings)
    assert 0 < n_drawn <= N_PERMUTATIONS
    for n_tests in range(1, 11):
        assert n_tests * shuffles.shuffles_of_each(N_PERMUTATIONS, n_tests) <= N_PERMUTATIONS


@pytest.mark.slow
def test_noise_that_drifts_gets_no_yes_and_the_question_on_which_it_depends(noise):
    report = noise[-1]
    assert report.p_value <= 0.05  # as if rows were independent
    assert (report.answer, report.questions) == ("unknown", NOISE.suspicions)
    *_, last = report.readings
    assert (last.answer, last.choice) == ("no", "runs:20")
    words = check_sentence(report)
    assert words.startswith("Cannot be decided yet. ")
    assert (
        "They are told apart if rows are independent, but not if runs of 20 neighboring rows "
        f"belong together (p = {last.p_value:.3f}). Do neighboring rows of the file belong "
        "together? Answer what the table asks, then run again."
    ) in words


@pytest.mark.slow
def test_a_table_where_an_answer_is_given_says_what_its_reading_said(noise):
    *_, last = noise[-1].readings
    frame = pd.DataFrame(NOISE.X, columns=list("pqr")).assign(label=np.array(["a", "b"])[Y])
    answered = prepare(Table("test", frame, ()), "label", answers={"neighbors": last.choice})
    report = reports_of(answered)[-1]
    assert (report.answer, report.readings) == (last.answer, ())
    assert check_sentence(report).startswith("No. ")


@pytest.mark.slow
def test_rows_that_resemble_each_other_too_far_are_asked_about(monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 19)
    data = drifting(0.5, correlation=0.95)
    assert readings(data) == ()
    report = reports_of(data)[-1]
    assert (report.answer, report.questions) == ("unknown", data.suspicions)


@pytest.mark.slow
def test_a_no_tries_no_reading():
    rng = np.random.default_rng(3)
    data = replace(REAL, X=rng.normal(size=REAL.X.shape))
    report = reports_of(data)[-1]
    assert (report.answer, report.readings) == ("no", ())


@pytest.mark.slow
def test_nearly_equal_rows_and_subjects_are_read_both_ways():
    rng = np.random.default_rng(0)
    subject = np.repeat(np.arange(24), 4)
    y = subject % 2
    X = rng.normal(size=(24, 3))[subject] + 0.5 * rng.normal(size=(96, 3)) + 1.8 * y[:, None]
    order = rng.permutation(96)
    data = of(X[order], y[order], code=subject[order] + 1.0)
    assert [one.id for one in data.suspicions] == ["subjects:code"]
    words = check_sentence(reports_of(data)[-1])
    assert words.startswith("Yes, even if rows of one code belong together. ")


@pytest.mark.slow
def test_groups_that_allow_no_folds_are_no_yes(monkeypatch):
    def refused(*_):
        raise UserError("2 groups cannot be divided.")

    monkeypatch.setattr(shuffles, "_share", refused)
    report = reports_of(REAL)[-1]
    assert report.answer == "unknown"
    assert report.readings[0].p_value is None
    assert "belong together, they are too few to tell." in check_sentence(report)


@pytest.mark.slow
def test_readings_are_a_table_of_the_report(real):
    report = real[-1]
    found = {one.caption: one for one in check_tables(report, ("a", "b"), is_final=True)}
    rows = found["Rows that may belong together"].rows
    assert [row[0] for row in rows] == [one.together for one in report.readings]
    assert all(re.fullmatch(r"p = 0\.0\d\d", row[3]) for row in rows)


def test_a_partly_among_readings_makes_the_answer_one():
    one = shuffles.record_of(readings(REAL)[0], Answer.PARTLY)
    assert shuffles.agreed(Answer.YES, [one], REAL.suspicions) == (Answer.PARTLY, ())

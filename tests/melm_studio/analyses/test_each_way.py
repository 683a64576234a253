"""A check of rows that may depend on each other answers for each way in which they may."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from melm_core.answers import Answer
from melm_core.base import UserError
from melm_core.evaluation import Study, permutation_test
from melm_studio.analyses import shuffles
from melm_studio.analyses.analysis import DataShape
from melm_studio.analyses.check import CHECK, N_PERMUTATIONS, check_tables
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.run import new_analysis
from melm_studio.scores import check_sentence
from melm_studio.tables import Table, prepare, readings
from melm_studio.workers.inline import InlineRunner
from tests.melm_studio.runs.helpers import queue_run

ROWS = 200
Y = np.repeat([0, 1], ROWS // 2)


@pytest.fixture(autouse=True)
def nothing_but_shuffles(monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.MOST_RESAMPLED_ROWS", 0)
    monkeypatch.setattr("melm_studio.analyses.check._LEAST_WAIT_S", 0.0)


@pytest.fixture
def store(disk_store):
    """One back end: what a check finds does not depend on where it is stored."""
    return disk_store


def drifting(shift, correlation=0.6, seed=0):
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


REAL, NOISE = drifting(1.8), drifting(0.0, seed=6)


def checked(store, data, known=None):
    """The report of a check of LDA; those before it are added to `known`."""
    fit = queue_run(store, data, "lda")
    record = new_analysis(fit, "check")
    store.create(record)
    put = store.put_report
    if known is not None:
        store.put_report = lambda run, raw: (
            known.append(CheckReport.from_bytes(raw)) or put(run, raw)
        )
    InlineRunner(store).drain()
    return CheckReport.from_bytes(store.report(record.run_id))


def test_readings_that_agree_are_one_sentence_which_says_how_far_it_reaches(store):
    known: list[CheckReport] = []
    report = checked(store, REAL, known)
    assert [one.id for one in REAL.suspicions] == ["neighbors"]
    assert (report.answer, report.questions) == ("yes", ())
    words = check_sentence(report)
    assert words.startswith("Yes, unless more than 20 neighboring rows belong together. ")
    assert "Cannot be decided" not in words
    assert report.readings[0].n_rows == 20
    assert {one.answer for one in report.readings} == {"yes"}
    with_yes = [one for one in known if one.answer]
    assert all(len(one.readings) == len(readings(REAL)) for one in with_yes)  # none comes before
    fractions = [one.fraction for one in known]
    assert fractions == sorted(fractions)
    assert CheckReport.from_bytes(report.to_bytes()) == report
    again = CHECK.checked(report.to_bytes(), DataShape(ROWS, 2, 3))
    assert check_sentence(CheckReport.from_bytes(again)) == words


def test_p_is_the_largest_of_all_readings_and_each_is_that_of_the_core(store):
    report = checked(store, REAL)
    found = []
    for one in readings(REAL):
        study = Study("lda", one.data.X, one.data.y, groups=one.data.groups)
        found.append(permutation_test(study, n_permutations=39, max_rows=600).p_value)
    assert [one.p_value for one in report.readings] == found
    assert report.p_value == max(found)
    assert f"(p = {report.p_value:.3f})" in check_sentence(report)


def test_readings_share_the_shuffles(store):
    report = checked(store, REAL)
    n_drawn = report.n_permutations + sum(one.n_permutations for one in report.readings)
    assert 0 < n_drawn <= N_PERMUTATIONS
    for n_tests in range(1, 11):
        assert n_tests * shuffles.shuffles_of_each(N_PERMUTATIONS, n_tests) <= N_PERMUTATIONS


def test_noise_that_drifts_gets_no_yes_and_the_question_on_which_it_depends(store):
    report = checked(store, NOISE)
    assert report.p_value <= 0.05  # as if rows were independent
    assert (report.answer, report.questions) == ("unknown", NOISE.suspicions)
    *_, last = report.readings
    assert (last.answer, last.choice) == ("no", "runs:20")
    words = check_sentence(report)
    assert words.startswith("Cannot be decided yet. ")
    assert (
        "They are told apart if rows are independent, but not if runs of 20 neighboring rows "
        f"belong together (p = {last.p_value:.3f}). Do neighboring rows of the file belong "
        "together? Answer beside the table, then run again."
    ) in words


def test_a_table_where_an_answer_is_given_says_what_its_reading_said(store):
    *_, last = checked(store, NOISE).readings
    frame = pd.DataFrame(NOISE.X, columns=list("pqr")).assign(label=np.array(["a", "b"])[Y])
    answered = prepare(Table("test", frame, ()), "label", answers={"neighbors": last.choice})
    report = checked(store, answered)
    assert (report.answer, report.readings) == (last.answer, ())
    assert check_sentence(report).startswith("No. ")


def test_rows_that_resemble_each_other_too_far_are_asked_about(store):
    data = drifting(0.5, correlation=0.95)
    assert readings(data) == ()
    report = checked(store, data)
    assert (report.answer, report.questions) == ("unknown", data.suspicions)


def test_a_no_tries_no_reading(store):
    rng = np.random.default_rng(3)
    data = replace(REAL, X=rng.normal(size=REAL.X.shape))
    known: list[CheckReport] = []
    report = checked(store, data, known)
    assert (report.answer, report.readings) == ("no", ())


def test_nearly_equal_rows_and_subjects_are_read_both_ways(store):
    rng = np.random.default_rng(0)
    subject = np.repeat(np.arange(24), 4)
    y = subject % 2
    X = rng.normal(size=(24, 3))[subject] + 0.5 * rng.normal(size=(96, 3)) + 1.8 * y[:, None]
    order = rng.permutation(96)
    data = of(X[order], y[order], code=subject[order] + 1.0)
    assert [one.id for one in data.suspicions] == ["subjects:code"]
    words = check_sentence(checked(store, data))
    assert words.startswith("Yes, even if rows of one code belong together. ")


def test_groups_that_allow_no_folds_are_no_yes(store, monkeypatch):
    def refused(*_):
        raise UserError("2 groups cannot be divided.")

    monkeypatch.setattr(shuffles, "_share", refused)
    report = checked(store, REAL)
    assert report.answer == "unknown"
    assert report.readings[0].p_value is None
    assert "belong together, they are too few to tell." in check_sentence(report)


def test_readings_are_a_table_of_the_report(store):
    report = checked(store, REAL)
    found = {one.caption: one for one in check_tables(report, ("a", "b"), is_final=True)}
    rows = found["Rows that may belong together"].rows
    assert [row[0] for row in rows] == [one.together for one in report.readings]
    assert all(re.fullmatch(r"p = 0\.0\d\d", row[3]) for row in rows)


def test_a_partly_among_readings_makes_the_answer_one():
    one = shuffles.record_of(readings(REAL)[0], Answer.PARTLY)
    assert shuffles.agreed(Answer.YES, [one], REAL.suspicions) == (Answer.PARTLY, ())

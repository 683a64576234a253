"""What each factor changes: a run within patients, its sentence, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from melm_studio.analyses import analysis_of
from melm_studio.analyses.analysis import DataShape
from melm_studio.analyses.factors import FACTORS
from melm_studio.analyses.shuffles import shuffled
from melm_studio.runs.records.run import RunState, new_analysis
from melm_studio.tables import Table, prepare
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import queue_run

PATIENT = np.repeat(np.arange(8), 4)
WITHIN = {"subjects:patient": "within"}


def trial(answers):
    """Eight patients, before and after, on two days; a drug that moves one feature."""
    rng = np.random.default_rng(0)
    when = np.tile([0, 0, 1, 1], 8)
    X = 4.0 * rng.normal(size=(8, 3))[PATIENT] + rng.normal(size=(32, 3))
    X[:, 0] += 3.0 * when
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(
        patient=[f"P{one}" for one in PATIENT],
        day=np.tile(["first", "second"], 16),
        arm=np.where(PATIENT % 2, "left", "right"),
        when=np.where(when, "after", "before"),
    )
    roles = {"day": "info", "arm": "info", "patient": "group"}
    return prepare(Table("trial", frame, ()), "when", answers=answers, roles=roles)


def analyzed(store, answers=WITHIN):
    run = new_analysis(queue_run(store, trial(answers), "lda"), "factors")
    store.create(run)
    execute_queued(store)
    return store.get(run.run_id), FACTORS.stored(store, run.run_id)


def test_each_factor_is_said_with_its_share_and_p(store):
    run, report = analyzed(store)
    assert run.state is RunState.DONE
    assert analysis_of("factors") is FACTORS
    assert [one.factors for one in report.effects] == [("when",), ("day",), ("when", "day")]
    sentence = FACTORS.sentence(report, is_final=True)
    assert sentence.startswith("Within each patient, when explains ")
    assert "% of the variation (p = 0.0" in sentence
    assert "when and day together" in sentence
    assert report.left_out == ("arm",)  # which no patient changes


@pytest.mark.parametrize(("answers", "n_distinct"), [(WITHIN, 2**8), ({}, 6**8)])
def test_shuffles_within_patients_exchange_before_and_after_as_wholes(store, answers, n_distinct):
    data = trial(answers)
    assert shuffled(data, queue_run(store, data, "lda"), 1).design.n_distinct == n_distinct


def test_patients_that_are_only_kept_together_are_asked_about_first(store):
    data = trial({})
    run = queue_run(store, data, "lda")
    refusal = FACTORS.refusal(run, lambda: data)
    assert "Answer what the table asks: within each patient." in refusal
    assert FACTORS.refusal(run, lambda: trial(WITHIN)) == ""


def test_a_project_keeps_no_shares_that_cannot_be(store):
    _, report = analyzed(store)
    shape = DataShape(n_rows=32, n_classes=2, n_features=3)
    assert FACTORS.read(FACTORS.checked(report.to_bytes(), shape)) == report
    with pytest.raises(ValueError, match="belong"):
        FACTORS.checked(replace(report, residual=7.0).to_bytes(), shape)

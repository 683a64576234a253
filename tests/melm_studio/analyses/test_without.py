"""A yes says what is left without the columns or rows that decide alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from melm_core.answers import Answer
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.run import new_analysis
from melm_studio.scores import check_sentence
from melm_studio.tables import Table, prepare, row_sources
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import queue_run

N_ROWS = 90
NAMES = np.array(["a", "b", "c"])


@pytest.fixture(autouse=True)
def few_shuffles(monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 19)


def said(store, data) -> tuple[CheckReport, str]:
    fit = queue_run(store, data, "lda")
    record = new_analysis(fit, "check")
    store.create(record)
    execute_queued(store)
    report = CheckReport.from_bytes(store.report(record.run_id))
    return report, check_sentence(report)


def noise(seed: int = 5, **columns) -> Table:
    X = np.random.default_rng(seed).normal(size=(4, N_ROWS))
    return Table("noise", pd.DataFrame({f"m{at}": x for at, x in enumerate(X)} | columns), ())


def codes(n_classes: int = 3):
    return np.random.default_rng(1).permutation(np.arange(N_ROWS) % n_classes)


def later(y):
    return 3.0 * y + 0.4 * np.random.default_rng(2).normal(size=N_ROWS)


def test_no_plain_yes_stands_beside_a_column_that_decides_alone(disk_store):
    y = codes()
    table = noise(score=later(y), label=NAMES[y])
    data = prepare(table, "label", answers={"twin:score": "measurement"})
    report, sentence = said(disk_store, data)
    (without,) = report.without
    assert report.answer == Answer.YES
    assert not sentence.startswith("Yes.")
    assert abs(without.share - 1 / 3) < 3 * without.standard_error
    assert f"Only because of score: {100 * without.share:.0f} % without it." in sentence


@pytest.mark.slow
def test_where_nothing_is_told_apart_nothing_is_said_of_the_column(disk_store):
    y = codes()
    random = np.random.default_rng(8).permutation(y)
    wide = {f"w{at}": x for at, x in enumerate(np.random.default_rng(9).normal(size=(400, N_ROWS)))}
    table = noise(score=later(y), label=NAMES[y], **wide)
    data = prepare(table, "label", answers={"twin:score": "measurement"})
    shuffled = replace(data, y=random)  # the column is said to be a twin of other labels
    report, sentence = said(disk_store, shuffled)
    assert report.without == ()
    assert "Only because of" not in sentence


@pytest.mark.slow
def test_what_tells_them_apart_without_it_is_said_too(disk_store):
    y = codes()
    other = 2.0 * y + np.random.default_rng(3).normal(size=N_ROWS)
    table = noise(score=later(y), other=other, label=NAMES[y])
    data = prepare(table, "label", answers={"twin:score": "measurement"})
    _, sentence = said(disk_store, data)
    assert "Without score: " in sentence
    assert "Only because of" not in sentence


@pytest.mark.slow
def test_one_feature_that_is_left_is_judged_along_itself(disk_store):
    y = codes()
    cells = {"m0": np.random.default_rng(5).normal(size=N_ROWS), "score": later(y)}
    table = Table("two", pd.DataFrame(cells | {"label": NAMES[y]}), ())
    data = prepare(table, "label", answers={"twin:score": "measurement"})
    report, _ = said(disk_store, data)
    assert report.fraction == 1.0
    assert [one.what for one in report.without] == ["score"]


@pytest.mark.slow
def test_no_yes_while_it_is_not_answered(disk_store):
    y = codes()
    report, sentence = said(disk_store, prepare(noise(score=later(y), label=NAMES[y]), "label"))
    assert report.answer == "unknown"
    assert sentence.startswith("Cannot be decided yet.")
    assert "Is score the label once more?" in sentence
    assert "without it" in sentence


@pytest.mark.slow
@pytest.mark.parametrize("role", ["batch", "feature"])
def test_a_site_without_which_nothing_is_left_is_named(disk_store, role):
    """Nearly all rows of b are of site S2, which measures more of m0 than the others."""
    y = codes(2)
    site = np.array(["S0", "S1"])[np.random.default_rng(3).permutation(N_ROWS) % 2]
    site = np.where((y == 1) & (np.arange(N_ROWS) % 5 > 0), "S2", site)
    table = noise(site=site, label=NAMES[y])
    table.frame["m0"] += 6.0 * (site == "S2")
    report, sentence = said(disk_store, prepare(table, "label", roles={"site": role}))
    (without,) = report.without
    assert without.what == "the rows of site S2"
    assert "without them" in sentence


def test_a_category_that_is_a_measurement_is_no_source_of_rows():
    sex, site = (np.array(texts)[codes(2)] for texts in (["f", "m"], ["S0", "S1"]))
    kind = np.array(["u", "v", ""])[codes()].astype(object)
    table = noise(
        sex=sex, site=site, site_kind=np.where(kind == "", None, kind), label=NAMES[codes()]
    )
    data = prepare(table, "label", roles=dict.fromkeys(["sex", "site", "site_kind"], "feature"))
    found = {name: list(texts) for name, texts in row_sources(data)}
    assert found == {"site": site.tolist(), "site_kind": kind.tolist()}


@pytest.mark.slow
def test_sites_that_are_alike_are_not_named(disk_store):
    y = codes(2)
    site = np.array(["S0", "S1", "S2"])[np.random.default_rng(3).permutation(N_ROWS) % 3]
    table = noise(site=site, label=NAMES[y])
    table.frame[["m0", "m1"]] += 1.5 * y[:, None]
    report, _ = said(disk_store, prepare(table, "label", roles={"site": "batch"}))
    assert report.without == ()


@pytest.mark.slow
def test_labels_made_from_the_features_are_no_yes(disk_store):
    y = codes()
    table = noise(cluster=NAMES[y])
    table.frame[["m0", "m1"]] += 1.5 * y[:, None]
    data = prepare(table, "cluster", answers={"made": "features"})
    report, sentence = said(disk_store, data)
    assert report.answer == "unknown"
    assert "made from the features are told apart by construction" in sentence
    known = prepare(table, "cluster", answers={"made": "known"})
    assert said(disk_store, known)[0].answer == "yes"

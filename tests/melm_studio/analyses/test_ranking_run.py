"""All methods on held-out rows of the same folds, as a run that can be stopped and continued."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from melm_core.evaluation import density_scores
from melm_core.methods import METHODS
from melm_studio.analyses import ranking_run
from melm_studio.analyses.ranking_run import ranking_of
from melm_studio.runs.records.run import RunState, new_ranking
from melm_studio.tables import Role, RowColumn
from melm_studio.workers.inline import InlineRunner
from tests.melm_studio.runs.helpers import SOURCE, ManualClock, blobs

DATA = blobs(n_rows=60)
FEW = ("lda", "pca", "kfd")


@pytest.fixture(autouse=True)
def few_methods(monkeypatch):
    monkeypatch.setattr(ranking_run, "METHODS", {key: METHODS[key] for key in FEW})


def queued(store, data=DATA):
    store.put_data("ada", data.content_hash, data.to_bytes())
    record = new_ranking("ada", data.content_hash, "blobs", SOURCE)
    store.create(record)
    return record


def worked(store, data=DATA):
    record = queued(store, data)
    InlineRunner(store).drain()
    return store.get(record.run_id), ranking_of(store, record.run_id)


def test_every_method_is_scored_on_the_same_folds(store):
    record, report = worked(store)
    assert record.state is RunState.DONE
    assert [method.method for method in report.methods] == list(FEW)
    assert (report.n_methods, report.current) == (3, "")
    alone = density_scores("lda", DATA.X, DATA.y, standardize=False)
    assert np.mean(report.methods[0].held_out) == pytest.approx(alone.held_out.balanced_accuracy)


def test_with_batches_every_method_says_how_well_they_are_told_apart(store):
    plates = RowColumn("plate", Role.BATCH, (np.arange(len(DATA.y)) // 2 % 2).astype(float))
    _, report = worked(store, replace(DATA, row_columns=(plates,)))
    assert report.batch_chance == 0.5
    assert all(0.0 <= method.batch <= 1.0 for method in report.methods)
    _, without = worked(store)
    assert without.batch_chance is None
    assert [method.held_out for method in without.methods] == [
        method.held_out for method in report.methods
    ]


def test_a_method_that_does_not_fit_says_why(store):
    one_feature = replace(DATA, X=DATA.X[:, :1])
    _, report = worked(store, one_feature)
    assert "the data have 1 feature" in report.methods[0].refusal
    assert report.methods[0].held_out == ()


def test_a_stopped_comparison_is_continued_where_it_was(store, monkeypatch):
    record = queued(store)
    put, reports = store.put_report, []

    def stop_soon(run_id, raw):
        put(run_id, raw)
        reports.append(raw)
        if len(reports) == 3:  # LDA, its scores, PCA
            store.request_cancel(run_id)

    monkeypatch.setattr(store, "put_report", stop_soon)
    InlineRunner(store).drain()
    assert store.get(record.run_id).state is RunState.CANCELLED
    first = ranking_of(store, record.run_id)
    assert [method.method for method in first.methods] == ["lda"]

    scored = []
    honest = ranking_run.density_scores
    monkeypatch.setattr(store, "put_report", put)
    monkeypatch.setattr(
        ranking_run, "density_scores", lambda key, **kw: scored.append(key) or honest(key, **kw)
    )
    again, report = worked(store)
    assert again.state is RunState.DONE
    assert scored == ["pca", "kfd"]
    assert report.methods[0] == first.methods[0]


def test_a_slow_method_is_left_behind(store, monkeypatch):
    clock = ManualClock()
    record = queued(store)

    def slow(key, *, callback, **options):
        clock.sleep(1_000)
        callback(1, 5)

    monkeypatch.setattr(ranking_run, "density_scores", slow)
    assert ranking_run.rank_methods(store, record, DATA, clock)
    methods = ranking_of(store, record.run_id).methods
    assert {method.refusal for method in methods} == {"Took longer than 120 s."}

"""How many more rows: the curve of a run, its sentence and its figure."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest
from msgspec.structs import replace

from melm_studio.analyses.analysis import DataShape
from melm_studio.analyses.more_rows import MORE_ROWS, CurvePoint, curve_figure
from melm_studio.runs.records.run import RunState, new_analysis
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import blobs, queue_run


def analyzed(store, n_rows):
    run = new_analysis(queue_run(store, blobs(n_rows=n_rows), "lda"), "more_rows")
    store.create(run)
    execute_queued(store)
    return store.get(run.run_id), MORE_ROWS.stored(store, run.run_id)


@pytest.mark.slow
def test_the_curve_of_a_run_says_what_more_rows_give_and_is_drawn(store):
    run, report = analyzed(store, 90)
    assert run.state is RunState.DONE
    assert report.n_done == report.n_all > 0
    assert "guessing" in MORE_ROWS.sentence(report, is_final=True)
    assert len(report.forecasts) == len(report.points) + len(report.expectations)
    go.Figure(curve_figure(report))


def test_too_few_rows_fail_with_the_reason(store):
    run, _ = analyzed(store, 24)
    assert run.state is RunState.FAILED
    assert "a learning curve needs 10 of every class" in run.message


@pytest.mark.slow
def test_a_project_keeps_no_curve_of_other_data(store):
    _, report = analyzed(store, 90)
    shape = DataShape(n_rows=90, n_classes=report.n_classes, n_features=4)
    assert MORE_ROWS.read(MORE_ROWS.checked(report.to_bytes(), shape)) == report
    bad = replace(report, points=(CurvePoint(10.0, 7.0, 0.1), *report.points[1:]))
    with pytest.raises(ValueError, match="belong"):
        MORE_ROWS.checked(bad.to_bytes(), shape)

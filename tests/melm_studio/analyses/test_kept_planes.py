"""The tree of a run, and its resamples, end the same when their worker was lost halfway."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.analyses import resamples, tree
from melm_studio.runs.records.run import RunRecord, RunState, new_analysis
from melm_studio.runs.store.attempts import requeue
from melm_studio.workers.execute import execute_queued, execute_run
from tests.melm_studio.runs.helpers import blobs, queue_run

REPORTS = {"tree": tree.TREE.stored, "resamples": resamples.RESAMPLES.stored}


class WorkerGoneError(BaseException):
    """As little as a killed process does anything after it is raised."""


@pytest.fixture(autouse=True)
def small(monkeypatch):
    full = tree.plane_tree
    options = {"gammas": (4.0, 2.0, 1.0), "n_init": 1, "n_shuffles": 1}
    monkeypatch.setattr(tree, "plane_tree", lambda *rows, **kw: full(*rows, **kw | options))
    monkeypatch.setattr(resamples, "N_RESAMPLES", 3)


def finished(store) -> RunRecord:
    record = queue_run(store, blobs(), "melm", n_init=1, held_out=0.25)
    execute_queued(store)
    return record


@pytest.mark.parametrize("derived", ["tree", "resamples"])
def test_after_a_lost_worker_it_ends_as_if_nothing_had_happened(store, monkeypatch, derived: str):
    fit = finished(store)
    whole, lost = new_analysis(fit, derived), new_analysis(fit, derived)
    store.create(whole)
    execute_queued(store)

    put = store.put_report
    put_before: list[str] = []

    def put_once_and_vanish(run_id: str, raw: bytes) -> None:
        if len(put_before) == 1:
            raise WorkerGoneError
        put_before.append(run_id)
        put(run_id, raw)

    store.create(lost)
    monkeypatch.setattr(store, "put_report", put_once_and_vanish)
    with pytest.raises(WorkerGoneError):
        execute_run(store, lost.run_id)
    n_before = store.n_events(lost.run_id)
    assert n_before > 0
    monkeypatch.setattr(store, "put_report", put)
    requeue(store, store.get(lost.run_id), n_losses=1)
    execute_queued(store)

    ended = store.get(lost.run_id)
    assert (ended.state, ended.attempt) == (RunState.DONE, 1)
    reports = [REPORTS[ended.kind](store, run.run_id) for run in (whole, lost)]
    assert repr(reports[0]) == repr(reports[1])  # nan is no equal of itself
    planes = [store.events(run.run_id) for run in (whole, lost)]
    assert len(planes[0]) == len(planes[1]) > n_before
    for one, other in zip(*planes, strict=True):
        np.testing.assert_array_equal(one.components, other.components)

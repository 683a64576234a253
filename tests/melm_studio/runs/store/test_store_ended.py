"""Runs that ended in another studio, the same on every back end."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from melm_studio.configuration.limits import LimitReachedError
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.protocol import Ended
from tests.melm_studio.runs.helpers import plane, run_of


def test_a_run_that_ended_elsewhere_keeps_its_history_and_waits_for_nobody(store):
    record = replace(run_of(), state=RunState.DONE)
    store.create(record, n_bytes=1_000, report=b"report")
    assert store.append(record.run_id, plane(1.0), plane(2.0, seed=1), to_ended=True) == 1
    assert store.append(record.run_id, plane(3.0, seed=2), to_ended=True) == 2
    assert store.get(record.run_id) == record
    assert store.runs_of("ada") == [record]
    assert store.unfinished() == []
    assert store.claim() is None
    assert store.report(record.run_id) == b"report"
    found = store.events(record.run_id)
    assert [(one.sequence, one.objective) for one in found] == [(0, 1.0), (1, 2.0), (2, 3.0)]
    assert store.history_size(record.run_id).n_bytes == sum(len(one.to_bytes()) for one in found)
    assert store.ended()[RunState.DONE] == Ended()


def test_a_run_that_ended_elsewhere_needs_room(open_store):
    store = open_store(session_runs=1, session_mb=1)
    record = replace(run_of(), state=RunState.DONE)
    with pytest.raises(LimitReachedError, match=r"1\.9 MB"):
        store.create(record, n_bytes=2_000_000)
    store.create(record, n_bytes=1_000)
    with pytest.raises(LimitReachedError, match="1 run already"):
        store.create(replace(run_of(), state=RunState.DONE), n_bytes=1_000)

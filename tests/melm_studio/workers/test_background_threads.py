"""A run that is executed sends heartbeats."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

from melm_studio.workers.background_threads import heartbeat
from tests.melm_studio.runs.helpers import run_of, wait_until


def test_the_heart_beats_while_the_block_runs_and_stops_with_it(store):
    record = run_of()
    store.create(record)
    beats = itertools.count(1)
    with heartbeat(
        store, record.run_id, clock=SimpleNamespace(time=lambda: float(next(beats))), period_s=0.001
    ):
        wait_until(lambda: (store.get(record.run_id).heartbeat_s or 0) >= 3)
    n_beats = next(beats) - 1
    assert store.get(record.run_id).heartbeat_s == n_beats

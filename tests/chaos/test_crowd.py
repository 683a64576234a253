"""Twenty visitors at once: no run is lost or executed twice, and scheduling is fair."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from lab.driver.visitor import opened_studio
from melm_studio.programs.local_studio import free_port
from melm_studio.runs.records.run import RunState
from tests.chaos.studio_process import studio_process
from tests.melm_studio.runs.helpers import wait_until

pytestmark = pytest.mark.slow

N_VISITORS, RUNS_EACH, N_WORKERS = 20, 3, 2


def test_every_run_of_a_crowd_is_worked_once_and_visitors_take_turns(tmp_path):
    with opened_studio(tmp_path) as beside:
        visitors = [beside.visitor() for _ in range(N_VISITORS)]
        for visitor in visitors:
            visitor.choose_sample("iris")
        with ThreadPoolExecutor(N_VISITORS) as pool:
            runs = list(pool.map(three_runs, visitors))
        with studio_process(tmp_path, free_port(), workers=N_WORKERS):
            wait_until(lambda: not beside.store.unfinished(), deadline_s=500)
        records = [beside.store.get(run_id) for own in runs for run_id in own]
        finals = [
            sum(event.is_final for event in beside.store.events(record.run_id))
            for record in records
        ]
    assert {record.state for record in records} == {RunState.DONE}
    assert len({record.run_id for record in records}) == N_VISITORS * RUNS_EACH
    assert finals == [1] * len(records)
    for position, turn in turns(records):
        # Two workers start at the same time, so neighbors may change places.
        assert turn * N_VISITORS - N_WORKERS <= position < (turn + 1) * N_VISITORS + N_WORKERS


def three_runs(visitor):
    return [visitor.start(method="lda", random_state=seed) for seed in range(RUNS_EACH)]


def turns(records):
    """The position of each run in the order of starts, and its number among its owner's."""
    n_before = Counter()
    for position, record in enumerate(sorted(records, key=lambda record: record.started_s)):
        yield position, n_before[record.owner]
        n_before[record.owner] += 1

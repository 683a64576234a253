"""A disk that fills up during runs, and is freed again."""

from __future__ import annotations

import time
from contextlib import closing

import pytest
from psutil import RLIM_INFINITY, RLIMIT_FSIZE

from melm_studio.configuration.messages import NO_ROOM
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.runs.store.protocol import Sign
from tests.melm_studio.runs.helpers import queue_run, wait_until
from tests.melm_studio.runs.processes import (
    DATA,
    alive,
    assert_best_plane_kept,
    ended,
    family,
    supervised,
    working,
)

# A supervisor that can write sends a heartbeat every second.
SILENT_S = 3.0


def let_files_grow_to(n_bytes, processes):
    for process in processes:
        process.rlimit(RLIMIT_FSIZE, (n_bytes, RLIM_INFINITY))


@pytest.mark.fault
@pytest.mark.slow
def test_runs_fail_with_a_sentence_and_the_studio_goes_on_when_there_is_room(tmp_path):
    with closing(DiskRunStore(tmp_path)) as store, supervised(tmp_path, workers=2) as supervisor:
        records = [working(store), working(store)]
        processes = family(supervisor.pid)
        let_files_grow_to(2**15, processes)
        wait_until(lambda: time.time() - store.marked_s(Sign.SUPERVISOR) > SILENT_S)
        let_files_grow_to(RLIM_INFINITY, processes)
        for record in records:
            failed = ended(store, record.run_id)
            assert (failed.state, failed.message) == (RunState.FAILED, NO_ROOM)
            assert_best_plane_kept(store, record.run_id)
        assert ended(store, queue_run(store, DATA, "pca").run_id).state is RunState.DONE
        assert alive(processes[0])

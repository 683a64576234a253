"""Runs whose worker no longer sends heartbeats."""

from __future__ import annotations

import time
from collections.abc import Collection

from melm_studio.worker.clock import Clock
from melm_studio.worker.config.messages import LOST
from melm_studio.worker.records.run import AT_WORK, RunRecord
from melm_studio.worker.store.end_run import end_run
from melm_studio.worker.store.protocol import RunStore

DEAD_AFTER_S = 5.0
# If a one-second poll was delayed by more than this, this process had lost the store.
CUT_OFF_AFTER_S = 3.0


class DeadRuns:
    """Ends runs whose heartbeat stopped, wherever they were executed.

    Parameters
    ----------
    store : RunStore
    has_other_workers : bool
        Whether other processes may execute runs too. If so, a process that connects or reconnects
        to the store waits before it ends any run: the others may also have lost the store, and
        resume their heartbeats soon.
    clock : Clock
    """

    def __init__(self, store: RunStore, *, has_other_workers: bool, clock: Clock = time) -> None:
        self._store = store
        self._clock = clock
        self._wait_s = DEAD_AFTER_S if has_other_workers else 0.0
        self._polled_s = float("-inf")
        self._ends_from_s = 0.0

    def end(self, except_for: Collection[str] = ()) -> None:
        """Poll once, to be called every second; leave alone the runs known to be executed."""
        found = self._store.unfinished()
        now = self._clock.monotonic()
        if now - self._polled_s > CUT_OFF_AFTER_S:
            self._ends_from_s = now + self._wait_s
        self._polled_s = now
        for record in found if now >= self._ends_from_s else []:
            if record.run_id not in except_for and self._is_dead(record):
                end_run(self._store, record.run_id, LOST, expected=AT_WORK)

    def _is_dead(self, record: RunRecord) -> bool:
        return self._clock.time() - (record.heartbeat_s or record.created_s) > DEAD_AFTER_S

"""Runs whose worker no longer sends heartbeats."""

from __future__ import annotations

import time
from collections.abc import Collection

from melm_studio.configuration.clock import Clock
from melm_studio.configuration.messages import LOST
from melm_studio.runs.records.run import AT_WORK, RunRecord
from melm_studio.runs.store.attempts import end_attempt
from melm_studio.runs.store.protocol import RunStore

# With a heartbeat a second and a poll a second, a dead worker is noticed within 5 s.
DEAD_AFTER_S = 3.0
# If a one-second poll was delayed by more than this, this process had lost the store.
CUT_OFF_AFTER_S = 3.0


class DeadRuns:
    """Queues runs again whose heartbeat stopped, wherever they were executed.

    The age of a heartbeat is the time for which this process has seen no other, by a clock that
    never jumps.

    Parameters
    ----------
    store : RunStore
    has_other_workers : bool
        Whether other processes may execute runs too. If so, a process that connects or reconnects
        to the store waits before it ends any run: the others may also have lost the store, and
        resume their heartbeats soon. If not, old heartbeats are those of an earlier studio.
    clock : Clock
    """

    def __init__(self, store: RunStore, *, has_other_workers: bool, clock: Clock = time) -> None:
        self._store = store
        self._clock = clock
        self._has_others = has_other_workers
        self._polled_s = float("-inf")
        # The heartbeat of each run, and since when it has been the same.
        self._beats: dict[str, tuple[float, float]] = {}

    def end(self, except_for: Collection[str] = ()) -> None:
        """Poll once, to be called every second; leave alone the runs known to be executed."""
        running = [run for run in self._store.unfinished() if run.state in AT_WORK]
        now = self._clock.monotonic()
        if now - self._polled_s > CUT_OFF_AFTER_S:
            self._beats = {}
        self._polled_s = now
        self._beats = {run.run_id: self._since(run, now) for run in running}
        for run in running:
            if run.run_id not in except_for and now - self._beats[run.run_id][1] >= DEAD_AFTER_S:
                end_attempt(self._store, run, LOST)

    def _since(self, run: RunRecord, now: float) -> tuple[float, float]:
        beat_s = run.heartbeat_s or run.created_s
        last = self._beats.get(run.run_id)
        if last is not None and last[0] == beat_s:
            return last
        age_s = self._clock.time() - beat_s
        is_left_behind = last is None and not self._has_others and age_s >= DEAD_AFTER_S
        return beat_s, float("-inf") if is_left_behind else now

"""Runs whose worker gives no sign of life."""

from __future__ import annotations

import time
from collections.abc import Collection

from melm_studio.worker.config.messages import LOST
from melm_studio.worker.records.run import AT_WORK, RunRecord
from melm_studio.worker.store.end_run import end_abandoned_run
from melm_studio.worker.store.protocol import RunStore

LOST_AFTER_S = 5.0
# Whoever looks every second and could not for so long was cut off from the store.
CUT_OFF_AFTER_S = 3.0


class LostRuns:
    """Ends runs whose heartbeat stopped, wherever they were worked.

    Parameters
    ----------
    store : RunStore
    others_work : bool
        Whether other processes may work runs too. Then whoever comes or comes back to the store
        waits before it judges: the others may have been cut off as well, and beat again soon.
    """

    def __init__(self, store: RunStore, *, others_work: bool) -> None:
        self._store = store
        self._wait_s = LOST_AFTER_S if others_work else 0.0
        self._looked_s = float("-inf")
        self._judges_from_s = 0.0

    def end(self, but: Collection[str] = ()) -> None:
        """Look, about every second; runs that the caller knows to be worked are left alone."""
        found = self._store.unfinished()
        now = time.monotonic()
        if now - self._looked_s > CUT_OFF_AFTER_S:
            self._judges_from_s = now + self._wait_s
        self._looked_s = now
        for record in found if now >= self._judges_from_s else []:
            if record.run_id not in but and _is_lost(record):
                end_abandoned_run(self._store, record.run_id, LOST, expected=AT_WORK)


def _is_lost(record: RunRecord) -> bool:
    return time.time() - (record.heartbeat_s or record.created_s) > LOST_AFTER_S

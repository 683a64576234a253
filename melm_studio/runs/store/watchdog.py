"""A thread of every web process that looks after a shared store."""

from __future__ import annotations

import logging
import threading
import time

from melm_studio.configuration.clock import Clock
from melm_studio.configuration.limits import DiskFullError
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.broker import Broker
from melm_studio.runs.store.dead_runs import DEAD_AFTER_S, DeadRuns
from melm_studio.runs.store.protocol import Listing, RunStore, StoreUnavailableError

POLL_S = 1.0

logger = logging.getLogger(__name__)


class Watchdog:
    """Ends runs whose worker has died, and notifies workers again of runs that still wait.

    Several watchdogs may run on one store: repeating their actions does no harm.
    """

    def __init__(self, store: RunStore, broker: Broker, clock: Clock = time) -> None:
        self._store, self._broker, self._clock = store, broker, clock
        self._dead_runs = DeadRuns(store, has_other_workers=True, clock=clock)
        self._claimed_s: dict[str, float] = {}  # since when a run was found claimed
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    def start(self) -> None:
        """Poll about every second from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Stop polling."""
        self._stopping.set()
        self._thread.join()

    def poll(self) -> None:
        """Do what is due."""
        self._store.secret()  # which gives a server that lost it its key again
        self._dead_runs.end()
        self._release_unstarted()
        n_missing = self._store.n_queued() - self._broker.n_messages()
        if n_missing > 0:
            self._broker.notify(n_missing)

    def _release_unstarted(self) -> None:
        """Queue again the runs whose worker died between claiming and starting them.

        A worker that is only slow to start its run may be affected too; then a second worker finds
        the run started and leaves it alone.
        """
        queued = {run.run_id for run in self._store.unfinished() if run.state is RunState.QUEUED}
        for listing in (Listing.QUEUED, Listing.LOOKED_AT):
            queued.difference_update(self._store.run_ids(listing))
        now = self._clock.monotonic()
        self._claimed_s = {run_id: self._claimed_s.get(run_id, now) for run_id in queued}
        for run_id, since_s in self._claimed_s.items():
            if now - since_s > DEAD_AFTER_S:
                self._store.release(run_id)

    def _run(self) -> None:
        while not self._stopping.wait(POLL_S):
            try:
                self.poll()
            except (DiskFullError, StoreUnavailableError):
                logger.exception("waiting for the store")
        self._store.close()

"""Who sees to a shared store when no worker does: a thread beside every page."""

from __future__ import annotations

import logging
import threading
import time

from melm_studio.worker.records.limits import DiskFullError
from melm_studio.worker.records.run import RunState
from melm_studio.worker.store.broker import Broker
from melm_studio.worker.store.lost_runs import LOST_AFTER_S, LostRuns
from melm_studio.worker.store.protocol import RunStore, StoreUnavailableError

LOOK_S = 1.0

logger = logging.getLogger(__name__)


class Caretaker:
    """Ends runs whose worker is gone, and calls workers again for runs that still wait.

    Several may look after one store: what they do twice does no harm.
    """

    def __init__(self, store: RunStore, broker: Broker) -> None:
        self._store, self._broker = store, broker
        self._lost = LostRuns(store, others_work=True)
        self._none_missed_s = time.monotonic()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._look_after, name="caretaker", daemon=True)

    def start(self) -> None:
        """Look about every second from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._stopping.set()
        self._thread.join()

    def look(self) -> None:
        """Do what is due."""
        self._lost.end()
        self._put_back_unstarted()
        n_uncalled = self._store.n_queued() - self._broker.n_calls()
        if n_uncalled > 0:
            self._broker.call(n_uncalled)

    def _put_back_unstarted(self) -> None:
        """Queue again what somebody claimed who ended before the run could begin.

        One that is only slow to begin may be among them; then a second worker is turned away.
        """
        waiting = [run for run in self._store.unfinished() if run.state is RunState.QUEUED]
        now = time.monotonic()
        if len(waiting) <= self._store.n_queued():
            self._none_missed_s = now
        elif now - self._none_missed_s > LOST_AFTER_S:
            for run in waiting:
                self._store.release(run.run_id)

    def _look_after(self) -> None:
        while not self._stopping.wait(LOOK_S):
            try:
                self.look()
            except (DiskFullError, StoreUnavailableError):
                logger.exception("waits for the store")
        self._store.close()

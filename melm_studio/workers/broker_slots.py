"""The tasks of a message broker, matched with the runs of a worker pool."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection

from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.protocol import RunStore


class BrokerSlots:
    """Slots between broker tasks, which wait here, and the pool, which executes runs.

    Each waiting task lets the pool claim one run. The store decides which run is next; the number
    and order of messages only indicate that there is work.
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._waiting: deque[threading.Event] = deque()
        self._taken: list[tuple[str, threading.Event]] = []
        self._is_closed = threading.Event()

    def wait(self) -> None:
        """Return when a run has ended, is paused or gave way, and there is none to claim."""
        slot = threading.Event()
        self._waiting.append(slot)
        if not self._is_closed.is_set():
            slot.wait()

    def claim(self) -> RunRecord | None:
        """Return the next run, if a task waits for one."""
        while self._waiting:
            record = self._store.claim()
            slot = self._waiting.popleft()
            if record is not None:
                self._taken.append((record.run_id, slot))
                return record
            slot.set()
        return None

    def free_except(self, working: Collection[str]) -> None:
        """Let the slots of runs that no longer use a worker wait for other runs."""
        free = [slot for run_id, slot in self._taken if run_id not in working]
        # For the next claim, since a new task may come later than a run that gave way goes on.
        self._waiting.extend(free)
        self._taken = [(run_id, slot) for run_id, slot in self._taken if run_id in working]

    def close(self) -> None:
        """Free all slots, now and later."""
        self._is_closed.set()
        for slot in [*self._waiting, *(slot for _, slot in self._taken)]:
            slot.set()

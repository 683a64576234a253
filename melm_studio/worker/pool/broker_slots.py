"""The queue of a shared store, as one of its workers sees it: each turn lets it take a run."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection

from melm_studio.worker.records.run import RunRecord
from melm_studio.worker.store.protocol import RunStore


class Turns:
    """Between the tasks of a message broker, which wait here, and a pool that works runs.

    Which run comes next is the store's choice, fair between owners; how many messages there are
    and in what order says only that there is work.
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._waiting: deque[threading.Event] = deque()
        self._taken: list[tuple[str, threading.Event]] = []
        self._are_over = threading.Event()

    def wait_for_one(self) -> None:
        """Return when a run was worked or holds still, or when none is left to work."""
        turn = threading.Event()
        self._waiting.append(turn)
        if not self._are_over.is_set():
            turn.wait()

    def take(self) -> RunRecord | None:
        """Return the next run, if anybody waits."""
        while self._waiting:
            record = self._store.claim()
            turn = self._waiting.popleft()
            if record is not None:
                self._taken.append((record.run_id, turn))
                return record
            turn.set()
        return None

    def note(self, working: Collection[str]) -> None:
        """End the turns of runs that no longer take a worker."""
        for run_id, turn in self._taken:
            if run_id not in working:
                turn.set()
        self._taken = [(run_id, turn) for run_id, turn in self._taken if not turn.is_set()]

    def end_all(self) -> None:
        """Let nobody wait any more."""
        self._are_over.set()
        for turn in [*self._waiting, *(turn for _, turn in self._taken)]:
            turn.set()

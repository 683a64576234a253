"""Execution of queued runs in this process, for tests and scripts."""

from __future__ import annotations

from melm_studio.runs.store.protocol import RunStore
from melm_studio.workers.execute import execute_run


class InlineRunner:
    """Executes queued runs one after the other in the calling thread."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    def drain(self) -> None:
        """Execute runs until the queue is empty."""
        while (record := self._store.claim_looked_at() or self._store.claim()) is not None:
            execute_run(self._store, record.run_id)

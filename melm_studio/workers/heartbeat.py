"""The heartbeat of a run that is being executed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from melm_studio.configuration.background_thread import working_beside
from melm_studio.configuration.clock import Clock
from melm_studio.configuration.limits import DiskFullError
from melm_studio.runs.store.protocol import RunStore, StoreUnavailableError

BEAT_S = 1.0


@contextmanager
def heartbeat(
    store: RunStore, run_id: str, *, clock: Clock = time, period_s: float = BEAT_S
) -> Iterator[None]:
    """Send heartbeats of the run every `period_s` seconds from a thread during the block."""

    def beat(finished: threading.Event) -> None:
        try:
            while not finished.wait(period_s):
                with suppress(DiskFullError, StoreUnavailableError):  # the next beat may succeed
                    store.beat(run_id, clock.time())
        finally:
            store.close()

    with working_beside(beat, name=f"heartbeat {run_id}"):
        yield

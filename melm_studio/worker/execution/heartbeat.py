"""The sign of life of a run that is being worked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from melm_studio.worker.records.limits import DiskFullError
from melm_studio.worker.store.protocol import RunStore, StoreUnavailableError

BEAT_S = 1.0


@contextmanager
def heartbeat(
    store: RunStore, run_id: str, *, now: Callable[[], float] = time.time, period_s: float = BEAT_S
) -> Iterator[None]:
    """Beat for the run each `period_s` seconds, from a thread, while the block runs."""
    finished = threading.Event()

    def beat() -> None:
        try:
            while not finished.wait(period_s):
                # the next beat may come through
                with suppress(DiskFullError, StoreUnavailableError):
                    store.beat(run_id, now())
        finally:
            store.close()

    thread = threading.Thread(target=beat, name=f"heartbeat {run_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()

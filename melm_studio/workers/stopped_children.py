"""A thread that kills processes which a signal has stopped."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

from melm_studio.configuration.background_thread import working_beside
from melm_studio.workers.process_state import is_stopped

POLL_S = 0.5

logger = logging.getLogger(__name__)


@contextmanager
def stopped_ones_killed(pids: Callable[[], Collection[int]]) -> Iterator[None]:
    """Kill those of the processes that are found stopped twice in a row, during the block.

    It never touches the store, whose lock a stopped process may hold.
    """

    def watch(finished: threading.Event) -> None:
        suspects: set[int] = set()
        while not finished.wait(POLL_S):
            stopped = {pid for pid in pids() if is_stopped(pid)}
            for pid in stopped & suspects:
                logger.warning("process %d is stopped, killing it", pid)
                if sys.platform != "win32":  # which stops none
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            suspects = stopped

    with working_beside(watch, name="stopped children"):
        yield

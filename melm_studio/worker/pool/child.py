"""What a child process of the supervisor does: one run."""

from __future__ import annotations

import os
import threading
from contextlib import closing
from multiprocessing import parent_process

from threadpoolctl import threadpool_limits

from melm_studio.worker.config.logs import configure_logging
from melm_studio.worker.config.settings import Settings
from melm_studio.worker.execution.execute import execute_run
from melm_studio.worker.store.open_store import open_store

# A run outlives a shared store that is away for a minute.
PATIENCE_S = 60.0
# Pages are answered first where runs want every core; alone on the machine a run is as fast.
NICENESS = 10


def work(settings: Settings, run_id: str) -> None:
    """Work the run, with one thread for linear algebra; end at once when the parent does."""
    configure_logging()
    os.nice(NICENESS)
    threading.Thread(target=_end_with_parent, name="parent watch", daemon=True).start()
    with threadpool_limits(limits=1), closing(open_store(settings, patience_s=PATIENCE_S)) as store:
        execute_run(store, run_id)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

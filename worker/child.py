"""What a child process of the supervisor does: one run."""

from __future__ import annotations

import os
import threading
from contextlib import closing
from multiprocessing import parent_process

from threadpoolctl import threadpool_limits

from worker.execute import execute_run
from worker.logs import configure_logging
from worker.store import DiskRunStore


def work(data_dir: str, run_id: str) -> None:
    """Work the run, with one thread for linear algebra; end at once when the parent does."""
    configure_logging()
    threading.Thread(target=_end_with_parent, name="parent watch", daemon=True).start()
    with threadpool_limits(limits=1), closing(DiskRunStore(data_dir)) as store:
        execute_run(store, run_id)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

"""The child process of the pool that executes one run."""

from __future__ import annotations

import os
import threading
from contextlib import closing
from multiprocessing import parent_process

from threadpoolctl import threadpool_limits

from melm_studio.configuration.logs import configure_logging
from melm_studio.configuration.memory_limit import limit_memory
from melm_studio.configuration.settings import Settings
from melm_studio.operator_tables.all_rows import RegisteredTables
from melm_studio.runs.store.open_store import open_store
from melm_studio.workers.execute import execute_run

# A run survives an outage of a shared store of up to a minute.
PATIENCE_S = 60.0


def execute(settings: Settings, run_id: str) -> None:
    """Execute the run with one thread for linear algebra; exit at once when the parent does."""
    configure_logging()
    limit_memory(settings.max_run_mb)
    threading.Thread(target=_exit_with_parent, name="parent watchdog", daemon=True).start()
    with threadpool_limits(limits=1), closing(open_store(settings, patience_s=PATIENCE_S)) as store:
        tables = RegisteredTables(settings.tables, settings.dask)
        execute_run(store, run_id, tables=tables, follow_s=settings.answer_seconds)


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

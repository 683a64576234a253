"""The pool in a thread of the web process, where no supervisor process can be watched: Windows."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing import Pipe

from melm_studio.configuration.settings import Settings
from melm_studio.operator_tables.process import tables_kept
from melm_studio.runs.store.open_store import open_store
from melm_studio.workers.pool import WorkerPool


class _Stop:
    """The stop signal of a thread."""

    def __init__(self) -> None:
        self._reader, self._writer = Pipe(duplex=False)

    def fileno(self) -> int:
        """Return what becomes readable once it is set."""
        return self._reader.fileno()

    def is_set(self) -> bool:
        """Return whether to stop."""
        return self._reader.poll()

    def set(self) -> None:
        """Stop the pool."""
        self._writer.send_bytes(b"stop")

    def close(self) -> None:
        """Close both ends."""
        self._reader.close()
        self._writer.close()


@contextmanager
def pool_in_this_process(settings: Settings) -> Iterator[None]:
    """Work the queue in child processes for the block."""
    with closing(_Stop()) as stop:
        thread = threading.Thread(target=_serve, args=(settings, stop), name="worker pool")
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def _serve(settings: Settings, stop: _Stop) -> None:
    with closing(open_store(settings)) as store, tables_kept(settings):
        WorkerPool(store, settings).serve(stop)

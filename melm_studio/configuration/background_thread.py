"""A thread that works beside a block, and ends with it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def working_beside(work: Callable[[threading.Event], None], *, name: str) -> Iterator[None]:
    """Let a thread work during the block; it returns once the event that it gets is set."""
    finished = threading.Event()
    thread = threading.Thread(target=work, args=(finished,), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()

"""Fixtures of the worker's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from worker.store import DiskRunStore, RunStore

# A further back end joins every test of the contract by a line here: a name, and how to open a
# store that keeps its content in or under the name of a folder.
BACK_ENDS: dict[str, Callable[[Path], RunStore]] = {
    "disk": DiskRunStore,
}


@pytest.fixture(params=BACK_ENDS)
def open_store(request, tmp_path) -> Iterator[Callable[[], RunStore]]:
    """Open the same store once more, as another process would."""
    opened: list[RunStore] = []

    def open_again() -> RunStore:
        opened.append(BACK_ENDS[request.param](tmp_path))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store) -> RunStore:
    return open_store()

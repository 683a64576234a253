"""What all tests share."""

from __future__ import annotations

import gc

import pytest
import scipy.linalg  # noqa: F401 - loads the libraries whose threads are limited below
import sklearn.cluster  # noqa: F401
from hypothesis import settings
from threadpoolctl import threadpool_limits

# As in a worker: threads that wait for each other slow small problems tenfold and more.
threadpool_limits(1)

# The same examples in every run, so that a failure belongs to the change at hand, and no deadline:
# a busy machine is not a failure.
settings.register_profile("studio", deadline=None, derandomize=True)
settings.load_profile("studio")


# What takes minutes on a quiet machine may take half an hour on a busy one.
SLOW_S = 1800


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let slow tests take their time, and those of the page come last.

    Their browser and their studio stay until the end.
    """
    items.sort(key=lambda item: "browser" in item.path.parts)
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(SLOW_S))


def pytest_collectstart() -> None:
    """Look for no garbage while modules are imported and tests collected, which all stay."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what imports and collection made out of later garbage collections, as a studio does."""
    gc.collect()
    gc.freeze()
    # A full collection follows whenever a quarter more is there than the little that is not frozen.
    gc.set_threshold(20_000)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Leave out what a file of tests has made, too: every printed figure looks for garbage."""
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()

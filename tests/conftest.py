"""What all tests share."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
import scipy.linalg  # noqa: F401 - loads the libraries whose threads are limited below
import sklearn.cluster  # noqa: F401
from hypothesis import settings
from threadpoolctl import threadpool_limits
from xdist.scheduler import LoadFileScheduling

# As in a worker: threads that wait for each other slow small problems tenfold and more.
threadpool_limits(1)

# The same examples in every run, so that a failure belongs to the change at hand, and no deadline:
# a busy machine is not a failure.
settings.register_profile("studio", deadline=None, derandomize=True)
settings.load_profile("studio")


HERE = Path(__file__).parent
# What takes minutes on a quiet machine may take half an hour on a busy one.
SLOW_S = 1800


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests of the page begin first, then those of whole studios and wheels.

    They mostly wait, or wait for one long step: at the end, other processes would have nothing
    left to do beside them.
    """
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(SLOW_S))
    items.sort(key=lambda item: ("browser" not in item.path.parts, item.path.parent != HERE))


class _Together(LoadFileScheduling):
    """A file is tested in one process, and so are all of the page: each has a browser to start."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "tests/browser" if file.startswith("tests/browser/") else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config) -> LoadFileScheduling | None:
    """Keep tests of the page together where files are."""
    return _Together(config) if config.getvalue("dist") == "loadfile" else None


def pytest_collectstart() -> None:
    """Look for no garbage while modules are imported and tests collected, which all stay."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what imports and collection made out of later garbage collections, as a studio does."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Leave out what a file of tests has made, too: every printed figure looks for garbage."""
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()

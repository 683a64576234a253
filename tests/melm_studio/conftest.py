"""Fixtures of the worker's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from melm_studio.configuration.limits import Limits
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.runs.store.protocol import RunStore
from tests.melm_studio.runs.helpers import started
from tests.melm_studio.runs.redis_server import RedisServer, running_redis

STORES, WORKERS = Path(__file__).parent / "runs/store", Path(__file__).parent / "workers"

# A further back end joins every test of the contract by a line here: a name, and how to open a
# store of some limits that keeps its content in or under the name of a folder.
BACK_ENDS: dict[str, Callable[[pytest.FixtureRequest, Path, Limits], RunStore]] = {
    "disk": lambda _, folder, limits: DiskRunStore(folder, limits),
    "redis": lambda request, folder, limits: _redis_of(request).store(str(folder), limits),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what uses a store on Redis to the slow tests: that it is one, those of stores show."""
    for item in items:
        given = getattr(item, "callspec", None)
        is_on_redis = given is not None and given.params.get("open_store") == "redis"
        is_of_stores = item.path.is_relative_to(STORES) or item.path.is_relative_to(WORKERS)
        if is_on_redis and not is_of_stores:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory) -> Iterator[RedisServer]:
    """One server for all tests of the session; each uses a prefix of its own."""
    with running_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(params=BACK_ENDS)
def open_store(request, tmp_path) -> Iterator[Callable[..., RunStore]]:
    """Open the same store once more, as another process would, with its own limits if asked."""
    opened: list[RunStore] = []

    def open_again(**limits: int) -> RunStore:
        opened.append(BACK_ENDS[request.param](request, tmp_path, Limits(**limits)))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store) -> RunStore:
    return open_store()


@pytest.fixture
def run_id(store) -> str:
    """The id of a running run."""
    return started(store).run_id


@pytest.fixture
def disk_store(tmp_path) -> Iterator[DiskRunStore]:
    with closing(DiskRunStore(tmp_path)) as store:
        yield store


def _redis_of(request: pytest.FixtureRequest) -> RedisServer:
    # asked for where it is needed, so that tests of the disk run without a server
    return request.getfixturevalue("redis_server")

"""A studio in a folder of its own, and somebody who visits it."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator

import brotli
import pytest
from werkzeug.test import TestResponse

from lab.driver.visitor import Studio, Visitor, opened_studio


@pytest.fixture(scope="session", autouse=True)
def short_checks() -> Iterator[None]:
    """A check of few shuffles and resamples says all that one of many does, but for a smaller p."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 19)
        patch.setattr("melm_studio.analyses.check.N_RESAMPLES", 3)
        yield


@pytest.fixture(scope="session")
def one_studio(tmp_path_factory) -> Iterator[Studio]:
    """Made once, as its page and its 150 routes take a while."""
    with opened_studio(tmp_path_factory.mktemp("studio")) as studio:
        yield studio


@pytest.fixture(scope="module")
def studio(one_studio) -> Iterator[Studio]:
    """For all tests of a module: each has a visitor of its own, whom no other sees."""
    yield one_studio
    store = one_studio.store
    for owner in store.owners():
        for run in store.runs_of(owner):
            store.delete(run.run_id)


@pytest.fixture
def decoded() -> Callable[[TestResponse], str]:
    """The text of an answer in any content encoding."""
    decoders = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}
    return lambda answer: decoders[answer.headers.get("Content-Encoding")](answer.data).decode()


@pytest.fixture
def visitor(studio) -> Visitor:
    return studio.visitor()


@pytest.fixture
def ready(visitor) -> Visitor:
    """A visitor who has chosen data."""
    visitor.choose_sample("iris")
    return visitor

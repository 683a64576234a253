"""While another program keeps the database locked, requests are put off in time and in words."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from app import create_app
from lab.driver.visitor import Studio, shared_reader
from melm_studio.configuration.settings import Settings
from melm_studio.runs.store import open_store

WORDS = "Another program keeps the database of the studio locked."
# More than the patience of a page, less than that of a run.
IN_TIME_S = 30.0


@pytest.fixture
def studio(tmp_path, monkeypatch):
    assert open_store.LOCKED_S == 2.0
    monkeypatch.setattr(open_store, "LOCKED_S", 0.2)
    settings = Settings(data_dir=tmp_path)
    with closing(open_store.open_store_of_page(settings)) as store:
        yield Studio(create_app(settings, store, shared_reader()), store)


@pytest.fixture
def locked(tmp_path):
    """Another program that has begun to write and does not end."""
    (file,) = tmp_path.rglob("cache.db")
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        yield lambda: other.execute("BEGIN IMMEDIATE")


def answered(ask):
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(ask).result(IN_TIME_S)


@pytest.mark.fault
def test_what_would_write_is_refused_in_time_and_the_rest_goes_on(studio, locked):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    locked()
    for ask in (
        lambda: visitor.http.post(f"/runs/{run}/rename", json={"name": "mine"}),
        lambda: visitor.http.post("/api/v1/tokens"),
        lambda: visitor.send(b"a,b\n1,x\n2,y\n", "t.csv"),
        lambda: visitor.http.post(f"/runs/{run}/stop", json={}),
    ):
        answer = answered(ask)
        assert answer.status_code == 503
        assert answer.json["error"].startswith(WORDS)
    ready = answered(lambda: visitor.http.get("/ready"))
    assert (ready.status_code, WORDS in ready.text) == (503, True)
    assert answered(lambda: visitor.http.get("/health")).status_code == 200
    assert list(answered(lambda: visitor.frames(run))["runs"]) == [run]

"""While the store does not answer, visitors read so."""

from __future__ import annotations

import pytest

from lab.driver.visitor import opened_studio
from melm_studio.runs.store.protocol import StoreUnavailableError


def refuse(*_, **__):
    raise StoreUnavailableError


@pytest.fixture
def visitor(studio, monkeypatch):
    visitor = studio.visitor()
    for method in ("runs_of", "put_file", "probe", "marked_s", "n_queued"):
        monkeypatch.setattr(studio.store, method, refuse)
    return visitor


@pytest.mark.fault
def test_the_loop_and_an_upload_are_put_off_with_a_sentence(visitor):
    for answer in (visitor.http.get("/frames"), visitor.send(b"a,b\n1,x\n2,y\n", "t.csv")):
        assert answer.status_code == 503
        assert "cannot reach its storage of runs" in answer.json["words"]
        assert answer.json["words"] == answer.json["error"]


def test_the_studio_is_not_ready_but_lives(visitor):
    assert visitor.http.get("/ready").status_code == 503
    assert visitor.http.get("/health").status_code == 200


@pytest.mark.fault
def test_a_database_that_is_damaged_at_work_is_told_with_503_and_a_sentence(tmp_path):
    with opened_studio(tmp_path) as studio:
        visitor = studio.visitor()
        studio.store.close()
        for file in tmp_path.rglob("cache.db*"):
            file.write_bytes(b"damaged" * 1_000)
        for answer in (visitor.http.get("/frames"), visitor.send(b"a,b\n1,x\n2,y\n", "t.csv")):
            assert answer.status_code == 503
            assert "database of the studio is damaged" in answer.json["words"]
        assert visitor.http.get("/ready").status_code == 503
        assert visitor.http.get("/health").status_code == 200

"""A file that takes long keeps nobody waiting: not its visitor's requests, not those of others."""

from __future__ import annotations

import threading

import pytest

from callbacks.guards.error_answers import REPEAT_AFTER_S
from lab.driver.visitor import shared_reader
from melm_studio.layout import ids
from melm_studio.reading import Readings
from melm_studio.reading.readings import current_reading
from melm_studio.workspace import data_source
from melm_studio.workspace.project import files
from melm_studio.workspace.stories import INCLUDED_STORIES

SMALL = b"x,y,class\n1,2,a\n4,5,b\n7,8,a\n5,5,b\n"
read_table_apart = data_source.read_table_apart


def read_without_an_end(*arguments, **options):
    """Read a file; one that is named slow, until somebody ends it."""
    if arguments[2].startswith("slow"):
        is_over = threading.Event()
        current_reading().ends_by(is_over.set)
        is_over.wait()
        raise InterruptedError
    return read_table_apart(*arguments, **options)


@pytest.fixture(autouse=True)
def readings(monkeypatch):
    found = Readings(patience_s=0.01, first_s=600.0), Readings(patience_s=0.01, most_kept=0)
    monkeypatch.setattr(data_source, "read_table_apart", read_without_an_end)
    for name, own in zip(("readings", "preparations"), found, strict=True):
        monkeypatch.setattr(shared_reader(), name, own)
    yield
    for own in found:
        at_work = list(own._readings.values())  # noqa: SLF001
        own._readings.clear()  # noqa: SLF001 - so that none begins anew
        for reading in at_work:
            reading.end()


def choose(visitor, raw, name):
    source = {"kind": "upload", **visitor.upload(raw, name), "label": None, "standardize": True}
    return visitor.post(ids.CHOICE, "data", source)


@pytest.mark.attack
def test_eight_files_of_a_visitor_keep_neither_their_requests_nor_those_of_others(studio, visitor):
    for number in range(8):
        answer = choose(visitor, b"%d" % number + SMALL, f"slow {number}.csv")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, str(REPEAT_AFTER_S))
        assert answer.json["words"].startswith("The file ")
    for address in ("/health", "/frames"):
        assert visitor.http.get(address).status_code == 200
    other = studio.visitor()
    answer = choose(other, SMALL, "small.csv")
    while answer.status_code == 503:  # as the page repeats it
        answer = choose(other, SMALL, "small.csv")
    assert answer.status_code == 200
    assert answer.json["response"][ids.DATA_NAME]["children"]


@pytest.mark.attack
def test_projects_that_take_long_keep_no_thread_either(studio, visitor, monkeypatch):
    is_over = threading.Event()

    def without_an_end(*_):
        assert is_over.wait(60.0)
        raise InterruptedError

    monkeypatch.setattr(files, "open_project", without_an_end)
    for number in range(8):
        answer = visitor.http.post("/project", json=visitor.upload(b"%d" % number, "a.melm"))
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, str(REPEAT_AFTER_S))
    other = studio.visitor().http.post(f"/stories/{next(iter(INCLUDED_STORIES))}", json={})
    assert other.status_code == 503
    is_over.set()


def test_no_more_files_wait_than_are_told_when_to_come_again(visitor, monkeypatch):
    monkeypatch.setattr("melm_studio.reading.readings.MOST_WAITING_OF_VISITOR", 1)
    for number in range(2):
        choose(visitor, b"%d" % number + SMALL, "slow.csv")
    answer = choose(visitor, SMALL, "slow.csv")
    assert answer.status_code == 503
    assert "Too many files" in answer.json["words"]
    assert int(answer.headers["Retry-After"]) > REPEAT_AFTER_S

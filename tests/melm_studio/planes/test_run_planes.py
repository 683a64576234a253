"""Runs on the same rows share them, and the data of a run are its own."""

from __future__ import annotations

import threading

import pytest

from melm_core.methods import GAMMA
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.run_planes import DataGoneError, RunPlanes
from melm_studio.runs.records.stored_files import FileKind
from tests.melm_studio.runs.helpers import blobs, queue_run, run_of

DATA = blobs()


@pytest.fixture
def planes(store):
    return RunPlanes(store)


def test_the_data_of_a_run_are_those_that_were_put(store, planes):
    record = queue_run(store, DATA, "pca")
    assert planes.data(record).content_hash == DATA.content_hash


def test_runs_that_differ_in_the_method_only_share_what_draws_them(store, planes):
    default = {"gamma": GAMMA.default}
    first, second = (queue_run(store, DATA, method, **default) for method in ("pca", "lda"))
    assert planes.viewer(first) is planes.viewer(second)


@pytest.mark.parametrize("change", [{"gamma": 2.0}, {"held_out": 0.2}, {"random_state": 9}])
def test_runs_that_are_drawn_differently_share_nothing(store, planes, change):
    first, second = queue_run(store, DATA), queue_run(store, DATA, **change)
    assert planes.viewer(first) is not planes.viewer(second)


def test_data_that_are_gone_are_named(store, planes):
    record = run_of(data_id="gone")
    for draw in (planes.data, planes.viewer):
        with pytest.raises(DataGoneError, match="gone"):
            draw(record)


def test_data_of_another_owner_are_gone_too(store, planes):
    store.put_file("bob", FileKind.DATA, DATA.content_hash, DATA.to_bytes())
    with pytest.raises(DataGoneError):
        planes.viewer(run_of("ada", DATA.content_hash))


def test_requests_at_once_prepare_the_rows_once(store, planes, monkeypatch):
    record = queue_run(store, DATA, "pca")
    n_at_once, started = 4, threading.Barrier(4)
    prepared = []
    prepare = PlaneViewer.__init__

    def note(self, *arguments):
        prepared.append(arguments)
        prepare(self, *arguments)

    def request() -> None:
        started.wait()
        planes.viewer(record)

    monkeypatch.setattr(PlaneViewer, "__init__", note)
    threads = [threading.Thread(target=request) for _ in range(n_at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(prepared) == 1


def test_runs_that_differ_in_gamma_alone_share_their_rows(store, planes, monkeypatch):
    one, other = (queue_run(store, DATA, "pca", gamma=gamma) for gamma in (0.5, 2.0))
    first = planes.viewer(one)
    monkeypatch.setattr(PlaneViewer, "__init__", None)
    assert (first.gamma, planes.viewer(other).gamma) == (0.5, 2.0)


def test_the_questions_of_a_table_are_read_once(store, planes, monkeypatch):
    record = queue_run(store, DATA, "pca")
    assert planes.questions(record) == DATA.questions
    monkeypatch.setattr(planes, "data", lambda _: pytest.fail("The data are read again."))
    assert planes.questions(record) == DATA.questions

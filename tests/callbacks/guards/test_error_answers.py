"""What is more than the studio takes on gets a sentence where it was asked, and nothing is lost."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np
import pytest

from lab.driver.visitor import opened_studio
from melm_studio.configuration.limits import DiskFullError
from melm_studio.layout import ids
from melm_studio.runs.records.run import RunState
from tests.melm_studio.runs.store.full_disk import FullDisk

RUN_ERROR, DATA_ERROR = f"{ids.RUN_ERROR}.children", f"{ids.DATA_ERROR}.children"
FULL = "The disk of the studio is full"


@pytest.fixture
def visitor_of(tmp_path):
    """A visitor, with data chosen, of a studio of its own with some limits."""
    with ExitStack() as opened:

        def open_one(**limits):
            studio = opened.enter_context(opened_studio(tmp_path, **limits))
            visitor = studio.visitor()
            visitor.choose_sample("iris")
            return studio, visitor

        yield open_one


def csv(n_rows=40, seed=0):
    numbers = np.random.default_rng(seed).normal(size=(n_rows, 2))
    rows = [f"{x:.6f},{y:.6f},{'ab'[i % 2]}" for i, (x, y) in enumerate(numbers)]
    return "\n".join(["x,y,label", *rows]).encode()


def test_a_run_beyond_the_queue_is_refused_where_it_was_asked(visitor_of):
    studio, visitor = visitor_of(max_queued_runs=1)
    visitor.start(method="pca")
    changes = visitor.press_run(method="pca")
    assert list(changes) == [RUN_ERROR]
    assert changes[RUN_ERROR].startswith("The queue is full: at most 1 run")
    studio.work()
    assert visitor.press_run(method="pca")[RUN_ERROR] is None


def test_a_run_beyond_the_visitor_s_own_is_refused_where_it_was_asked(visitor_of):
    studio, visitor = visitor_of(max_session_runs=1)
    visitor.start(method="pca")
    assert visitor.press_run(method="pca")[RUN_ERROR].startswith("You have 1 run already")
    stranger = studio.visitor()
    stranger.choose_sample("iris")
    assert stranger.press_run(method="pca")[RUN_ERROR] is None


@pytest.mark.parametrize("path", ["analyses/check", "planes/0/refine?gamma=1"])
def test_a_run_that_a_panel_asks_for_is_refused_in_words(visitor_of, path):
    studio, visitor = visitor_of(max_session_runs=1)
    run = visitor.start(method="pca")
    studio.work()
    answer = visitor.http.post(f"/runs/{run}/{path}")
    assert answer.status_code == 409
    assert answer.json["words"].startswith("You have 1 run already")


def test_an_upload_beyond_the_visitor_s_room_is_refused_with_the_way_out(visitor_of):
    _, visitor = visitor_of(max_session_mb=1)
    answer = visitor.send(bytes(2 * 2**20), "big.csv")
    assert answer.status_code == 409
    assert answer.json["error"].startswith("This needs 2.0 MB")


@pytest.mark.fault
def test_on_a_full_disk_an_upload_and_a_run_get_a_sentence_and_work_later(visitor_of, monkeypatch):
    disk = FullDisk(monkeypatch)
    studio, visitor = visitor_of()
    kept = visitor.start(method="pca")
    disk.fill(studio.store)
    answer = visitor.send(csv(4_000), "table.csv")
    assert answer.status_code == 507
    assert answer.json["error"].startswith(FULL)
    assert visitor.frames(kept)["runs"][kept]["state"] == RunState.QUEUED
    disk.free(studio.store)
    assert visitor.choose_file(csv(4_000))[DATA_ERROR] is None
    assert visitor.press_run(method="pca")[RUN_ERROR] is None
    studio.work()
    assert studio.store.get(kept).state is RunState.DONE


@pytest.mark.fault
def test_on_a_full_disk_a_new_visitor_gets_the_page(visitor_of, monkeypatch):
    disk = FullDisk(monkeypatch)
    studio, _ = visitor_of()
    disk.fill(studio.store)
    answer = studio.app.server.test_client().get("/")
    assert (answer.status_code, answer.mimetype) == (200, "text/html")


def test_on_a_full_disk_data_and_a_run_say_so_where_they_were_asked(visitor_of, monkeypatch):
    disk = FullDisk(monkeypatch)
    studio, visitor = visitor_of()
    sent = visitor.upload(csv(4_000))
    disk.fill(studio.store)
    changes = visitor.choose({"kind": "upload", **sent})
    assert list(changes) == [DATA_ERROR]
    assert changes[DATA_ERROR].startswith(f"table.csv: {FULL}")


def refuse(run_id, **changes):
    raise DiskFullError


def test_a_run_can_be_removed_from_a_full_disk(visitor_of, monkeypatch):
    studio, visitor = visitor_of()
    run = visitor.start(method="pca")
    visitor.panels()
    monkeypatch.setattr(studio.store, "annotate", refuse)
    assert visitor.http.post(f"/runs/{run}/remove", json={}).status_code == 200
    assert studio.store.get(run) is None


def test_a_button_that_finds_no_room_answers_a_sentence_and_no_traceback(visitor_of, monkeypatch):
    studio, visitor = visitor_of()
    run = visitor.start(method="pca")
    visitor.panels()
    monkeypatch.setattr(studio.store, "annotate", refuse)
    monkeypatch.setattr(studio.store, "delete", refuse)
    answer = visitor.http.post(f"/runs/{run}/remove", json={})
    assert answer.status_code == 507
    assert answer.json["words"].startswith(FULL)


def test_what_was_removed_makes_room_for_a_new_run(visitor_of):
    studio, visitor = visitor_of(max_session_runs=1)
    run = visitor.start(method="pca")
    studio.work()
    visitor.command(run, "remove")
    assert visitor.press_run(method="lda")[RUN_ERROR] is None
    assert studio.store.get(run) is None


def test_an_error_of_the_studio_is_a_sentence_and_its_traceback_is_in_the_log(
    visitor_of, monkeypatch, caplog
):
    studio, visitor = visitor_of()

    def fails(*_):
        raise KeyError("a fault")

    monkeypatch.setattr(type(studio.store), "runs_of", fails)
    answer = visitor.http.get("/frames?run=x")
    assert answer.status_code == 500
    assert answer.json["words"].startswith("The studio made an error")
    assert "a fault" not in answer.text
    assert "a fault" in caplog.text

"""What follows a run by itself."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from melm_studio.configuration.limits import LimitReachedError
from melm_studio.runs.records.refits_report import refits_id
from melm_studio.runs.records.run import RunState
from melm_studio.tables import Question, Reading
from melm_studio.workers.execute import execute_run, follow
from tests.melm_studio.runs.helpers import blobs, queue_run

DATA = blobs(n_rows=60)
SECONDS = 60.0
QUICK_S = 0.1
PLENTY_S = 3600.0  # with any processor


@pytest.fixture
def store(disk_store):
    return disk_store


def run_on_page(store, method="lda", seconds=PLENTY_S, **parameters):
    """A run of the page that was executed, with all that follows it."""
    fit = queue_run(store, DATA, method, **parameters)
    store.change(fit.run_id, lambda record, request: (replace(record, from_page=True), request))
    while (record := store.claim_looked_at() or store.claim()) is not None:
        execute_run(store, record.run_id, follow_s=seconds)
    return store.get(fit.run_id)


def kinds(store, fit):
    return [run.kind for run in store.runs_of(fit.owner)]


@pytest.fixture(autouse=True)
def few_shuffles(monkeypatch):
    monkeypatch.setattr("melm_studio.analyses.check.N_PERMUTATIONS", 3)


@pytest.mark.slow
def test_folds_and_then_shuffles_follow_a_run_of_the_page_once(store):
    fit = run_on_page(store)
    assert kinds(store, fit) == ["fit", "refits", "check"]
    assert all(run.state is RunState.DONE for run in store.runs_of(fit.owner))
    follow(store, fit, QUICK_S, PLENTY_S)
    assert kinds(store, fit) == ["fit", "refits", "check"]


def test_a_run_that_waited_or_shared_its_processor_is_followed_as_any_other(store):
    """As by the clock it took an hour."""
    fit = run_on_page(store, seconds=0.0)
    follow(store, replace(fit, started_s=fit.finished_s - 3600.0), QUICK_S, SECONDS)
    assert kinds(store, fit) == ["fit", "refits"]


def test_nothing_follows_where_nothing_may_nor_a_run_of_a_program(store):
    assert kinds(store, run_on_page(store, seconds=0.0)) == ["fit"]
    program = queue_run(store, DATA, "pca", owner="grace")
    execute_run(store, program.run_id, follow_s=SECONDS)
    assert kinds(store, program) == ["fit"]


def test_shuffles_alone_follow_a_run_whose_plane_holds_rows_out(store):
    fit = run_on_page(store, held_out=0.25)
    assert kinds(store, fit) == ["fit", "check"]
    store.delete(store.runs_of(fit.owner)[1].run_id)
    follow(store, fit, 7.0, SECONDS)
    assert kinds(store, fit) == ["fit"]


def test_where_rows_may_depend_on_each_other_the_refits_of_every_reading_count(store, monkeypatch):
    """Ten folds take 50 of 60 s, and those of a reading as long."""
    monkeypatch.setattr("melm_studio.workers.execute.N_PERMUTATIONS", 0)
    fit = run_on_page(store, seconds=0.0, held_out=0.25)
    question = Question("doubles", "Are they repeats?", (), default="each-way")
    reading = Reading(question, "together", DATA, "nearly equal rows")
    monkeypatch.setattr("melm_studio.workers.execute.readings", lambda data: (reading,))
    monkeypatch.setattr("melm_studio.workers.execute.shuffles_of_each", lambda *_: 0)
    follow(store, fit, 2.0, SECONDS)
    assert kinds(store, fit) == ["fit", "check"]
    store.delete(store.runs_of(fit.owner)[1].run_id)
    follow(store, fit, 5.0, SECONDS)
    assert kinds(store, fit) == ["fit"]


def test_what_is_likely_to_take_longer_does_not_follow(store):
    fit = run_on_page(store, seconds=0.0)
    follow(store, fit, 7.0, SECONDS)  # ten folds: 70 s
    assert kinds(store, fit) == ["fit"]


@pytest.mark.slow
def test_shuffles_do_not_follow_where_they_would_take_long(store, monkeypatch):
    monkeypatch.setattr("melm_studio.workers.execute.N_PERMUTATIONS", 10**9)
    assert kinds(store, run_on_page(store)) == ["fit", "refits"]


def test_a_run_that_was_removed_or_stopped_is_not_followed(store):
    fit = run_on_page(store, seconds=0.0)
    follow(store, replace(fit, state=RunState.CANCELLED), QUICK_S, SECONDS)
    follow(store, replace(fit, removed_s=1.0), QUICK_S, SECONDS)
    assert kinds(store, fit) == ["fit"]


def test_where_there_is_no_room_nothing_follows_and_nothing_fails(store, monkeypatch):
    fit = run_on_page(store, seconds=0.0)

    def full(*_, **__):
        raise LimitReachedError("full")

    monkeypatch.setattr(store, "create", full)
    follow(store, fit, QUICK_S, SECONDS)
    assert store.get(refits_id(fit.run_id)) is None

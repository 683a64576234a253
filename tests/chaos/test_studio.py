"""The whole studio is killed in several ways, and nothing is lost."""

from __future__ import annotations

import signal

import pytest

from lab.driver.visitor import opened_studio
from melm_studio.configuration.messages import OTHER_VERSION
from melm_studio.programs.local_studio import free_port
from melm_studio.runs.records.run import RunRecord, RunState
from tests.chaos.studio_process import studio_process
from tests.melm_studio.runs.helpers import assert_same_plane, wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def port():
    return free_port()


@pytest.fixture
def beside(tmp_path):
    """The same store and cookies, opened in the process of the test."""
    with opened_studio(tmp_path) as studio:
        yield studio


def with_two_runs(beside):
    """A visitor with an endless run, and a queued one behind it."""
    visitor = beside.visitor()
    visitor.choose_sample("wine")
    working = visitor.start(n_init=100)
    wait_until(lambda: beside.store.n_events(working) > 3)
    return visitor, working, visitor.start(method="pca")


@pytest.mark.fault
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_after_any_end_no_process_is_left_and_a_restart_knows_every_run(
    beside, tmp_path, port, ending
):
    with studio_process(tmp_path, port) as studio:
        visitor, working, waiting = with_two_runs(beside)
        code = studio.end(ending)
        assert code == (-signal.SIGKILL if ending is signal.SIGKILL else 0)
    cut_short = wait_until(lambda: (run := beside.store.get(working)).attempt and run)
    assert (cut_short.state, cut_short.n_losses) == (RunState.QUEUED, 0)
    assert beside.store.last_event(working).is_final
    with studio_process(tmp_path, port) as studio:
        wait_until(lambda: studio.frames(working, visitor)["state"] == RunState.RUNNING)
        news = studio.frames(working, visitor)
        n_events = beside.store.n_events(working)
        assert news["sequences"] == list(range(len(news["sequences"])))
        assert 0 < len(news["sequences"]) <= n_events
        visitor.command(working, "stop")
        wait_until(lambda: studio.frames(waiting, visitor)["state"] == RunState.DONE)


@pytest.mark.fault
def test_a_run_at_work_goes_on_with_its_planes_in_a_replaced_studio_whatever_else_it_left(
    beside, tmp_path, port, monkeypatch
):
    with studio_process(tmp_path, port) as studio:
        visitor, working, waiting = with_two_runs(beside)
        assert studio.end(signal.SIGTERM) == 0
    planes = [event.objective for event in beside.store.events(working)]
    as_now = RunRecord.to_bytes
    with monkeypatch.context() as later:  # a version with other methods left this in the queue
        later.setattr(
            RunRecord, "to_bytes", lambda run: as_now(run).replace(b'"pca"', b'"quantum"')
        )
        beside.store.annotate(waiting)
    with studio_process(tmp_path, port) as studio:
        wait_until(lambda: beside.store.n_events(working) > len(planes))
        events = beside.store.events(working)
        assert [event.objective for event in events][: len(planes)] == planes
        assert studio.frames(waiting, visitor)["words"] == OTHER_VERSION
        visitor.command(waiting, "remove")
        visitor.command(working, "stop")
        last = visitor.start(method="lda")
        wait_until(lambda: beside.store.get(last).state is RunState.DONE)


@pytest.mark.fault
def test_a_run_that_was_cut_short_ends_with_the_plane_of_an_uninterrupted_one(
    beside, tmp_path, port
):
    with studio_process(tmp_path, port) as studio:
        visitor = beside.visitor()
        visitor.choose_sample("wine")
        run, whole = visitor.start(n_init=30), visitor.start(n_init=30, name="again")
        wait_until(lambda: beside.store.n_events(run) > 3)
        studio.end(signal.SIGKILL)
    with studio_process(tmp_path, port):
        for each in (run, whole):
            wait_until(lambda each=each: beside.store.get(each).state is RunState.DONE)
    ends = [beside.store.last_event(each) for each in (run, whole)]
    assert ends[0].objective == ends[1].objective
    assert_same_plane(*(end.components for end in ends))

"""The whole studio is killed in several ways, and nothing is lost."""

from __future__ import annotations

import signal

import pytest

from melm_studio.programs.local_studio import free_port
from melm_studio.worker.config.messages import STUDIO_STOPPED
from melm_studio.worker.records.run import RunState
from tests.chaos.studio_process import studio_process
from tests.melm_studio.worker.helpers import wait_until
from tools.driver.visitor import opened_studio

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


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_after_any_end_no_process_is_left_and_a_restart_knows_every_run(
    beside, tmp_path, port, ending
):
    with studio_process(tmp_path, port) as studio:
        visitor, working, waiting = with_two_runs(beside)
        code = studio.end(ending)
        assert code == (-signal.SIGKILL if ending is signal.SIGKILL else 0)
    lost = wait_until(lambda: (run := beside.store.get(working)).state.is_final and run)
    assert (lost.state, lost.message) == (RunState.LOST, STUDIO_STOPPED)
    assert beside.store.last_event(working).is_final
    with studio_process(tmp_path, port) as studio:
        wait_until(lambda: studio.frames(waiting, visitor.cookie)["state"] == RunState.DONE)
        news = studio.frames(working, visitor.cookie)
        assert (news["state"], news["words"]) == (RunState.LOST, STUDIO_STOPPED)
        assert news["sequences"] == list(range(beside.store.n_events(working)))


def test_a_run_that_was_lost_continues_in_its_place(beside, tmp_path, port):
    with studio_process(tmp_path, port) as studio:
        visitor, working, _ = with_two_runs(beside)
        studio.end(signal.SIGKILL)
    with studio_process(tmp_path, port):
        wait_until(lambda: beside.store.get(working).state.is_final)
        best = beside.store.last_event(working).objective
        assert visitor.http.post(f"/runs/{working}/continue").status_code == 200
        wait_until(lambda: beside.store.get(working).state is RunState.DONE)
        assert beside.store.last_event(working).objective >= best - 1e-9

"""A fit waits while its run is paused."""

from __future__ import annotations

from collections import deque

import pytest

from melm_studio.runs.records.request import Command, RunRequest
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.protocol import RunEndedError
from melm_studio.workers.pause import POLL_S, PausePoint
from tests.melm_studio.runs.helpers import ManualClock


class Script(ManualClock):
    """A clock; each sleep does the next thing that a user would do meanwhile."""

    def __init__(self, *actions):
        super().__init__()
        self.actions = deque(actions)

    def sleep(self, seconds):
        super().sleep(seconds)
        if self.actions:
            self.actions.popleft()()


def idle():
    """Let a poll pass."""


def state(store, run_id):
    return store.get(run_id).state


def test_a_run_that_is_not_paused_does_not_wait(store, run_id):
    clock = Script()
    point = PausePoint(store, run_id, clock)
    assert point.passed().command is Command.GO
    assert (clock.now_s, point.waited_s, point.is_held) == (0.0, 0.0, False)


def test_a_paused_run_waits_until_it_may_go_on_and_counts_the_time(store, run_id):
    seen = []
    clock = Script(
        idle,
        lambda: seen.append(state(store, run_id)),
        lambda: store.update_request(run_id, RunRequest.resumed),
    )
    point = PausePoint(store, run_id, clock)
    store.update_request(run_id, RunRequest.paused)
    assert point.passed().command is Command.GO
    assert seen == [RunState.PAUSED]
    assert state(store, run_id) is RunState.RUNNING
    assert point.waited_s == pytest.approx(3 * POLL_S)


def test_every_step_lets_one_plane_pass_and_the_run_stays_paused(store, run_id):
    clock = Script(
        lambda: store.update_request(run_id, RunRequest.stepped),
        lambda: store.update_request(run_id, RunRequest.resumed),
    )
    point = PausePoint(store, run_id, clock)
    store.update_request(run_id, RunRequest.paused)
    assert point.passed().is_paused
    assert state(store, run_id) is RunState.PAUSED
    assert point.passed().command is Command.GO
    assert clock.now_s == pytest.approx(2 * POLL_S)


def test_two_steps_asked_at_once_let_two_planes_pass(store, run_id):
    def ask_twice():
        store.update_request(run_id, RunRequest.stepped)
        store.update_request(run_id, RunRequest.stepped)

    clock = Script(ask_twice, lambda: store.update_request(run_id, RunRequest.resumed))
    point = PausePoint(store, run_id, clock)
    store.update_request(run_id, RunRequest.paused)
    assert [point.passed().is_paused for _ in range(3)] == [True, True, False]
    assert clock.now_s == pytest.approx(2 * POLL_S)


def test_a_step_that_the_run_went_on_from_is_not_owed_later(store, run_id):
    clock = Script(lambda: store.update_request(run_id, RunRequest.resumed))
    point = PausePoint(store, run_id, clock)
    store.update_request(run_id, RunRequest.stepped)
    store.update_request(run_id, RunRequest.resumed)
    point.passed()
    store.update_request(run_id, RunRequest.paused)
    assert point.passed().command is Command.GO
    assert clock.now_s == pytest.approx(POLL_S)


def test_a_request_to_stop_ends_the_pause(store, run_id):
    point = PausePoint(store, run_id, Script(lambda: store.cancel(run_id)))
    store.update_request(run_id, RunRequest.paused)
    assert point.passed().is_cancelled


def test_a_run_that_somebody_else_ended_does_not_wait_for_ever(store, run_id):
    def lose():
        store.transition(run_id, {RunState.PAUSED}, state=RunState.LOST)

    point = PausePoint(store, run_id, Script(lose))
    store.update_request(run_id, RunRequest.paused)
    with pytest.raises(RunEndedError):
        point.passed()


@pytest.mark.fault
def test_a_forgotten_pause_ends_by_itself(store, run_id):
    an_hour_s = 3_600
    point = PausePoint(store, run_id, Script(), poll_s=an_hour_s / 4)
    store.update_request(run_id, RunRequest.paused)
    assert point.passed().command is Command.GO
    assert an_hour_s <= point.waited_s <= 1.5 * an_hour_s
